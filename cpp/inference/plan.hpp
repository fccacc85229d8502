// Division of a ragged batch into jobs. It depends on the batch alone, so results have the same bits with any number of
// threads.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "inference/dense.hpp"
#include "trellis/trellis.hpp"

namespace seqlab {

template <class F>
using Batch = std::span<const Trellis<F>>;

// Up to four sequences of one length that share one table of edges; or one sequence, of any kind.
struct Group {
    std::array<std::size_t, 4> member{};
    std::size_t size = 0;
    bool dense = false;
};

using Job = std::vector<Group>;

template <class F>
std::vector<Group> group(Batch<F> batch) {
    constexpr std::size_t WINDOW =
        1024;  // sequences are grouped within windows, so that neighbours stay close in memory
    std::vector<Group> groups;
    std::vector<std::size_t> order;
    for (std::size_t first = 0; first < batch.size(); first += WINDOW) {
        const std::size_t end = std::min(batch.size(), first + WINDOW);
        order.clear();
        for (std::size_t i = first; i < end; ++i) {
            const Trellis<F>& trellis = batch[i];
            if (trellis.T == 0) continue;
            if (trellis.plain() && !is_long<F>(trellis.T, trellis.L)) {
                order.push_back(i);
            } else {
                groups.push_back({{i}, 1, trellis.plain()});
            }
        }
        const auto same = [&](std::size_t i, std::size_t j) {
            return batch[i].edge == batch[j].edge && batch[i].T == batch[j].T && batch[i].L == batch[j].L;
        };
        std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
            if (batch[i].edge != batch[j].edge) return std::less<const F*>{}(batch[i].edge, batch[j].edge);
            return std::tie(batch[i].L, batch[i].T) < std::tie(batch[j].L, batch[j].T);
        });
        for (std::size_t i = 0; i < order.size();) {
            std::size_t run = 1;
            while (run < 4 && i + run < order.size() && same(order[i], order[i + run])) ++run;
            if (run == 3) run = 2;  // kernels exist for 1, 2 and 4
            Group g{{}, run, true};
            std::copy_n(order.begin() + static_cast<std::ptrdiff_t>(i), run, g.member.begin());
            groups.push_back(g);
            i += run;
        }
    }
    return groups;
}

// Mean number of labels per position, rounded up.
template <class F>
std::size_t usual_labels(const Trellis<F>& trellis) {
    if (trellis.restricted == 0) return trellis.L;
    const auto listed = static_cast<std::size_t>(trellis.offset[trellis.restricted] - trellis.offset[0]);
    return (listed + (trellis.T - trellis.restricted) * trellis.L + trellis.T - 1) / trellis.T;
}

// Divide into at most `most` jobs: the caller may keep a large object for each.
template <class F>
std::vector<Job> plan(Batch<F> batch, std::size_t most = 64) {
    constexpr std::size_t LEAST_WORK = 200000;  // multiply-adds that are worth starting a thread
    std::vector<Group> groups = group(batch);
    const auto work = [&](const Group& g) {
        const Trellis<F>& trellis = batch[g.member[0]];
        const std::size_t labels = usual_labels(trellis);
        std::size_t moves = labels;
        for (std::size_t i = 0; i < trellis.order; ++i) moves *= labels;
        return g.size * trellis.T * moves;
    };
    std::size_t total = 0;
    for (const Group& g : groups) total += work(g);
    const std::size_t share = std::max(LEAST_WORK, total / most);
    std::vector<Job> jobs;
    std::size_t load = share;
    for (const Group& g : groups) {
        if (load >= share) {
            jobs.emplace_back();
            load = 0;
        }
        jobs.back().push_back(g);
        load += work(g);
    }
    return jobs;
}

// Cache of objects made from edge tensors (a padded table, exponentials): made once for all groups that share a tensor,
// and on demand for a tensor that only one group uses, so that a thousand private tensors are not in memory at once.
template <class F, class Made>
class PerEdges {
public:
    // Prepare for the dense groups, or for the others.
    template <class Make>
    PerEdges(Batch<F> batch, const std::vector<Job>& jobs, bool dense, Make make) : make_(make) {
        std::map<Key, std::size_t> uses;
        for (const Job& job : jobs)
            for (const Group& g : job) {
                const Trellis<F>& trellis = batch[g.member[0]];
                if (g.dense == dense && ++uses[key(trellis)] == 2)
                    made_.emplace(key(trellis), make_(trellis));
            }
    }
    const Made& at(const Trellis<F>& trellis, std::optional<Made>& spot) const {
        const auto found = made_.find(key(trellis));
        if (found != made_.end()) return found->second;
        spot.emplace(make_(trellis));
        return *spot;
    }

private:
    // One address may hold tensors of several shapes: a slice begins at the address of the whole tensor.
    using Key = std::tuple<const F*, std::size_t, std::size_t, std::size_t>;
    static Key key(const Trellis<F>& x) { return {x.edge, x.L, x.order, x.slab}; }

    std::function<Made(const Trellis<F>&)> make_;
    std::map<Key, Made> made_;
};

}  // namespace seqlab

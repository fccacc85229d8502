// A ragged batch cut into jobs. The cut depends on the batch alone, not on threads: same bits with 1 and with 8.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <span>
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
    constexpr std::size_t WINDOW = 1024;  // sequences near each other stay near each other in memory
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
            return batch[i].T < batch[j].T;
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

template <class F>
std::vector<Job> plan(Batch<F> batch) {
    constexpr std::size_t MOST_JOBS = 64, LEAST_WORK = 200000;  // multiply-adds worth a thread's while
    std::vector<Group> groups = group(batch);
    const auto work = [&](const Group& g) {
        const Trellis<F>& trellis = batch[g.member[0]];
        return g.size * trellis.T * trellis.L * trellis.L;
    };
    std::size_t total = 0;
    for (const Group& g : groups) total += work(g);
    const std::size_t share = std::max(LEAST_WORK, total / MOST_JOBS);
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

// What is made from an edge tensor (a padded table, exponentials): once for all the groups that share the tensor,
// on the spot for a tensor that only one group uses, so that a thousand private tensors do not pile up.
template <class F, class Made>
class PerEdges {
public:
    template <class Make>
    PerEdges(Batch<F> batch, const std::vector<Job>& jobs, Make make) : make_(make) {
        std::map<const F*, std::size_t> uses;
        for (const Job& job : jobs)
            for (const Group& g : job)
                if (++uses[batch[g.member[0]].edge] == 2) {
                    const Trellis<F>& trellis = batch[g.member[0]];
                    made_.emplace(trellis.edge, make_(trellis));
                }
    }
    const Made& at(const Trellis<F>& trellis, std::optional<Made>& spot) const {
        const auto found = made_.find(trellis.edge);
        if (found != made_.end()) return found->second;
        spot.emplace(make_(trellis));
        return *spot;
    }

private:
    std::function<Made(const Trellis<F>&)> make_;
    std::map<const F*, Made> made_;
};

}  // namespace seqlab

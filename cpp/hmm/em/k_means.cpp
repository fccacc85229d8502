#include "hmm/em/k_means.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "base/parallel/parallel.hpp"

namespace seqlab {

namespace {

constexpr std::size_t lanes = 4;  // centres compared at a time

// Centres as (D, K), padded to whole vectors with centres far from all points.
class Centres {
public:
    Centres(std::size_t K, std::size_t D)
        : K_(K), D_(D), width_((K + lanes - 1) / lanes * lanes), value_(D * width_, far) {}

    double& at(std::size_t k, std::size_t d) { return value_[d * width_ + k]; }
    void set(std::size_t k, const double* x) {
        for (std::size_t d = 0; d < D_; ++d) at(k, d) = x[d];
    }

    // Return the nearest centre, the first among equals, and its squared distance.
    std::size_t nearest(const double* x, double* room, double& distance) const {
        std::fill(room, room + width_, 0.0);
        for (std::size_t d = 0; d < D_; ++d) {
            const double* const row = value_.data() + d * width_;
            for (std::size_t k = 0; k < width_; ++k) room[k] += (x[d] - row[k]) * (x[d] - row[k]);
        }
        std::size_t best = 0;
        for (std::size_t k = 1; k < K_; ++k) best = room[k] < room[best] ? k : best;
        distance = room[best];
        return best;
    }

    std::size_t width() const { return width_; }

private:
    static constexpr double far = 1e150;
    std::size_t K_, D_, width_;
    std::vector<double> value_;
};

// Sums over one part of the vectors; parts are fixed, so that results do not depend on the number of threads.
struct Part {
    std::vector<double> sum;            // (K, D)
    std::vector<std::int64_t> members;  // (K,)
    double inertia = 0;                 // sum of squared distances to the nearest centre
    bool changed = false;
};

std::size_t part_size(std::size_t T) {
    constexpr std::size_t least = 4096, most_parts = 256;
    return std::max(least, (T + most_parts - 1) / most_parts);
}

// Assign the vectors of a part to their nearest centres.
void assign(const Points& points, const Centres& centres, std::size_t K, std::size_t from, std::size_t to,
            Part& part, std::int64_t* cluster) {
    const std::size_t D = points.D;
    part.sum.assign(K * D, 0.0);
    part.members.assign(K, 0);
    part.inertia = 0;
    part.changed = false;
    std::vector<double> room(centres.width());
    for (std::size_t t = from; t < to; ++t) {
        const double* const x = points.x + t * D;
        double distance = 0;
        const std::size_t k = centres.nearest(x, room.data(), distance);
        part.inertia += distance;
        part.changed |= cluster[t] != static_cast<std::int64_t>(k);
        cluster[t] = static_cast<std::int64_t>(k);
        ++part.members[k];
        for (std::size_t d = 0; d < D; ++d) part.sum[k * D + d] += x[d];
    }
}

// Lloyd's algorithm: assign vectors, compute means, until nothing changes. A centre without vectors does not move.
// Returns the sum of squared distances.
double lloyd(const Points& points, Centres& centres, const KMeansOptions& options, std::int64_t* cluster) {
    const std::size_t K = options.K, D = points.D, size = part_size(points.T);
    std::vector<Part> parts((points.T + size - 1) / size);
    std::fill(cluster, cluster + points.T, -1);
    double inertia = 0;
    bool last = false;
    for (std::size_t round = 0;; ++round) {
        parallel_for(parts.size(), options.threads, [&](std::size_t i) {
            assign(points, centres, K, i * size, std::min(points.T, (i + 1) * size), parts[i], cluster);
        });
        inertia = 0;
        bool changed = false;
        for (const Part& part : parts) {
            inertia += part.inertia;
            changed |= part.changed;
        }
        if (last || !changed || round + 1 >= options.rounds) return inertia;
        double moved = 0;
        for (std::size_t k = 0; k < K; ++k) {
            std::int64_t members = 0;
            for (const Part& part : parts) members += part.members[k];
            if (!members) continue;
            for (std::size_t d = 0; d < D; ++d) {
                double sum = 0;
                for (const Part& part : parts) sum += part.sum[k * D + d];
                const double mean = sum / static_cast<double>(members), before = centres.at(k, d);
                moved += (mean - before) * (mean - before);
                centres.at(k, d) = mean;
            }
        }
        last = moved <= options.still;  // one more round assigns vectors to these centres
    }
}

// k-means++: draw each centre with probability proportional to its squared distance from the nearest one so far.
Centres drawn(const Points& points, std::size_t K, const double* chance) {
    Centres centres(K, points.D);
    std::vector<double> distance(points.T, std::numeric_limits<double>::infinity());
    const auto uniform = [&](double u) {
        return std::min(static_cast<std::size_t>(u * static_cast<double>(points.T)), points.T - 1);
    };
    std::size_t chosen = uniform(chance[0]);
    for (std::size_t k = 0; k < K; ++k) {
        const double* const centre = points.x + chosen * points.D;
        centres.set(k, centre);
        if (k + 1 == K) break;
        double total = 0;
        for (std::size_t t = 0; t < points.T; ++t) {
            const double* const x = points.x + t * points.D;
            double squares = 0;
            for (std::size_t d = 0; d < points.D; ++d) squares += (x[d] - centre[d]) * (x[d] - centre[d]);
            distance[t] = std::min(distance[t], squares);
            total += distance[t];
        }
        chosen = uniform(chance[k + 1]);  // used if all vectors are equal
        double rest = chance[k + 1] * total;
        for (std::size_t t = 0; t < points.T && total > 0; ++t) {
            rest -= distance[t];
            if (distance[t] > 0) chosen = t;
            if (rest < 0 && distance[t] > 0) break;
        }
    }
    return centres;
}

}  // namespace

// eq:k-means   k_t = argmin_k |x_t - μ_k|²,   μ_k = mean of the x_t with k_t = k
void k_means(const Points& all, const Points& sample, const double* chance, std::size_t runs,
             const KMeansOptions& options, std::int64_t* cluster) {
    const Crew crew(options.threads);
    std::vector<Centres> found(runs, Centres(0, 0));
    std::vector<double> inertia(runs);
    KMeansOptions alone = options;
    alone.threads = 1;
    parallel_for(runs, options.threads, [&](std::size_t run) {
        std::vector<std::int64_t> room(sample.T);
        found[run] = drawn(sample, options.K, chance + run * options.K);
        inertia[run] = lloyd(sample, found[run], alone, room.data());
    });
    const auto best = std::min_element(inertia.begin(), inertia.end()) - inertia.begin();
    lloyd(all, found[static_cast<std::size_t>(best)], options, cluster);
}

}  // namespace seqlab

// L-BFGS with the two-loop recursion on inner products. The recursion needs only the inner products of the steps s, the
// gradient differences y and the gradient. One pass over the history computes those with the newest y and with the
// gradient, the recursion runs on the products (m² numbers), and a second pass adds up the direction. Each history
// vector is read twice, and nothing else is written: at n = 456,000, m = 10, float32, half the memory traffic of the
// recursion on vectors.
#include "optimise/history.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "base/numerics/flush_to_zero.hpp"
#include "optimise/orthant.hpp"
#include "optimise/slices.hpp"

namespace seqlab::optimise {

namespace {

// Numbers of every vector in a block; the data shared by all rows of a block stay in the first-level cache.
constexpr std::size_t BLOCK = 2048;
static_assert(slice_numbers % BLOCK == 0);

template <class F>
class History final : public Remembered {
public:
    History(std::size_t n, std::size_t memory, const Diagonal* diagonal, std::size_t threads)
        : n_(n),
          memory_(memory),
          threads_(threads),
          diagonal_(diagonal),
          sy_(memory * memory),
          yy_(memory * memory),
          sg_(memory),
          yg_(memory) {
        if (n_ > 0) moves_ = room_.of(numbers());
    }

    void see(const StepEnds* move, const double* slope) override;
    double direction(const double* slope, const L1* l1, double* d) override;
    void forget() override { order_.clear(); }
    bool empty() const override { return order_.empty(); }
    void record(Snapshot& state) override {
        tidy();
        state("history.order", order_);
        if (std::ranges::any_of(order_, [&](std::size_t slot) { return slot >= memory_; }))
            throw SnapshotMismatch("history.order has no such slot");
        state("history.version", version_);
        state("history.moves", moves_, n_ > 0 ? numbers() : 0);
        for (auto [name, products] : {std::pair{"sy", &sy_}, {"yy", &yy_}, {"sg", &sg_}, {"yg", &yg_}})
            state(std::string("history.") + name, products->data(), products->size());
    }

private:
    std::size_t numbers() const { return (n_ + BLOCK - 1) / BLOCK * 2 * memory_ * BLOCK; }
    const double* inverse() const { return diagonal_ ? diagonal_->inverse : nullptr; }
    void tidy();
    std::size_t free_slot();
    void project(const StepEnds* move, const double* slope, std::size_t slot);
    bool keep(std::size_t slot);
    void weigh_anew();
    void recursion();
    double add_up(const double* slope, const L1* l1, double* d);
    template <class Work>
    std::vector<double> over_blocks(std::size_t sums, Work work);
    F* s(std::size_t slot, std::size_t at) { return moves_ + 2 * memory_ * at + slot * BLOCK; }
    F* y(std::size_t slot, std::size_t at) { return s(memory_ + slot, at); }

    // The stored steps and gradient differences of one block, oldest first.
    struct Rows {
        std::vector<const F*> s, y;
    };

    std::size_t n_, memory_, threads_;
    const Diagonal* diagonal_;
    unsigned version_ = 0;
    // Block by block: BLOCK numbers of each s, then of each y, so that a pass reads memory sequentially.
    Buffer<F> room_;
    F* moves_ = nullptr;
    bool tidy_ = false;               // no number of moves_ is uninitialised
    std::vector<std::size_t> order_;  // slots, oldest first
    // sy[i, j] = s_i·y_j,  yy[i, j] = y_i·D y_j,  sg[i] = s_i·slope,  yg[i] = y_i·D slope, by slots
    std::vector<double> sy_, yy_, sg_, yg_;
    std::vector<double> alpha_, c_;         // by age, oldest first
    double gamma_ = 1.0, squares_[2] = {};  // |s|² and |y|² of the newest step
};

// A snapshot has all numbers, those of unused slots too: nothing else that lay in memory shall get into a file.
template <class F>
void History<F>::tidy() {
    if (std::exchange(tidy_, true)) return;
    for (std::size_t at = 0; at < n_; at += BLOCK)
        for (std::size_t slot = 0; slot < memory_; ++slot) {
            const bool used = std::ranges::find(order_, slot) != order_.end();
            const std::size_t known = used ? std::min(BLOCK, n_ - at) : 0;
            std::fill(s(slot, at) + known, s(slot, at) + BLOCK, F{0});
            std::fill(y(slot, at) + known, y(slot, at) + BLOCK, F{0});
        }
}

template <class F>
std::size_t History<F>::free_slot() {
    if (order_.size() < memory_) {
        for (std::size_t slot = 0;; ++slot)
            if (std::find(order_.begin(), order_.end(), slot) == order_.end()) return slot;
    }
    const std::size_t oldest = order_.front();
    order_.erase(order_.begin());
    return oldest;
}

// Call work(at, count, rows, sums) for every block and add up its sums over all blocks, in their order.
template <class F>
template <class Work>
std::vector<double> History<F>::over_blocks(std::size_t sums, Work work) {
    std::vector<double> parts(slices(n_) * sums);
    each_slice(n_, threads_, [&](std::size_t slice, std::size_t from, std::size_t to) {
        const FlushToZero fast;
        Rows rows;
        for (std::size_t at = from; at < to; at += BLOCK) {
            rows.s.clear(), rows.y.clear();
            for (const std::size_t slot : order_) {
                rows.s.push_back(s(slot, at));
                rows.y.push_back(y(slot, at));
            }
            work(at, std::min(BLOCK, to - at), rows, parts.data() + slice * sums);
        }
    });
    std::vector<double> total(sums);
    for (std::size_t i = 0; i < parts.size(); ++i) total[i % sums] += parts[i];
    return total;
}

template <class F>
void History<F>::project(const StepEnds* move, const double* slope, std::size_t slot) {
    const FloatKernels<F>& set = kernels().of<F>();
    const std::size_t m = order_.size();
    const double* weight = inverse();
    // s_i·slope and s_i·y for each i, then y_i·slope and y_i·y, then |s|² and |y|²
    const std::vector<double> found =
        over_blocks(4 * m + 2, [&](std::size_t at, std::size_t count, const Rows& rows, double* sums) {
            double y_block[BLOCK], a_block[BLOCK], b_block[BLOCK];
            const double* g = slope + at;
            const double* y = g;
            if (move) {
                set.take_step(*move, at, count, this->s(slot, at), this->y(slot, at), y_block, sums + 4 * m);
                y = y_block;
            }
            set.project_history(rows.s.data(), m, g, y, count, sums);
            if (weight) {
                for (std::size_t i = 0; i < count; ++i) a_block[i] = weight[at + i] * g[i];
                for (std::size_t i = 0; i < count; ++i) b_block[i] = weight[at + i] * y[i];
                g = a_block, y = b_block;
            }
            set.project_history(rows.y.data(), m, g, y, count, sums + 2 * m);
        });
    for (std::size_t k = 0; k < m; ++k) {
        const std::size_t i = order_[k];
        const double *from_s = found.data() + 2 * k, *from_y = from_s + 2 * m;
        sg_[i] = from_s[0];
        yg_[i] = from_y[0];
        if (!move) continue;
        sy_[i * memory_ + slot] = from_s[1];
        yy_[i * memory_ + slot] = yy_[slot * memory_ + i] = from_y[1];
    }
    squares_[0] = found[4 * m];
    squares_[1] = found[4 * m + 1];
}

// True if the newest step has enough curvature to be kept: H stays positive definite only if s·y > 0.
template <class F>
bool History<F>::keep(std::size_t slot) {
    constexpr double LEAST_COSINE = 1e-10;
    const double sy = sy_[slot * memory_ + slot], yy = yy_[slot * memory_ + slot];
    return std::isfinite(sy) && std::isfinite(yy) && yy > 0.0 &&
           sy > LEAST_COSINE * std::sqrt(squares_[0]) * std::sqrt(squares_[1]);
}

// Recompute all y_i·D y_j, after D has changed.
template <class F>
void History<F>::weigh_anew() {
    const FloatKernels<F>& set = kernels().of<F>();
    const double* weight = inverse();
    const std::size_t m = order_.size();
    for (std::size_t j = 0; j < m; ++j) {
        const std::vector<double> found =
            over_blocks(2 * m, [&](std::size_t at, std::size_t count, const Rows& rows, double* sums) {
                double block[BLOCK];
                for (std::size_t i = 0; i < count; ++i)
                    block[i] = static_cast<double>(rows.y[j][i]) * (weight ? weight[at + i] : 1.0);
                set.project_history(rows.y.data(), m, block, block, count, sums);
            });
        for (std::size_t k = 0; k < m; ++k) yy_[order_[k] * memory_ + order_[j]] = found[2 * k];
    }
}

template <class F>
void History<F>::see(const StepEnds* move, const double* slope) {
    if (diagonal_ && diagonal_->version != version_) {
        version_ = diagonal_->version;
        weigh_anew();
    }
    std::size_t slot = 0;
    if (move) {
        slot = free_slot();
        order_.push_back(slot);
    }
    if (order_.empty()) return;
    project(move, slope, slot);
    if (move && !keep(slot)) order_.pop_back();
}

// eq:lbfgs   The two loops, on inner products. Afterwards -H slope = -γD (slope - Σ α_j y_j) - Σ c_j s_j.
template <class F>
void History<F>::recursion() {
    const std::size_t m = order_.size();
    const auto sy = [&](std::size_t i, std::size_t j) { return sy_[order_[i] * memory_ + order_[j]]; };
    const auto yy = [&](std::size_t i, std::size_t j) { return yy_[order_[i] * memory_ + order_[j]]; };
    alpha_.assign(m, 0.0);
    c_.assign(m, 0.0);
    gamma_ = 1.0;
    if (m == 0) return;
    if (!inverse() || diagonal_->rescale) gamma_ = sy(m - 1, m - 1) / yy(m - 1, m - 1);
    for (std::size_t i = m; i-- > 0;) {
        double q = sg_[order_[i]];
        for (std::size_t j = i + 1; j < m; ++j) q -= alpha_[j] * sy(i, j);
        alpha_[i] = q / sy(i, i);
    }
    for (std::size_t i = 0; i < m; ++i) {
        double r = yg_[order_[i]];
        for (std::size_t j = 0; j < m; ++j) r -= alpha_[j] * yy(i, j);
        r *= gamma_;
        for (std::size_t j = 0; j < i; ++j) r += c_[j] * sy(j, i);
        c_[i] = alpha_[i] - r / sy(i, i);
    }
}

template <class F>
double History<F>::add_up(const double* slope, const L1* l1, double* d) {
    const FloatKernels<F>& set = kernels().of<F>();
    const double* weight = inverse();
    const std::size_t m = order_.size();
    for (double& c : c_) c = -c;
    for (double& a : alpha_) a *= gamma_;
    return over_blocks(1, [&](std::size_t at, std::size_t count, const Rows& rows, double* sums) {
        double* q = d + at;
        const double* g = slope + at;
        for (std::size_t i = 0; i < count; ++i) q[i] = -gamma_ * g[i];
        set.combine_history(rows.y.data(), m, alpha_.data(), count, q);
        if (weight)
            for (std::size_t i = 0; i < count; ++i) q[i] *= weight[at + i];
        set.combine_history(rows.s.data(), m, c_.data(), count, q);
        if (l1) align(*l1, slope, d, at, at + count);
        *sums += dot(g, q, count);
    })[0];
}

template <class F>
double History<F>::direction(const double* slope, const L1* l1, double* d) {
    recursion();
    return add_up(slope, l1, d);
}

}  // namespace

std::unique_ptr<Remembered> remember(std::size_t n, int memory, bool float32, const Diagonal* diagonal,
                                     std::size_t threads) {
    const auto m = static_cast<std::size_t>(memory);
    if (float32) return std::make_unique<History<float>>(n, m, diagonal, threads);
    return std::make_unique<History<double>>(n, m, diagonal, threads);
}

}  // namespace seqlab::optimise

// The E step of a hidden Markov model: expected starts, transitions, ends and emissions of many sequences.
//
// Sequences are sorted by length, so that four of equal length run in lockstep, in jobs that fit a cache: scores in,
// marginals out, marginals added to the sums of the symbols while they are still in the cache. The division into jobs
// depends on the data alone and everything is added in the order of the jobs: results are bit-identical with any number
// of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/numerics/buffer.hpp"
#include "hmm/em/chain_sums.hpp"
#include "hmm/em/histories.hpp"
#include "hmm/em/symbol_potentials.hpp"
#include "hmm/em/symbol_rows.hpp"
#include "inference/plan.hpp"
#include "kernels/kernels.hpp"

namespace seqlab {

class Expectation {
public:
    // `weight` of each sequence, or null; allowed (tokens, L): 0 for labels that a token cannot have, or null. It works
    // in the memory of `beside`, if there is another whose turn is never at the same time.
    Expectation(std::span<const std::int64_t> offset, std::size_t L, const double* weight,
                const std::uint8_t* allowed, std::size_t order, const Expectation* beside = nullptr);

    // node (tokens, L) is log P(x_t | y), overwritten; gamma (tokens, L) becomes the marginals times the weights.
    void over_scores(const ChainTables& tables, double* node, double* gamma, const ChainSums& sums,
                     std::size_t threads);

    // Run the E step where every token emits the symbols of its list: table (V, L) is log P(symbol | y), counts (V, L)
    // is added to. Calls of one `pass` have the same tables, so that they are exponentiated once; 0 for a call alone.
    void over_symbols(const ChainTables& tables, const RowList<double>& symbols, std::size_t V,
                      const double* table, double* counts, const ChainSums& sums, std::size_t threads,
                      std::size_t pass = 0);

private:
    struct Work {  // sequences order_[first .. last) of one weight
        std::size_t first, last, tokens;
        double weight;
    };
    struct Room {
        Buffer<double> node, gamma;
        std::vector<Trellis<double>> batch;
        std::vector<double*> rows;
        std::vector<std::size_t> members;  // the sequences of the batch
        std::vector<double> edge, head[2], log_z;
        Histories::Lists lists;
        std::vector<std::uint8_t> log_space;
        // Rows of potentials and of sums for chains of symbols, one for every token of the job.
        std::vector<const double*> potential;
        std::vector<double*> sums;
        std::vector<double> moves, starts, ends, shifts;
        Buffer<double> scratch, kept, lasts;
    };

    struct Memory {  // kept between passes
        std::vector<Room> rooms;
        std::optional<SymbolTable> table, counts;
        std::size_t symbols = 0;
        std::optional<SymbolPotentials> potentials;
        std::size_t pass = 0;   // that the potentials are of
        Buffer<double> direct;  // (V, lanes) counts of chains of symbols
    };

    std::size_t begin(std::size_t s) const { return static_cast<std::size_t>(offset_[s]); }
    std::size_t length(std::size_t s) const { return static_cast<std::size_t>(offset_[s + 1] - offset_[s]); }
    double weight(std::size_t s) const { return weight_ ? weight_[s] : 1.0; }

    void cut();
    void fold_ends(const ChainTables& tables, std::size_t s, double* node) const;
    void add_sequence(const ChainTables& tables, std::size_t s, double* node, double* gamma,
                      Room& room) const;
    void fetch(const SymbolTable& table, const RowList<double>& symbols, std::size_t s) const;
    void run(const Work& work, Room& room) const;
    void settle(const Work& work, Room& room, const ChainSums& sums) const;
    void run_symbols(const SymbolPotentials& model, const Work& work, const RowList<double>& symbols,
                     double* counts, const ChainSums& sums, Room& room) const;
    void run_group(const SymbolPotentials& model, const Work& work, std::size_t first, std::size_t size,
                   std::size_t at, const ChainSums& sums, Room& room) const;
    void settle_symbols(const SymbolPotentials& model, const Work& work, Room& room,
                        const ChainSums& sums) const;
    template <class Fill, class Spill>
    void each(const ChainTables& tables, const ChainSums& sums, std::size_t threads, Fill fill, Spill spill);

    std::span<const std::int64_t> offset_;
    std::size_t L_, k_, moves_;  // labels, order, L^(order + 1)
    const double* weight_;
    const std::uint8_t* allowed_;
    std::vector<std::size_t> order_;
    std::vector<Work> work_;
    std::shared_ptr<Memory> memory_;
    std::optional<Histories> histories_;  // in order 2 and 3, for one pass
};

}  // namespace seqlab

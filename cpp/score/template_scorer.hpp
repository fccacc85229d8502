// Node scores of a linear model straight from columns: the features of a bank are looked up bundle by bundle, and no
// list of attributes is ever made.
//
// It gives what Bank::look_up and Scorer<float> give, with the weights of a token summed in another order; that order
// depends on the token alone, so neither threads nor the cut into blocks change a bit.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "encode/bank.hpp"
#include "score/attribute_weights.hpp"
#include "score/bundles.hpp"
#include "score/place_map.hpp"

namespace seqlab {

class TemplateScorer {
public:
    // Both must outlive this, and the bank must not learn meanwhile.
    TemplateScorer(const Bank& bank, const AttributeWeights& weights);

    const Bank& bank() const { return bank_; }
    const AttributeWeights& weights() const { return weights_; }
    const BundlePlan& plan() const { return plan_; }
    const PlaceMap& places(std::size_t feature) const { return maps_[bank_.features()[feature].group]; }

private:
    const Bank& bank_;
    const AttributeWeights& weights_;
    BundlePlan plan_;
    Buffer<PlaceMap::Slot> slots_;  // of all groups in one piece: large pages save misses
    std::vector<PlaceMap> maps_;    // one per group
};

// One corpus under one scorer; threads share it.
class TemplateCorpus {
public:
    TemplateCorpus(const TemplateScorer& scorer, const Table& table)
        : scorer_(scorer), table_(table), of_code_(scorer.bank().values_of_codes(table)) {}

    const TemplateScorer& scorer() const { return scorer_; }
    const Table& table() const { return table_; }
    const ValueId* of_code(std::size_t values) const { return of_code_[values].data(); }

private:
    const TemplateScorer& scorer_;
    const Table& table_;
    std::vector<std::vector<ValueId>> of_code_;
};

// A thread's way through a corpus, with the sums it has made so far.
class TemplateReader {
public:
    explicit TemplateReader(const TemplateCorpus& corpus);
    ~TemplateReader();
    TemplateReader(const TemplateReader&) = delete;
    TemplateReader& operator=(const TemplateReader&) = delete;

    // node (tokens of sentences first .. last, L), with LP numbers of room behind its last row
    void score(std::size_t first, std::size_t last, float* node);

private:
    class Work;
    std::unique_ptr<Work> work_;
};

}  // namespace seqlab

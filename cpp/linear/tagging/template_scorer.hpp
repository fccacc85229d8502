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
#include "linear/data/attribute_weights.hpp"
#include "linear/tagging/bundles.hpp"
#include "linear/tagging/place_map.hpp"

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
    PairRegions pairs_;
    Buffer<PlaceBucket> buckets_;  // of all groups in one piece: large pages save misses
    std::vector<PlaceMap> maps_;   // one per group
};

// One corpus under one scorer; threads share it.
class TemplateCorpus {
public:
    TemplateCorpus(const TemplateScorer& scorer, const Table& table)
        : scorer_(scorer),
          table_(table),
          codes_(scorer.bank().codes_of(table, scorer.plan().values_at_tokens(scorer.bank()))) {}

    const TemplateScorer& scorer() const { return scorer_; }
    const Table& table() const { return table_; }
    const StringId* known(std::size_t column) const { return codes_.known[column].data(); }
    const ValueId* of_code(std::size_t values) const { return codes_.of_code[values].data(); }

private:
    const TemplateScorer& scorer_;
    const Table& table_;
    Bank::Codes codes_;
};

// The sums that a thread has made, also of words that training did not meet. The next corpus under the same scorer needs most
// of them again: whoever keeps this from call to call tags text at half the price.
class TemplateSums {
public:
    explicit TemplateSums(const TemplateScorer& scorer);
    ~TemplateSums();

private:
    friend class TemplateReader;
    struct Kept;
    std::unique_ptr<Kept> kept_;
};

// A thread's way through a corpus.
class TemplateReader {
public:
    // sums: of the same scorer, and nobody else's meanwhile
    TemplateReader(const TemplateCorpus& corpus, TemplateSums& sums);
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

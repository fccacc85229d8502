#include "hmm/counted/lexicon.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "base/text/unicode.hpp"

namespace seqlab {

Lexicon::Lexicon(StringPool words, SparseCounts counts, std::size_t L, const LexiconSettings& settings)
    : words_(std::move(words)),
      counts_(std::move(counts)),
      L_(L),
      settings_(settings),
      label_total_(L, 0.0),
      trie_(L, settings.longest) {
    double once = 0;
    for (std::size_t i = 0; i < counts_.label.size(); ++i)
        label_total_[static_cast<std::size_t>(counts_.label[i])] += counts_.count[i];
    for (const double one : label_total_) total_ += one;
    for (const double one : label_total_) {
        label_share_.push_back(one / total_);
        log_share_.push_back(std::log(one / total_));
    }
    for (std::size_t w = 0; w < counts_.size(); ++w) {
        const double total = counts_.at(w).total();
        if (total <= 1) once += total;
    }
    // Good-Turing: the share of words seen once estimates the probability of a new word; kept above 0 and at most 1/2.
    unseen_ = std::clamp(once / total_, 1 / (total_ + 1), 0.5);
    if (settings_.suffixes) {
        grow_trie();
        if (settings_.folded > 0) fold();
    }
    place_.assign(counts_.size(), -1);
}

void Lexicon::grow_trie() {
    trie_.reserve(counts_.size());
    for (std::size_t w = 0; w < counts_.size(); ++w) {
        const LabelCounts counts = counts_.at(w);
        if (counts.total() <= settings_.rare) trie_.add(words_.at(static_cast<StringId>(w)), counts);
    }
    trie_.finish();
}

void Lexicon::fold() {
    std::vector<Occurrence> occurrences;
    std::string lower;
    for (std::size_t w = 0; w < counts_.size(); ++w) {
        lower.clear();
        append_lower(words_.at(static_cast<StringId>(w)), lower);
        const StringId thing = folded_words_.intern(lower);
        const LabelCounts counts = counts_.at(w);
        for (std::size_t i = 0; i < counts.label.size(); ++i)
            occurrences.push_back({thing, counts.label[i], counts.count[i]});
    }
    folded_ = added(occurrences, folded_words_.size(), L_);
}

// share = (counts - own + strength * share) / (total + strength), where total is the sum of counts - own
void Lexicon::mix(LabelCounts counts, LabelCounts own, double total, double strength, double* share) const {
    const double whole = total + strength;
    for (std::size_t y = 0; y < L_; ++y) share[y] *= strength / whole;
    std::size_t j = 0;
    for (std::size_t i = 0; i < counts.label.size(); ++i) {
        double count = counts.count[i];
        if (j < own.label.size() && own.label[j] == counts.label[i])
            count = std::max(count - own.count[j++], 0.0);
        share[static_cast<std::size_t>(counts.label[i])] += count / whole;
    }
}

// eq:suffix-model   P_i(y) = (c(y, ending of i letters) + m P_{i-1}(y)) / (c(ending) + m), where c leaves `own` out
void Lexicon::by_ending(std::string_view word, LabelCounts own, double* share) const {
    std::copy(label_share_.begin(), label_share_.end(), share);
    const double own_total = own.total();
    trie_.along(word, [&](LabelCounts counts, double whole) {
        const double total = whole - own_total;
        if (!(total > 0)) return false;  // no other word has this ending or a longer one
        mix(counts, own, total, settings_.strength < 0 ? settings_.theta * total : settings_.strength, share);
        return true;
    });
}

// Estimate P(label | word) from its endings, then from the counts of the word itself or of a word that differs in case
// only.
void Lexicon::by_word(std::string_view word, StringId id, double* share) const {
    if (id >= 0) {
        const LabelCounts own = counts_.at(static_cast<std::size_t>(id));
        by_ending(word, own.total() <= settings_.rare ? own : LabelCounts{}, share);
        mix(own, {}, own.total(), settings_.known, share);
        return;
    }
    by_ending(word, {}, share);
    if (settings_.folded == 0) return;
    std::string lower;
    append_lower(word, lower);
    const StringId same = folded_words_.find(lower);
    if (same < 0) return;
    const LabelCounts counts = folded_.at(static_cast<std::size_t>(same));
    mix(counts, {}, counts.total(), settings_.folded, share);
}

Rows Lexicon::rows(const StringPool& pool, const std::uint8_t* used, const std::uint8_t* allowed) const {
    Rows rows;
    std::vector<double> room(L_);
    rows.begin.reserve(pool.size() + 1);
    const std::lock_guard<std::mutex> lock(guard_);
    for (std::size_t i = 0; i < pool.size(); ++i) {
        if (used[i]) {
            const std::string_view word = pool.at(static_cast<StringId>(i));
            const StringId id = words_.find(word);
            const std::uint8_t* some = allowed ? allowed + i * L_ : nullptr;
            if (some && std::all_of(some, some + L_, [](std::uint8_t one) { return one != 0; }))
                some = nullptr;
            if (id >= 0 && !some)
                append_known(word, id, rows, room);
            else
                append(word, id, some, rows, room);
        }
        rows.close();
    }
    return rows;
}

void Lexicon::append_known(std::string_view word, StringId id, Rows& rows, std::vector<double>& room) const {
    std::int64_t& place = place_[static_cast<std::size_t>(id)];
    if (place < 0) {
        place = static_cast<std::int64_t>(known_.begin.size()) - 1;
        append(word, id, nullptr, known_, room);
        known_.close();
    }
    const std::int64_t from = known_.begin[static_cast<std::size_t>(place)];
    const std::int64_t to = known_.begin[static_cast<std::size_t>(place) + 1];
    rows.label.insert(rows.label.end(), known_.label.begin() + from, known_.label.begin() + to);
    rows.score.insert(rows.score.end(), known_.score.begin() + from, known_.score.begin() + to);
}

void Lexicon::append(std::string_view word, StringId id, const std::uint8_t* allowed, Rows& rows,
                     std::vector<double>& room) const {
    if (word == missing_word) {
        append_nothing(0.0, allowed, rows);
    } else if (id >= 0 ? settings_.direct : !settings_.suffixes) {
        append_direct(id, allowed, rows);
    } else {
        by_word(word, id, room.data());
        const double seen = settings_.direct ? 1.0 : 1.0 - unseen_;
        const double probability = id < 0 ? unseen_probability(room.data())
                                          : seen * counts_.at(static_cast<std::size_t>(id)).total() / total_;
        append_shares(room.data(), probability, allowed, rows);
    }
}

// P(w) of eq:suffix-model for an unknown word, such that the largest P(w | y) over the labels is u.
double Lexicon::unseen_probability(const double* share) const {
    if (!settings_.proper) return unseen_;
    double most = 0;
    for (std::size_t y = 0; y < L_; ++y)
        if (share[y] > 0) most = std::max(most, share[y] / label_share_[y]);
    return most > 0 ? unseen_ / most : unseen_;
}

void Lexicon::known_mass(double* mass) const {
    std::fill(mass, mass + L_, 0.0);
    std::vector<double> share(L_);
    for (std::size_t w = 0; w < counts_.size(); ++w) {
        by_word(words_.at(static_cast<StringId>(w)), static_cast<StringId>(w), share.data());
        const double word = (1 - unseen_) * counts_.at(w).total() / total_;
        for (std::size_t y = 0; y < L_; ++y)
            if (share[y] > 0) mass[y] += share[y] * word / label_share_[y];
    }
}

// Append every allowed label with equal scores.
void Lexicon::append_nothing(double score, const std::uint8_t* allowed, Rows& rows) const {
    for (std::size_t y = 0; y < L_; ++y) {
        if (allowed && !allowed[y]) continue;
        rows.label.push_back(static_cast<Label>(y));
        rows.score.push_back(score);
    }
}

// eq:counting   P(w | y) = (c(w, y) + λ) / (c(y) + λ V), times 1 - u if there is a suffix model for unknown words.
// Otherwise an unknown word has equal scores for all labels, like a missing one. Earlier versions counted unknown words
// as one more word of the vocabulary.
void Lexicon::append_direct(StringId id, const std::uint8_t* allowed, Rows& rows) const {
    const double add = settings_.add;
    if (id < 0 && (settings_.proper || add == 0)) return append_nothing(0.0, allowed, rows);
    const double V = static_cast<double>(counts_.size() + (settings_.proper ? 0 : 1));
    const double seen = settings_.proper && settings_.suffixes ? 1 - unseen_ : 1.0;
    const LabelCounts counts = id >= 0 ? counts_.at(static_cast<std::size_t>(id)) : LabelCounts{};
    std::size_t i = 0;
    const std::size_t before = rows.label.size();
    for (std::size_t y = 0; y < L_; ++y) {
        const auto label = static_cast<Label>(y);
        while (i < counts.label.size() && counts.label[i] < label) ++i;
        const double count = i < counts.label.size() && counts.label[i] == label ? counts.count[i] : 0.0;
        if (allowed && !allowed[y]) continue;
        if (count + add == 0) continue;
        rows.label.push_back(label);
        rows.score.push_back(std::log(seen * (count + add) / (label_total_[y] + add * V)));
    }
    if (allowed && rows.label.size() == before) append_nothing(0.0, allowed, rows);
}

// Bayes: P(w | y) = P(y | w) P(w) / P(y).
void Lexicon::append_shares(const double* share, double word_probability, const std::uint8_t* allowed,
                            Rows& rows) const {
    const double word = std::log(word_probability);
    double most = 0;
    for (std::size_t y = 0; y < L_; ++y)
        if (!allowed || allowed[y]) most = std::max(most, share[y]);
    if (most == 0)
        return append_nothing(word, allowed,
                              rows);  // the dictionary allows only labels that training has not seen
    for (std::size_t y = 0; y < L_; ++y) {
        if ((allowed && !allowed[y]) || share[y] == 0 || share[y] < settings_.least * most) continue;
        rows.label.push_back(static_cast<Label>(y));
        rows.score.push_back(std::log(share[y]) + word - log_share_[y]);
    }
}

}  // namespace seqlab

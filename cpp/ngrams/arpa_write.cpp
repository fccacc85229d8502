#include "base/parallel/poll_steps.hpp"
#include "base/text/number.hpp"
#include "ngrams/arpa.hpp"

namespace seqlab::ngrams {

namespace {

class Writer {
public:
    Writer(const Table& table, std::span<const std::string_view> names) : table_(table), names_(names) {}

    std::string run() {
        text_ = "\\data\\\n";
        for (std::size_t k = 0; k < table_.trie.levels.size(); ++k)
            text_ +=
                "ngram " + std::to_string(k + 1) + "=" + std::to_string(table_.trie.levels[k].size()) + "\n";
        for (std::size_t k = 0; k < table_.trie.levels.size(); ++k) {
            text_ += "\n\\" + std::to_string(k + 1) + "-grams:\n";
            PollSteps steps;
            for (std::size_t i = 0; i < table_.trie.levels[k].size(); ++i, steps()) line(k, i);
        }
        text_ += "\n\\end\\\n";
        return std::move(text_);
    }

private:
    void line(std::size_t k, std::size_t i) {
        Symbol symbols[History::longest + 1] = {};
        std::size_t node = i;
        for (std::size_t j = k + 1; j-- > 0;) {
            symbols[j] = table_.trie.levels[j].symbol[node];
            node = static_cast<std::size_t>(table_.trie.levels[j].parent[node]);
        }
        const bool from_start = symbols[0] == table_.start();
        number(log_prob(k, i, from_start));
        for (std::size_t j = 0; j <= k; ++j) {
            text_ += j == 0 ? '\t' : ' ';
            text_ += names_[static_cast<std::size_t>(symbols[j])];
        }
        if (k < table_.order() && has_children(k, i)) {
            text_ += '\t';
            number(log_backoff(k, i, from_start));
        }
        text_ += '\n';
    }

    bool has_children(std::size_t k, std::size_t i) const {
        const std::vector<std::int64_t>& begin = table_.trie.levels[k].begin;
        // A table read from a file may have a back-off weight where no symbol followed.
        return begin[i] != begin[i + 1] || (!table_.flat && table_.log_backoff[k][i] != 0);
    }

    // A flat table is defined by full histories and those that begin a sentence; after all others every symbol has
    // equal probability.
    double log_prob(std::size_t k, std::size_t i, bool from_start) const {
        if (!table_.flat || k == table_.order() || (from_start && k > 0)) return table_.log_prob[k][i];
        return from_start ? -HUGE_VAL : -std::log(static_cast<double>(table_.predicted));
    }
    double log_backoff(std::size_t k, std::size_t i, bool from_start) const {
        if (!table_.flat) return table_.log_backoff[k][i];
        const bool asked = k + 1 == table_.order() || from_start;
        return asked ? table_.log_backoff[k][i] + std::log(static_cast<double>(table_.predicted)) : 0.0;
    }

    void number(double natural) {
        const double value = natural / log_of_ten;
        append_number(text_, value == 0 ? 0.0 : std::max(value, impossible));
    }

    const Table& table_;
    std::span<const std::string_view> names_;
    std::string text_;
};

}  // namespace

std::string arpa_text(const Table& table, std::span<const std::string_view> names) {
    return Writer(table, names).run();
}

}  // namespace seqlab::ngrams

#include <optional>
#include <stdexcept>

#include "bind/batch.hpp"
#include "bind/corpus/strings.hpp"
#include "bind/stl.hpp"
#include "hmm/counted/counting.hpp"
#include "hmm/counted/decode.hpp"
#include "hmm/counted/lexicon.hpp"

namespace seqlab::bind {

namespace {

using Ids = In<std::int32_t>;
using Offsets = In<std::int64_t>;
using Numbers = In<double>;
using Flags = In<std::uint8_t>;

Labelled labelled(const Ids& words, const Ids& labels, const std::optional<Numbers>& weights,
                  const Offsets& offsets) {
    return {words.data(), labels.data(), weights ? weights->data() : nullptr, offsets.data(),
            offsets.size() - 1};
}

nb::tuple count_words_of(const Ids& words, const Ids& labels, const std::optional<Numbers>& weights,
                         const Offsets& offsets, std::size_t V, std::size_t L) {
    SparseCounts counts;
    {
        Unlocked unlocked;
        counts = count_words(labelled(words, labels, weights, offsets), V, L);
    }
    return nb::make_tuple(as_array(std::move(counts.begin)), as_array(std::move(counts.label)),
                          as_array(std::move(counts.count)));
}

void count_moves_of(const Ids& labels, const std::optional<Numbers>& weights, const Offsets& offsets,
                    std::size_t order, std::size_t L, const Out<double>& table, const Out<double>& last) {
    Unlocked unlocked;
    count_moves(labelled(labels, labels, weights, offsets), order, L, table.data(), last.data());
}

SparseCounts sparse(const Offsets& begin, const Ids& label, const Numbers& count) {
    SparseCounts counts;
    counts.begin.assign(begin.data(), begin.data() + begin.size());
    counts.label.assign(label.data(), label.data() + label.size());
    counts.count.assign(count.data(), count.data() + count.size());
    return counts;
}

Rows rows_of(const Lexicon& lexicon, const StringPool& pool, const Ids& codes,
             const std::optional<Flags>& allowed) {
    if (allowed && allowed->size() != pool.size() * lexicon.L())
        throw std::invalid_argument("seqlab._core: one row of flags for each string is wanted");
    std::vector<std::uint8_t> used(pool.size(), 0);
    for (std::size_t i = 0; i < codes.size(); ++i) used[static_cast<std::size_t>(codes.data()[i])] = 1;
    return lexicon.rows(pool, used.data(), allowed ? allowed->data() : nullptr);
}

std::int64_t label_ids(const Lexicon& lexicon, const StringPool& pool, const Ids& codes,
                       const Offsets& offsets, const Numbers& moves, const std::optional<Numbers>& last,
                       std::size_t order, const std::optional<Flags>& allowed, const Out<std::int32_t>& ids,
                       std::size_t threads) {
    Unlocked unlocked;
    const Rows rows = rows_of(lexicon, pool, codes, allowed);
    const CountedTransitions table{moves.data(), last ? last->data() : nullptr, lexicon.L(), order};
    return best_labels(table, rows, {codes.data(), offsets.data(), offsets.size() - 1}, ids.data(), threads);
}

}  // namespace

void bind_counted(nb::module_& m) {
    m.def("count_words", &count_words_of, "words"_a.noconvert(), "labels"_a.noconvert(),
          "weights"_a.noconvert().none(), "offsets"_a.noconvert(), "V"_a, "L"_a,
          nb::sig("def count_words(words: NDArray[numpy.int32], labels: NDArray[numpy.int32], weights: "
                  "NDArray[numpy.float64] | None, offsets: NDArray[numpy.int64], V: int, L: int) -> "
                  "tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.float64]]"),
          "(begin, label, count): how often each word had each label (eq:counting).");
    m.def("count_moves", &count_moves_of, "labels"_a.noconvert(), "weights"_a.noconvert().none(),
          "offsets"_a.noconvert(), "order"_a, "L"_a, "table"_a.noconvert(), "last"_a.noconvert(),
          "Counts of transitions, and of last labels (eq:counting).");
    nb::class_<LexiconSettings>(m, "LexiconSettings", "Options of a Lexicon.")
        .def(nb::init<>())
        .def_rw("add", &LexiconSettings::add)
        .def_rw("direct", &LexiconSettings::direct)
        .def_rw("suffixes", &LexiconSettings::suffixes)
        .def_rw("longest", &LexiconSettings::longest)
        .def_rw("rare", &LexiconSettings::rare)
        .def_rw("strength", &LexiconSettings::strength)
        .def_rw("theta", &LexiconSettings::theta)
        .def_rw("known", &LexiconSettings::known)
        .def_rw("folded", &LexiconSettings::folded)
        .def_rw("least", &LexiconSettings::least)
        .def_rw("proper", &LexiconSettings::proper);
    nb::class_<Lexicon>(m, "Lexicon", "Scores of words given labels.")
        .def(
            "__init__",
            [](Lexicon* self, const StringPool& words, const Offsets& begin, const Ids& label,
               const Numbers& count, std::size_t L, const LexiconSettings& settings) {
                new (self) Lexicon(words, sparse(begin, label, count), L, settings);
            },
            "words"_a, "begin"_a.noconvert(), "label"_a.noconvert(), "count"_a.noconvert(), "L"_a,
            "settings"_a)
        .def(
            "by_ending",
            [](const Lexicon& lexicon, nb::handle word, const Out<double>& share) {
                const Utf8 text = utf8_of(word.ptr());
                if (text.ok) lexicon.by_ending(text.text, {}, share.data());
                return text.ok;
            },
            "word"_a, "share"_a.noconvert(),
            "P(label | ending of the word) (eq:suffix-model); False if it is no string.")
        .def(
            "rows",
            [](const Lexicon& lexicon, const StringPool& pool, const Ids& codes,
               const std::optional<Flags>& allowed) {
                Rows rows = rows_of(lexicon, pool, codes, allowed);
                return nb::make_tuple(as_array(std::move(rows.begin)), as_array(std::move(rows.label)),
                                      as_array(std::move(rows.score)));
            },
            "pool"_a, "codes"_a.noconvert(), "allowed"_a.noconvert().none(),
            nb::sig("def rows(self, pool: StringPool, codes: NDArray[numpy.int32], allowed: "
                    "NDArray[numpy.uint8] | None) -> tuple[NDArray[numpy.int64], NDArray[numpy.int32], "
                    "NDArray[numpy.float64]]"),
            "(begin, label, log P(word | label)) for the strings that codes name.")
        .def_prop_ro("unseen", &Lexicon::unseen, "The probability that the next word is an unseen one.")
        .def(
            "known_mass",
            [](const Lexicon& lexicon, const Out<double>& mass) {
                Unlocked unlocked;
                lexicon.known_mass(mass.data());
            },
            "mass"_a.noconvert(), "The sum of P(word | label) over all known words, for every label.")
        .def("label_ids", &label_ids, "pool"_a, "codes"_a.noconvert(), "offsets"_a.noconvert(),
             "moves"_a.noconvert(), "last"_a.noconvert().none(), "order"_a, "allowed"_a.noconvert().none(),
             "ids"_a.noconvert(), "threads"_a,
             "Best labels of all tokens; the first sentence that has no path, or -1.");
}

}  // namespace seqlab::bind

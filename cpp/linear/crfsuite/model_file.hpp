// A model file of CRFsuite, used as it lies in memory: no table is built, so that the first sequence is scored a few
// microseconds after the file was read. Every number is checked where it is used; for a file with a wrong one the
// answer is "damaged", and the reader in Python, which looks at everything, then says what is wrong.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "linear/crfsuite/names.hpp"
#include "linear/crfsuite/weight.hpp"
#include "linear/data/feature_rows.hpp"

namespace seqlab {

class CrfsuiteFile {
public:
    // The file with this content, which must stay where it is; nothing if its chunks do not fit into it.
    static std::optional<CrfsuiteFile> of(std::string_view content);

    std::size_t L() const { return labels_.size(); }
    const CrfsuiteNames& labels() const { return labels_; }
    const CrfsuiteNames& attributes() const { return attributes_; }

    // Add the weights of transitions to edge (L, L); false for a damaged file. Both sums may be no finite numbers if a
    // weight is none.
    bool transitions(double* edge) const;
    // eq:linear-score   add value * weight of each attribute to node (tokens, L), in the given order; false for a
    // damaged file. The numbers are those that attributes() has found.
    bool score(const Entries& entries, double* node) const;
    // The file as the text of `crfsuite dump`; nothing for a damaged file.
    std::optional<std::string> text() const;

private:
    // The weights of one label or attribute: their numbers stand one after another.
    struct List {
        const char* numbers = nullptr;
        std::size_t size = 0;
    };
    // A chunk of lists: the place of each.
    struct Lists {
        const char* places = nullptr;
        std::size_t size = 0;
    };

    CrfsuiteFile(std::string_view content, CrfsuiteNames labels, CrfsuiteNames attributes)
        : content_(content), labels_(labels), attributes_(attributes) {}

    std::optional<Lists> lists(std::string_view name, std::size_t begin, std::size_t least) const;
    std::optional<List> list(const Lists& lists, std::size_t owner) const;
    // f(label, weight) for each weight of a label or attribute; false where one is wrong. A weight may be no finite
    // number: then no sum with it is one.
    template <class F>
    bool each(const Lists& lists, std::uint32_t kind, std::size_t owner, F f) const;

    std::string_view content_;
    CrfsuiteNames labels_, attributes_;
    const char* weights_ = nullptr;
    std::size_t weight_count_ = 0;
    Lists of_label_, of_attribute_;
};

template <class F>
bool CrfsuiteFile::each(const Lists& lists, std::uint32_t kind, std::size_t owner, F f) const {
    const auto own = list(lists, owner);
    if (!own) return false;
    const char* const begin = own->numbers;
    const char* const end = begin + 4 * own->size;
    for (const char* at = begin; at < end; at += 4) {
        const std::size_t number = number_at(at);
        if (number >= weight_count_) return false;
        const auto found = CrfsuiteWeight::at(weights_ + CrfsuiteWeight::bytes * number);
        if (found.kind != kind || found.source != owner || found.target >= L()) return false;
        f(found.target, found.weight);
    }
    return true;
}

}  // namespace seqlab

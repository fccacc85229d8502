#include "linear/crfsuite/model_file.hpp"

#include <algorithm>

namespace seqlab {

namespace {

constexpr std::size_t file_head = 48, chunk_head = 12;

}  // namespace

std::optional<CrfsuiteFile> CrfsuiteFile::of(std::string_view content) {
    if (content.size() < file_head || content.substr(0, 4) != "lCRF" || content.substr(8, 4) != "FOMC")
        return std::nullopt;
    const auto field = [&](std::size_t i) -> std::size_t { return number_at(content.data() + 4 * i); };
    const std::size_t version = field(3), L = field(5), K = field(6), at_weights = field(7);
    if (field(1) > content.size() || version != 100) return std::nullopt;
    const auto labels = CrfsuiteNames::at(content, field(8), L);
    const auto attributes = CrfsuiteNames::at(content, field(9), K);
    if (!labels || !attributes) return std::nullopt;
    if (at_weights > content.size() || content.size() - at_weights < chunk_head) return std::nullopt;
    CrfsuiteFile file(content, *labels, *attributes);
    file.weight_count_ = number_at(content.data() + at_weights + 8);
    file.weights_ = content.data() + at_weights + chunk_head;
    const std::size_t room = content.size() - at_weights - chunk_head;
    if (content.substr(at_weights, 4) != "FEAT" || file.weight_count_ > room / CrfsuiteWeight::bytes)
        return std::nullopt;
    const auto of_label = file.lists("LFRF", field(10), L), of_attribute = file.lists("AFRF", field(11), K);
    if (!of_label || !of_attribute) return std::nullopt;
    file.of_label_ = *of_label;
    file.of_attribute_ = *of_attribute;
    return file;
}

std::optional<CrfsuiteFile::Lists> CrfsuiteFile::lists(std::string_view name, std::size_t begin,
                                                       std::size_t least) const {
    if (begin > content_.size() || content_.size() - begin < chunk_head || content_.substr(begin, 4) != name)
        return std::nullopt;
    const std::size_t size = number_at(content_.data() + begin + 8);
    if (size < least || size > (content_.size() - begin - chunk_head) / 4) return std::nullopt;
    return Lists{content_.data() + begin + chunk_head, size};
}

std::optional<CrfsuiteFile::List> CrfsuiteFile::list(const Lists& lists, std::size_t owner) const {
    const std::size_t place = number_at(lists.places + 4 * owner);
    if (place > content_.size() || content_.size() - place < 4) return std::nullopt;
    const std::size_t size = number_at(content_.data() + place);
    if (size > (content_.size() - place - 4) / 4) return std::nullopt;
    return List{content_.data() + place + 4, size};
}

bool CrfsuiteFile::transitions(double* edge) const {
    for (std::size_t from = 0; from < L(); ++from) {
        const auto add = [&](std::size_t to, double weight) { edge[from * L() + to] += weight; };
        if (!each(of_label_, CrfsuiteWeight::move, from, add)) return false;
    }
    return true;
}

bool CrfsuiteFile::score(const Entries& entries, double* node) const {
    constexpr std::size_t together = CrfsuiteNames::together;
    const auto count = static_cast<std::size_t>(entries.indptr.back());
    std::size_t token = 0;
    for (std::size_t first = 0; first < count; first += together) {
        const std::size_t last = std::min(first + together, count);
        // One pass for each of three waits for memory: the place of the list, the list, the first weight.
        for (std::size_t i = first; i < last; ++i) {
            const std::int32_t id = entries.ids[i];
            if (id == CrfsuiteNames::damaged) return false;
            if (id >= 0) __builtin_prefetch(of_attribute_.places + 4 * static_cast<std::size_t>(id));
        }
        const auto known = [&](auto f) {
            for (std::size_t i = first; i < last; ++i)
                if (entries.ids[i] >= 0) f(i, static_cast<std::size_t>(entries.ids[i]));
        };
        known([&](std::size_t, std::size_t id) {
            const std::size_t place = number_at(of_attribute_.places + 4 * id);
            __builtin_prefetch(content_.data() + std::min(place, content_.size() - 1));
        });
        known([&](std::size_t, std::size_t id) {
            const auto own = list(of_attribute_, id);
            if (!own || own->size == 0) return;
            const std::size_t number = std::min<std::size_t>(number_at(own->numbers), weight_count_);
            __builtin_prefetch(weights_ + CrfsuiteWeight::bytes * number);
        });
        bool sound = true;
        known([&](std::size_t i, std::size_t id) {
            while (static_cast<std::size_t>(entries.indptr[token + 1]) <= i) ++token;
            double* const row = node + token * L();
            const double value = entries.values ? entries.values[i] : 1.0;
            const auto add = [&](std::size_t label, double weight) { row[label] += weight * value; };
            sound = sound && each(of_attribute_, CrfsuiteWeight::state, id, add);
        });
        if (!sound) return false;
    }
    return true;
}

}  // namespace seqlab

#include <array>
#include <charconv>
#include <cmath>

#include "linear/crfsuite/model_file.hpp"

namespace seqlab {

namespace {

constexpr std::array header = {"size",       "type",          "version",      "num_features",
                               "num_labels", "num_attrs",     "off_features", "off_labels",
                               "off_attrs",  "off_labelrefs", "off_attrrefs"};

// Text that grows, with numbers as printf writes them.
class Text {
public:
    template <class... Parts>
    void add(const Parts&... parts) {
        (text_.append(parts), ...);
    }
    void number(std::uint32_t value) {
        put(std::to_chars(room_.data(), room_.data() + room_.size(), value).ptr);
    }
    void hexadecimal(std::uint32_t value) {  // %X
        constexpr const char* digits = "0123456789ABCDEF";
        char* at = room_.data() + room_.size();
        do *--at = digits[value % 16];
        while (value /= 16);
        text_.append(at, room_.data() + room_.size());
    }
    void padded(std::uint32_t value) {  // %5d
        const char* const end = std::to_chars(room_.data(), room_.data() + room_.size(), value).ptr;
        const auto size = static_cast<std::size_t>(end - room_.data());
        text_.append(size < 5 ? 5 - size : 0, ' ');
        put(end);
    }
    void weight(double value) {  // %f
        put(std::to_chars(room_.data(), room_.data() + room_.size(), value, std::chars_format::fixed, 6).ptr);
    }
    std::string taken() { return std::move(text_); }

private:
    void put(const char* end) { text_.append(room_.data(), static_cast<std::size_t>(end - room_.data())); }

    std::string text_;
    std::array<char, 400> room_;  // the largest double has 309 digits
};

}  // namespace

std::optional<std::string> CrfsuiteFile::text() const {
    Text text;
    text.add("FILEHEADER = {\n  magic: ", content_.substr(0, 4), "\n");
    for (std::size_t i = 0; i < header.size(); ++i) {
        const std::uint32_t field = number_at(content_.data() + 4 * (i + 1));
        text.add("  ", header[i], ": ");
        if (i == 1) {
            text.add(content_.substr(8, 4));
        } else if (i < 6) {
            text.number(field);
        } else {
            text.add("0x");
            text.hexadecimal(field);
        }
        text.add("\n");
    }
    const auto list = [&](const char* title, const CrfsuiteNames& names) {
        text.add("}\n\n", title, " = {\n");
        for (std::size_t i = 0; i < names.size(); ++i) {
            const auto name = names.name(i);
            if (!name) return false;
            text.add("  ");
            text.padded(static_cast<std::uint32_t>(i));
            text.add(": ", *name, "\n");
        }
        return true;
    };
    if (!list("LABELS", labels_) || !list("ATTRIBUTES", attributes_)) return std::nullopt;
    const auto weights = [&](const char* title, const CrfsuiteNames& names, const Lists& lists,
                             std::uint32_t kind, const char* mark) {
        text.add("}\n\n", title, " = {\n");
        for (std::size_t i = 0; i < names.size(); ++i) {
            const std::string_view source = *names.name(i);
            bool finite = true;
            const bool sound = each(lists, kind, i, [&](std::size_t label, double weight) {
                finite = finite && std::isfinite(weight);
                text.add("  (", mark, ") ", source, " --> ", *labels_.name(label), ": ");
                text.weight(weight);
                text.add("\n");
            });
            if (!sound || !finite) return false;
        }
        return true;
    };
    if (!weights("TRANSITIONS", labels_, of_label_, CrfsuiteWeight::move, "1") ||
        !weights("STATE_FEATURES", attributes_, of_attribute_, CrfsuiteWeight::state, "0"))
        return std::nullopt;
    text.add("}\n\n");
    return text.taken();
}

}  // namespace seqlab

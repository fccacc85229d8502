#include "corpus/json_batch.hpp"

#include <algorithm>

#include "base/text/utf8.hpp"

namespace seqlab {

namespace {

class JsonBatchReader {
public:
    JsonBatchReader(std::string_view json, StringPool& pool)
        : at_(json.data()), end_(at_ + json.size()), pool_(pool) {}

    bool read() {
        if (!skip('{')) return false;
        do {
            if (!member()) return false;
        } while (skip(','));
        if (!skip('}')) return false;
        blanks();
        return at_ == end_ && seen_;
    }

    JsonBatch batch;

private:
    void blanks() {
        while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\t' || *at_ == '\r')) ++at_;
    }
    bool skip(char wanted) {
        blanks();
        if (at_ == end_ || *at_ != wanted) return false;
        ++at_;
        return true;
    }

    bool member() {
        std::string_view text;
        if (!string(text)) return false;
        const bool is_batch = text == "batch";
        if (!is_batch && text != "model") return false;
        if (!skip(':')) return false;
        if (is_batch) return !seen_ && (seen_ = true) && list([this] { return sentence(); });
        if (batch.model || !string(text)) return false;
        batch.model = text;
        return true;
    }
    bool sentence() {
        if (!list([this] { return token(); })) return false;
        const auto end = static_cast<std::int64_t>(batch.codes.size());
        batch.longest = std::max(batch.longest, end - batch.offsets.back());
        batch.offsets.push_back(end);
        return true;
    }
    bool token() {
        std::string_view text;
        if (!string(text)) return false;
        batch.codes.push_back(pool_.intern(text));
        return true;
    }
    template <class Item>
    bool list(Item item) {
        if (!skip('[')) return false;
        if (skip(']')) return true;
        do {
            if (!item()) return false;
        } while (skip(','));
        return skip(']');
    }

    // Find the text of a string: in place, or, when it has escapes, in `unescaped_`.
    bool string(std::string_view& text) {
        if (!skip('"')) return false;
        const char* begin = at_;
        while (at_ != end_ && *at_ != '"' && *at_ != '\\') {
            if (static_cast<unsigned char>(*at_) < 0x20) return false;
            ++at_;
        }
        if (at_ == end_) return false;
        if (*at_ == '"') {
            text = {begin, static_cast<std::size_t>(at_++ - begin)};
            return true;
        }
        unescaped_.assign(begin, at_);
        if (!rest_of_string()) return false;
        text = unescaped_;
        return true;
    }
    bool rest_of_string() {
        while (at_ != end_) {
            const char c = *at_++;
            if (c == '"') return true;
            if (static_cast<unsigned char>(c) < 0x20) return false;
            if (c != '\\')
                unescaped_.push_back(c);
            else if (!escape())
                return false;
        }
        return false;
    }
    bool escape() {
        if (at_ == end_) return false;
        const char c = *at_++;
        if (c == 'u') return code_point();
        constexpr std::string_view letters = "\"\\/bfnrt", meanings = "\"\\/\b\f\n\r\t";
        const std::size_t i = letters.find(c);
        if (i == std::string_view::npos) return false;
        unescaped_.push_back(meanings[i]);
        return true;
    }
    bool code_point() {
        char32_t c = 0, low = 0;
        if (!four_digits(c)) return false;
        if (c >= 0xDC00 && c < 0xE000) return false;
        if (c >= 0xD800 && c < 0xDC00) {
            if (end_ - at_ < 2 || at_[0] != '\\' || at_[1] != 'u') return false;
            at_ += 2;
            if (!four_digits(low) || low < 0xDC00 || low >= 0xE000) return false;
            c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
        }
        append_code_point(unescaped_, c);
        return true;
    }
    bool four_digits(char32_t& number) {
        if (end_ - at_ < 4) return false;
        for (int i = 0; i < 4; ++i) {
            const char c = *at_++;
            const int digit = c >= '0' && c <= '9'   ? c - '0'
                              : c >= 'a' && c <= 'f' ? c - 'a' + 10
                              : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                     : -1;
            if (digit < 0) return false;
            number = number << 4 | static_cast<char32_t>(digit);
        }
        return true;
    }

    const char* at_;
    const char* end_;
    StringPool& pool_;
    std::string unescaped_;
    bool seen_ = false;
};

}  // namespace

std::optional<JsonBatch> read_json_batch(std::string_view json, StringPool& pool) {
    if (first_bad_utf8(json) != json.size()) return std::nullopt;
    JsonBatchReader reader(json, pool);
    if (!reader.read()) return std::nullopt;
    return std::move(reader.batch);
}

std::string write_json_labels(std::span<const std::int32_t> ids, std::span<const std::int64_t> offsets,
                              std::span<const std::string> names) {
    std::string out = "[";
    out.reserve(16 * (offsets.size() + ids.size()));
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
        out += s == 0 ? "{\"labels\":[" : ",{\"labels\":[";
        for (auto t = offsets[s]; t < offsets[s + 1]; ++t) {
            if (t > offsets[s]) out.push_back(',');
            out += names[static_cast<std::size_t>(ids[static_cast<std::size_t>(t)])];
        }
        out += "]}";
    }
    out.push_back(']');
    return out;
}

}  // namespace seqlab

#include "linear/crfsuite/names.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace seqlab {

namespace {

constexpr std::size_t head = 24, tables = 256, bucket = 8, record_head = 8;
constexpr std::uint32_t byte_order = 0x62445371;

// Bob Jenkins' hash "lookup3" of a key that is not empty (hashlittle, from 0).
std::uint32_t lookup3(std::string_view key) {
    std::uint32_t a = 0xDEADBEEFU + static_cast<std::uint32_t>(key.size()), b = a, c = a;
    const auto step = [](std::uint32_t& x, std::uint32_t& y, const std::uint32_t& z, int bits) {
        x -= y;
        x ^= std::rotl(y, bits);
        y += z;
    };
    const char* at = key.data();
    std::size_t left = key.size();
    for (; left > 12; left -= 12, at += 12) {
        a += number_at(at);
        b += number_at(at + 4);
        c += number_at(at + 8);
        step(a, c, b, 4);
        step(b, a, c, 6);
        step(c, b, a, 8);
        step(a, c, b, 16);
        step(b, a, c, 19);
        step(c, b, a, 4);
    }
    std::array<char, 12> last{};
    std::memcpy(last.data(), at, left);
    a += number_at(last.data());
    b += number_at(last.data() + 4);
    c += number_at(last.data() + 8);
    const auto end = [](std::uint32_t& x, std::uint32_t y, int bits) {
        x ^= y;
        x -= std::rotl(y, bits);
    };
    end(c, b, 14);
    end(a, c, 11);
    end(b, a, 25);
    end(c, b, 16);
    end(a, c, 4);
    end(b, a, 14);
    end(c, b, 24);
    return c;
}

}  // namespace

std::optional<CrfsuiteNames> CrfsuiteNames::at(std::string_view file, std::size_t begin, std::size_t count) {
    if (begin > file.size() || file.size() - begin < head + bucket * tables) return std::nullopt;
    const std::size_t size = number_at(file.data() + begin + 4);
    if (file.substr(begin, 4) != "CQDB" || number_at(file.data() + begin + 12) != byte_order ||
        size < head + bucket * tables || size > file.size() - begin)
        return std::nullopt;
    const std::size_t places = number_at(file.data() + begin + 20);
    if (count > 0 && (places > size || count > (size - places) / 4)) return std::nullopt;
    return CrfsuiteNames(file.substr(begin, size), places, count);
}

CrfsuiteNames::Record CrfsuiteNames::record(std::size_t place) const {
    if (place > chunk_.size() || chunk_.size() - place < record_head) return {};
    const std::size_t length = number_at(chunk_.data() + place + 4);
    if (length == 0 || length > chunk_.size() - place - record_head) return {};
    const std::string_view key = chunk_.substr(place + record_head, length);
    return key.back() == '\0' ? Record{number_at(chunk_.data() + place), key} : Record{};
}

std::optional<std::string_view> CrfsuiteNames::name(std::size_t number) const {
    const Record found = record(number_at(chunk_.data() + places_ + 4 * number));
    if (found.key.empty() || found.number != number) return std::nullopt;
    return found.key.substr(0, found.key.size() - 1);
}

std::optional<CrfsuiteNames::Table> CrfsuiteNames::table(std::uint32_t code) const {
    const char* const at = chunk_.data() + head + bucket * (code % tables);
    const std::size_t first = number_at(at), size = number_at(at + 4);
    if (size > 0 && (first > chunk_.size() || size > (chunk_.size() - first) / bucket)) return std::nullopt;
    return Table{first, size};
}

std::int32_t CrfsuiteNames::find(std::string_view key, std::uint32_t code) const {
    const auto own = table(code);
    if (!own) return damaged;
    for (std::size_t tries = 0, i = own->size ? (code / tables) % own->size : 0; tries < own->size; ++tries) {
        const char* const at = chunk_.data() + own->first + bucket * i;
        const std::size_t place = number_at(at + 4);
        if (place == 0) return absent;
        if (number_at(at) == code) {
            const Record found = record(place);
            if (found.key.empty() || found.number >= count_) return damaged;
            if (found.key == key) return static_cast<std::int32_t>(found.number);
        }
        if (++i == own->size) i = 0;
    }
    return absent;
}

void CrfsuiteNames::find(std::span<const std::string_view> names, std::int32_t* numbers) const {
    std::array<std::string_view, together> keys;
    std::array<std::uint32_t, together> code;
    std::array<const char*, together> first;
    for (std::size_t k = 0; k < names.size(); ++k) {
        const char* const text = names[k].data();
        const auto* const end = static_cast<const char*>(std::memchr(text, '\0', names[k].size() + 1));
        keys[k] = {text, static_cast<std::size_t>(end - text) + 1};
        code[k] = lookup3(keys[k]);
        const auto own = table(code[k]);
        const bool some = own && own->size > 0;
        first[k] = some ? chunk_.data() + own->first + bucket * ((code[k] / tables) % own->size) : nullptr;
        __builtin_prefetch(first[k]);
    }
    for (std::size_t k = 0; k < names.size(); ++k) {
        if (first[k] == nullptr) continue;
        __builtin_prefetch(chunk_.data() + std::min<std::size_t>(number_at(first[k] + 4), chunk_.size() - 1));
    }
    for (std::size_t k = 0; k < names.size(); ++k) numbers[k] = find(keys[k], code[k]);
}

}  // namespace seqlab

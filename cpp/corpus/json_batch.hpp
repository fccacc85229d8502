// Sentences of a request as JSON, read into numbered strings at once, and their labels as the JSON of its answer.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/string_pool.hpp"

namespace seqlab {

struct JsonBatch {
    std::vector<StringId> codes;
    std::vector<std::int64_t> offsets{0};  // N + 1
    std::int64_t longest = 0;              // tokens of the longest sentence
    std::optional<std::string> model;
};

// Read {"batch": [["the", "dog"], ...]}, with or without a member "model" that is a string. Nothing for anything else,
// be it sound JSON or not: a reader of all JSON then says what it is. So are strings with half a surrogate pair, and a
// member that comes twice.
std::optional<JsonBatch> read_json_batch(std::string_view json, StringPool& pool);

// Write [{"labels":["D","N"]},...]. `names` has each label as JSON; every id is one of them.
std::string write_json_labels(std::span<const std::int32_t> ids, std::span<const std::int64_t> offsets,
                              std::span<const std::string> names);

}  // namespace seqlab

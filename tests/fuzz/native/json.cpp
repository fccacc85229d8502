// Requests of the service: sentences as JSON, and labels as JSON.
#include <string>

#include "base/text/utf8.hpp"
#include "corpus/json_batch.hpp"
#include "input.hpp"

using namespace seqlab;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::vector<char> copy(data, data + size);
    StringPool pool;
    const auto batch = read_json_batch({copy.data(), copy.size()}, pool);
    for (std::size_t i = 0; i < pool.size(); ++i) {
        const std::string_view word = pool.at(static_cast<StringId>(i));
        fuzz::law(first_bad_utf8(word) == word.size(), "words are sound UTF-8");
    }
    if (!batch) return 0;
    fuzz::law(std::is_sorted(batch->offsets.begin(), batch->offsets.end()), "sentences rise");
    fuzz::law(batch->offsets.back() == static_cast<std::int64_t>(batch->codes.size()),
              "sentences have all words");
    for (const StringId code : batch->codes)
        fuzz::law(code >= 0 && code < static_cast<StringId>(pool.size()), "codes are numbers of strings");
    const std::vector<std::string> names(pool.size(), "\"L\"");
    const std::string labels = write_json_labels(batch->codes, batch->offsets, names);
    fuzz::law(labels.size() >= 2 + 4 * batch->codes.size() - (batch->codes.empty() ? 0 : 1),
              "every word has a label");
    return 0;
}

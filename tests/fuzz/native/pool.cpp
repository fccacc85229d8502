// Pools of strings whose arrays lie in a mapped file: any numbers, any sizes. Every search ends, and a string of the pool
// lies within it.
#include <bit>
#include <string>

#include "base/text/string_pool.hpp"
#include "input.hpp"

using namespace seqlab;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Input input(data, size);
    const auto slots = fuzz::array_of<std::uint64_t>(input.text(8 << input.below(5)));
    const auto begins = fuzz::array_of<std::int64_t>(input.text(8 * input.below(16)));
    const std::string_view rest = input.rest();
    const std::vector<char> bytes(rest.begin(), rest.end());
    if (!std::has_single_bit(slots.size())) return 0;  // as the door has seen to
    StringPool pool(bytes, begins, slots, nullptr);
    std::vector<std::string> texts{"", "a", "the", "longer than eight"};
    for (std::size_t i = 0; i < pool.size(); ++i) {
        const std::string_view text = pool.at(static_cast<StringId>(i));
        fuzz::law(text.empty() || (text.data() >= bytes.data() && text.size() <= bytes.size()),
                  "strings are inside");
        texts.emplace_back(text);
    }
    const std::vector<std::string_view> views(texts.begin(), texts.end());
    std::vector<StringId> ids(views.size());
    pool.find(views, ids.data());
    for (std::size_t i = 0; i < ids.size(); ++i) {
        fuzz::law(ids[i] >= -1 && ids[i] < static_cast<StringId>(pool.size()),
                  "numbers of strings are below their count");
        fuzz::law(ids[i] == -1 || pool.at(ids[i]) == views[i], "a string that is found is the one");
        const StringId alone = pool.find(views[i]);
        fuzz::law(alone == -1 || pool.at(alone) == views[i], "alone as together");
    }
    // A pool that gets a new string makes its arrays anew; each string is found from then on.
    StringPool own(pool);
    own.intern("new here");
    own.intern(views, ids.data());
    for (std::size_t i = 0; i < ids.size(); ++i)
        fuzz::law(own.at(ids[i]) == views[i], "what is added is there");
    StringPool moved(std::move(own));
    fuzz::law(moved.find("new here") != StringPool::absent, "what is moved is there");
    return 0;
}

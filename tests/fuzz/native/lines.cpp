// A sentence a line: plain text, and word/TAG.
#include "blocks.hpp"
#include "corpus/line_reader.hpp"

using namespace seqlab;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Input input(data, size);
    const bool tagged = input.yes();
    const std::size_t longest = input.yes() ? 64 : std::size_t{1} << 20, block = 1 + input.below(64);
    const std::string_view text = input.rest();
    LineReader one(tagged, longest), other(tagged, longest);
    const auto whole = fuzz::read_in_blocks(one, text, text.size() + 1, true);
    fuzz::check(whole.table);
    fuzz::check_same(whole, fuzz::read_in_blocks(other, text, block, true));
    return 0;
}

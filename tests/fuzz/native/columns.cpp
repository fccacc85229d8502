// CoNLL and CoNLL-U: any rules, then any file.
#include "blocks.hpp"
#include "corpus/column_reader.hpp"

using namespace seqlab;

namespace {

ColumnRules rules_of(fuzz::Input& input) {
    ColumnRules rules;
    const std::uint8_t flags = input.number<std::uint8_t>();
    rules.docstart = flags & 1;
    if (flags & 2) rules.comment = "#";
    if (flags & 4) {  // CoNLL-U
        rules.separator = '\t';
        rules.width = 10;
        rules.comment = "#";
        rules.docstart = false;
        rules.numbered = true;
    } else {
        constexpr char separators[] = {'\0', '\t', ' ', ',', '|', 'e'};
        rules.separator = separators[input.below(6)];
        rules.width = input.below(5);
    }
    for (std::size_t left = input.below(4); left > 0 && (rules.numbered || rules.width == 0); --left)
        rules.picks.push_back(static_cast<int>(input.below(20)) - 10);
    return rules;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Input input(data, size);
    const ColumnRules rules = rules_of(input);
    const std::size_t longest = input.yes() ? 64 : std::size_t{1} << 20, block = 1 + input.below(64);
    const std::string_view text = input.rest();
    ColumnReader one(rules, longest), other(rules, longest);
    const auto whole = fuzz::read_in_blocks(one, text, text.size() + 1, false);
    fuzz::check(whole.table);
    fuzz::check_same(whole, fuzz::read_in_blocks(other, text, block, false));
    return 0;
}

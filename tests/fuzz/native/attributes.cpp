// CRFsuite's files of attributes.
#include "blocks.hpp"
#include "corpus/attribute_reader.hpp"

using namespace seqlab;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Input input(data, size);
    const std::size_t longest = input.yes() ? 64 : std::size_t{1} << 20, block = 1 + input.below(64);
    const std::string_view text = input.rest();
    AttributeReader one(longest), other(longest);
    const auto whole = fuzz::read_in_blocks(one, text, text.size() + 1, false);
    fuzz::check(whole.table);
    fuzz::check_same(whole, fuzz::read_in_blocks(other, text, block, false));
    const Bag bag = one.take_bag(), same = other.take_bag();
    fuzz::check_pool(bag.pool, bag.codes, 0);
    fuzz::law(std::is_sorted(bag.indptr.begin(), bag.indptr.end()), "bags rise");
    fuzz::law(bag.indptr.back() <= static_cast<std::int64_t>(bag.codes.size()), "bags have all attributes");
    fuzz::law(bag.weights.empty() || bag.weights.size() == bag.codes.size(), "every attribute has a weight");
    if (!whole.error)
        fuzz::law(bag.codes == same.codes && bag.weights == same.weights && bag.indptr == same.indptr,
                  "blocks do not change the attributes");
    return 0;
}

// A decoder whose arrays lie in a file that holds any numbers, of any sizes: labels may be wrong, and nothing else.
#include "linear/tagging/row_decoder.hpp"
#include "template_model.hpp"

using namespace seqlab;

namespace {

template <class X>
void alter(fuzz::Input& input, std::vector<X>& array) {
    if (input.below(8) == 0) array.resize(input.below(2 * array.size() + 2));
    if (array.empty()) return;
    const std::size_t at = input.below(array.size());
    switch (input.below(4)) {
        case 0:
            array[at] = input.number<X>();
            break;
        case 1:
            array[at] = static_cast<X>(input.number<std::int8_t>());
            break;
        case 2:
            array[at] = array[input.below(array.size())];
            break;
        default:
            std::memset(&array[at], 0xFF, sizeof(X));
    }
}

// Sizes that the door checks stay as it wants them.
void alter_strings(fuzz::Input& input, fuzz::Arrays::Strings& strings) {
    switch (input.below(3)) {
        case 0:
            alter(input, strings.bytes);
            break;
        case 1:
            alter(input, strings.begins);
            break;
        default: {
            const std::size_t slots = strings.slots.size();
            alter(input, strings.slots);
            strings.slots.resize(input.below(16) == 0 ? std::size_t{1} << input.below(6) : slots,
                                 ~std::uint64_t{0});
        }
    }
}

template <class X>
X& some(fuzz::Input& input, std::vector<X>& all) {
    return all[input.below(all.size())];
}

void alter_one(fuzz::Input& input, fuzz::Arrays& arrays) {
    switch (input.below(11)) {
        case 0:
            return alter_strings(input, some(input, arrays.values));
        case 1:
            return alter_strings(input, some(input, arrays.words));
        case 2:
            return alter(input, some(input, arrays.places));
        case 3:
            return alter(input, some(input, arrays.owners));
        case 4:
            return alter(input, arrays.chains);
        case 5:
            alter(input, arrays.buckets);
            return arrays.buckets.resize(std::max<std::size_t>(arrays.buckets.size(), 8), ~std::uint64_t{0});
        case 6:
            return alter(input, arrays.rows);
        case 7:
            return alter(input, some(input, arrays.word_values));
        case 8:
            return alter(input, some(input, arrays.word_rows));
        case 9:
            return alter(input, arrays.label);
        default:
            return alter(input, arrays.weights);
    }
}

// The decoder of ready-made attributes, on places that are those of a table or any others.
void decode_rows(fuzz::Input& input, const fuzz::TemplateModel& model, const fuzz::Arrays& arrays) {
    std::vector<std::uint64_t> places = fuzz::array_of<std::uint64_t>(input.text(8 * input.below(8)));
    for (const std::vector<std::uint64_t>& some : arrays.places)
        places.insert(places.end(), some.begin(), some.end());
    const RowDecoder decoder({arrays.label, arrays.weights, {}}, arrays.rows, places, model.chain());
    std::vector<std::int64_t> indptr{0}, offsets{0};
    std::vector<std::int32_t> ids;
    while (!input.empty() && indptr.size() < 64) {
        for (std::size_t left = input.below(6); left > 0; --left) ids.push_back(input.number<std::int8_t>());
        indptr.push_back(static_cast<std::int64_t>(ids.size()));
    }
    offsets.push_back(static_cast<std::int64_t>(indptr.size() - 1));
    std::vector<Label> labels(indptr.size() - 1, -1);
    decoder({indptr, ids.data(), nullptr}, offsets.data(), 1, labels.data(), 1);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Input input(data, size);
    const fuzz::TemplateModel model(input);
    fuzz::Arrays arrays(model);
    const fuzz::Words words(input);
    for (std::size_t left = input.below(12); left > 0; --left) alter_one(input, arrays);
    std::vector<float> node;
    fuzz::decoded(model, arrays, words, node);
    decode_rows(input, model, arrays);
    return 0;
}

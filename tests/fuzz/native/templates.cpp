// Any template, corpus and weights: the decoder's tables give the scores of the definition, and a bank that is stored
// and restored finds the same attributes.
#include "template_model.hpp"

using namespace seqlab;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Input input(data, size);
    const fuzz::TemplateModel model(input);
    const fuzz::Words words(input);
    const auto look_up = [&](const Bank& bank, std::vector<std::int32_t>& ids,
                             std::vector<std::int64_t>& indptr) {
        ids.assign(words.tokens() * bank.stride(), -1);
        indptr.assign(words.tokens() + 1, 0);
        ids.resize(bank.look_up(words.table(), ids.data(), indptr.data(), 1));
    };
    std::vector<std::int32_t> ids, again;
    std::vector<std::int64_t> indptr, same;
    look_up(*model.bank, ids, indptr);
    Bank restored(model.values(), model.features, fuzz::Words::columns, false);
    restored.restore(model.bank->learned());
    look_up(restored, again, same);
    fuzz::law(ids == again && indptr == same, "a restored bank finds the same attributes");

    std::vector<float> node, wanted(words.tokens() * model.L);
    fuzz::decoded(model, fuzz::Arrays(model), words, node);
    Scorer<float>(model.observed(), model.weights.data(), model.L)({indptr, ids.data(), nullptr},
                                                                   wanted.data(), 1);
    fuzz::law(node == wanted, "the tables give the scores of the definition");
    return 0;
}

// Model files of CRFsuite, used as they lie in memory: names, weights, scores, the text of a dump, arrays.
#include <cmath>
#include <string>

#include "input.hpp"
#include "linear/crfsuite/model_file.hpp"
#include "linear/crfsuite/prepared_chain.hpp"
#include "linear/crfsuite/unfold.hpp"

using namespace seqlab;

namespace {

constexpr std::size_t most_labels = 300;  // a table of moves has their square

bool finite(const std::vector<double>& numbers) {
    return std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); });
}

// Names of the file, and some that it should not have, in one sequence.
void score(const CrfsuiteFile& file, const std::vector<double>& edge) {
    std::vector<std::string> texts{"", "w=the", "bias", std::string("a\0b", 3)};
    for (std::size_t i = 0; i < std::min<std::size_t>(file.attributes().size(), 40); ++i)
        if (const auto name = file.attributes().name(i)) texts.emplace_back(*name);
    const std::vector<std::string_view> names(texts.begin(), texts.end());
    std::vector<std::int32_t> ids(names.size());
    file.attributes().find(names, ids.data());
    for (const std::int32_t id : ids)
        fuzz::law(id < static_cast<std::int32_t>(file.attributes().size()),
                  "a name has a number of the file");
    std::vector<std::int64_t> indptr{0};
    while (indptr.back() < static_cast<std::int64_t>(ids.size()))
        indptr.push_back(std::min<std::int64_t>(indptr.back() + 3, static_cast<std::int64_t>(ids.size())));
    const std::size_t T = indptr.size() - 1, L = file.L();
    std::vector<double> node(T * L);
    if (!file.score({indptr, ids.data(), nullptr}, node.data()) || !finite(node) || !finite(edge)) return;
    const PreparedChain chain(edge, L);
    std::vector<Label> path(T, -1);
    chain.best(node.data(), T, path.data());
    for (const Label y : path)
        fuzz::law(y >= 0 && static_cast<std::size_t>(y) < L, "labels are numbers of labels");
    std::vector<double> gamma(T * L);
    chain.marginals(node.data(), T, gamma.data());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::vector<char> copy(data, data + size);
    const std::string_view content(copy.data(), copy.size());
    const auto file = CrfsuiteFile::of(content);
    if (!file) return 0;
    unfold(file->labels());
    unfold(file->attributes());
    file->text();
    const std::size_t L = file->L(), K = file->attributes().size();
    if (L == 0 || L > most_labels) return 0;
    std::vector<double> edge(L * L);
    if (file->transitions(edge.data())) score(*file, edge);
    const std::size_t at = std::min<std::size_t>(number_at(content.data() + 28), content.size());
    if (K <= 4096) unfold(content.substr(std::min(at + 12, content.size())), K, L);
    return 0;
}

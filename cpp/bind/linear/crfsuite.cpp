// A model file of CRFsuite and sequences under it: from Python's lists and dicts to labels and probabilities in one
// call, without NumPy.
#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bind/batch.hpp"
#include "bind/corpus/items.hpp"
#include "bind/corpus/strings.hpp"
#include "linear/crfsuite/model_file.hpp"
#include "linear/crfsuite/prepared_chain.hpp"
#include "linear/crfsuite/unfold.hpp"

namespace seqlab::bind {

namespace {

bool all_finite(const std::vector<double>& numbers) {
    return std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); });
}

// The content of a file, and what every sequence needs of it.
class CrfsuiteModel {
public:
    CrfsuiteModel(nb::bytes content, const CrfsuiteFile& file, nb::list labels, std::vector<double> edge)
        : content_(std::move(content)),
          file_(file),
          labels_(std::move(labels)),
          chain_(std::move(edge), file.L()),
          reader_([this](std::span<const std::string_view> texts,
                         StringId* ids) { file_.attributes().find(texts, ids); },
                  Zeros::left_out) {
        for (std::size_t y = 0; y < labels_.size(); ++y) numbers_[labels_[y]] = y;
    }

    const nb::list& labels() const { return labels_; }
    const PreparedChain& chain() const { return chain_; }
    // Write the scores (T, L) of a sequence; false for unusual items, where the file is damaged, and for scores that
    // are no finite numbers. The GIL is held throughout, and no Python code runs.
    bool score(PyObject* items, std::vector<double>& node) {
        const NoCollection pause;
        reader_.clear();
        if (!reader_.read(items) || !reader_.settle()) return false;
        node.assign((reader_.indptr().size() - 1) * chain_.L(), 0.0);
        const double* const weights = reader_.weights().empty() ? nullptr : reader_.weights().data();
        return file_.score({reader_.indptr(), reader_.found().data(), weights}, node.data()) &&
               all_finite(node);
    }
    // Of a label that is a string of no other class: hashing and comparing it runs no Python code.
    std::optional<Label> number(nb::handle label) const {
        if (!PyUnicode_CheckExact(label.ptr())) return std::nullopt;
        PyObject* const found = PyDict_GetItemWithError(numbers_.ptr(), label.ptr());
        if (!found) return std::nullopt;
        return static_cast<Label>(PyLong_AsLong(found));
    }

private:
    const nb::bytes content_;
    const CrfsuiteFile file_;
    const nb::list labels_;
    nb::dict numbers_;
    const PreparedChain chain_;
    ItemReader<StringId> reader_;
};

// A sequence under a model: its scores, and its posterior once somebody has asked for it.
struct CrfsuiteSequence {
    nb::object keeper;  // of the model
    const CrfsuiteModel* model;
    std::vector<double> node;
    std::vector<double> posterior;
    double log_z = 0.0;

    std::size_t L() const { return model->chain().L(); }
    std::size_t T() const { return node.size() / L(); }
    // Call f, without the lock of Python if that takes long.
    template <class F>
    void computed(F f) const {
        constexpr std::size_t little = std::size_t{1} << 16;
        std::optional<Unlocked> unlocked;
        if (node.size() * L() > little) unlocked.emplace();
        f(model->chain());
    }
};

nb::object crfsuite_model(nb::bytes content) {
    const auto file = CrfsuiteFile::of({content.c_str(), content.size()});
    if (!file || file->L() == 0) return nb::none();
    nb::list labels;
    for (std::size_t y = 0; y < file->L(); ++y) {
        const auto name = file->labels().name(y);
        if (!name) return nb::none();
        const nb::object label =
            nb::steal(PyUnicode_DecodeUTF8(name->data(), static_cast<Py_ssize_t>(name->size()), nullptr));
        if (!label.is_valid()) {
            PyErr_Clear();
            return nb::none();
        }
        labels.append(label);
    }
    std::vector<double> edge(file->L() * file->L());
    if (!file->transitions(edge.data()) || !all_finite(edge)) return nb::none();
    return nb::cast(new CrfsuiteModel(content, *file, labels, std::move(edge)),
                    nb::rv_policy::take_ownership);
}

nb::object sequence(const nb::object& self, nb::handle items) {
    auto& model = nb::cast<CrfsuiteModel&>(self);
    CrfsuiteSequence sequence{self, &model, {}, {}};
    return model.score(items.ptr(), sequence.node) ? nb::cast(std::move(sequence)) : nb::none();
}

nb::object best_labels(const CrfsuiteSequence& self) {
    const std::size_t T = self.T();
    std::vector<Label> path(T);
    if (T > 0)
        self.computed([&](const PreparedChain& chain) { chain.best(self.node.data(), T, path.data()); });
    nb::object labels = nb::steal(PyList_New(static_cast<Py_ssize_t>(T)));
    if (!labels.is_valid()) throw nb::python_error();
    const ListView names(self.model->labels().ptr());
    for (std::size_t t = 0; t < T; ++t)
        set_item(labels.ptr(), static_cast<Py_ssize_t>(t), nb::borrow(names[path[t]]).release().ptr());
    return labels;
}

// Compute the posterior once; another thread may do so at the same time, with the same result.
void ask_posterior(CrfsuiteSequence& self) {
    if (!self.posterior.empty() || self.T() == 0) return;
    std::vector<double> posterior(self.node.size());
    double log_z = 0.0;
    self.computed([&](const PreparedChain& chain) {
        log_z = chain.marginals(self.node.data(), self.T(), posterior.data());
    });
    if (!self.posterior.empty()) return;
    self.log_z = log_z;
    self.posterior = std::move(posterior);
}

nb::object probability(CrfsuiteSequence& self, nb::handle labels) {
    if (!PyList_CheckExact(labels.ptr()) && !PyTuple_CheckExact(labels.ptr())) return nb::none();
    const ListView all(labels.ptr());
    if (self.T() == 0 || static_cast<std::size_t>(all.size()) != self.T()) return nb::none();
    std::vector<Label> path;
    path.reserve(self.T());
    for (Py_ssize_t t = 0; t < all.size(); ++t) {
        const std::optional<Label> y = self.model->number(all[t]);
        if (!y) return nb::none();
        path.push_back(*y);
    }
    ask_posterior(self);
    const double score = self.model->chain().score(self.node.data(), self.T(), path.data());
    return nb::float_(std::exp(std::min(score - self.log_z, 0.0)));
}

nb::object marginal(CrfsuiteSequence& self, nb::handle label, nb::handle position) {
    if (!PyLong_CheckExact(position.ptr())) return nb::none();
    const Py_ssize_t t = PyLong_AsSsize_t(position.ptr());
    if (t == -1 && PyErr_Occurred()) PyErr_Clear();
    const std::optional<Label> y = self.model->number(label);
    if (!y || t < 0 || static_cast<std::size_t>(t) >= self.T()) return nb::none();
    ask_posterior(self);
    return nb::float_(self.posterior[static_cast<std::size_t>(t) * self.L() + static_cast<std::size_t>(*y)]);
}

nb::list marginals(CrfsuiteSequence& self) {
    ask_posterior(self);
    const nb::list& labels = self.model->labels();
    nb::list rows;
    for (std::size_t t = 0; t < self.T(); ++t) {
        nb::dict row;
        for (std::size_t y = 0; y < labels.size(); ++y)
            row[labels[y]] = self.posterior[t * labels.size() + y];
        rows.append(row);
    }
    return rows;
}

}  // namespace

void bind_crfsuite(nb::module_& m) {
    nb::class_<CrfsuiteModel>(m, "CrfsuiteModel", "A model file of CRFsuite, used as it lies in memory.")
        .def_prop_ro("labels", &CrfsuiteModel::labels, nb::sig("def labels(self) -> list[str]"))
        .def("sequence", &sequence, "items"_a.none(),
             nb::sig("def sequence(self, items: object) -> CrfsuiteSequence | None"),
             "The scores of a sequence; None for unusual items, and where the file is damaged.");
    nb::class_<CrfsuiteSequence>(
        m, "CrfsuiteSequence",
        "A sequence under a model of CRFsuite. None is the answer to what is left to Python.")
        .def("__len__", &CrfsuiteSequence::T)
        .def("best", &best_labels, nb::sig("def best(self) -> list[str]"), "The best labels (eq:viterbi).")
        .def("probability", &probability, "labels"_a.none(),
             nb::sig("def probability(self, labels: object) -> float | None"), "P(y).")
        .def("marginal", &marginal, "label"_a.none(), "position"_a.none(),
             nb::sig("def marginal(self, label: object, position: object) -> float | None"),
             "P(y_t) (eq:node-marginal).")
        .def("marginals", &marginals, nb::sig("def marginals(self) -> list[dict[str, float]]"),
             "P(y_t) of every label at every position, by label.");
    m.def(
        "crfsuite_names",
        [](const nb::bytes& content, std::size_t begin, std::size_t count) -> nb::object {
            const auto names = CrfsuiteNames::at({content.c_str(), content.size()}, begin, count);
            std::optional<StringPool> pool;
            if (names) {
                Unlocked unlocked;
                pool = unfold(*names);
            }
            return pool ? nb::cast(*std::move(pool)) : nb::none();
        },
        "content"_a, "begin"_a, "count"_a,
        nb::sig("def crfsuite_names(content: bytes, begin: int, count: int) -> StringPool | None"),
        "A pool of the names in the chunk that begins here; None where one is wrong.");
    m.def(
        "crfsuite_weights",
        [](const nb::bytes& content, std::size_t begin, std::size_t end, std::size_t K,
           std::size_t L) -> nb::object {
            const std::string_view entries = std::string_view(content.c_str(), content.size()).substr(begin);
            std::optional<CrfsuiteWeights> found;
            {
                Unlocked unlocked;
                found = unfold(entries.substr(0, end - begin), K, L);
            }
            if (!found) return nb::none();
            return nb::make_tuple(as_array(std::move(found->attribute)), as_array(std::move(found->cell)),
                                  as_array(std::move(found->weight)), as_array(std::move(found->begin)),
                                  as_array(std::move(found->moves)), as_array(std::move(found->seen)));
        },
        "content"_a, "begin"_a, "end"_a, "K"_a, "L"_a,
        nb::sig("def crfsuite_weights(content: bytes, begin: int, end: int, K: int, L: int) -> "
                "tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.float64], "
                "NDArray[numpy.int64], NDArray[numpy.float64], NDArray[numpy.uint8]] | None"),
        "Attribute, label and weight of every entry, where those of each attribute begin, and (L * L) "
        "weights and "
        "presence of transitions; None where one is wrong, or they do not rise.");
    m.def(
        "crfsuite_text",
        [](const nb::bytes& content) -> nb::object {
            std::optional<std::string> text;
            {
                Unlocked unlocked;
                if (const auto file = CrfsuiteFile::of({content.c_str(), content.size()}))
                    text = file->text();
            }
            return text ? nb::object(nb::bytes(text->data(), text->size())) : nb::none();
        },
        "content"_a, nb::sig("def crfsuite_text(content: bytes) -> bytes | None"),
        "The text of `crfsuite dump`; None where the file is damaged.");
    m.def("crfsuite_model", &crfsuite_model, "content"_a,
          nb::sig("def crfsuite_model(content: bytes) -> CrfsuiteModel | None"),
          "The model of a file with this content; None where it is damaged.");
}

}  // namespace seqlab::bind

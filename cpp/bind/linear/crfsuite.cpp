// A model file of CRFsuite and sequences under it: from Python's lists and dicts to labels and probabilities in one
// call, without NumPy.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>

#include "bind/batch.hpp"
#include "bind/corpus/strings.hpp"
#include "linear/crfsuite/model_file.hpp"
#include "linear/crfsuite/prepared_chain.hpp"
#include "linear/crfsuite/unfold.hpp"

namespace seqlab::bind {

namespace {

// The attributes of a sequence of items: lists, tuples and sets of strings, dicts from strings to strings, numbers, and
// to such items again. For anything else (generators, bytes, wrong types) the answer is false, and the reader in
// Python, which knows all rules and messages, starts again.
class ItemTexts {
public:
    bool read(PyObject* sequence) {
        const ListView items(sequence);
        for (Py_ssize_t t = 0; t < items.size(); ++t, ++tokens_) {
            PyObject* const item = items[t];
            if (!ListView::is_list(item) && !PyAnySet_CheckExact(item) && !PyDict_CheckExact(item))
                return false;
            if (!read_item(item, 0)) return false;
        }
        return true;
    }
    // Read items that are lists of (attribute, value).
    bool read_pairs(const std::vector<std::vector<std::pair<std::string, double>>>& items) {
        for (const auto& item : items) {
            for (const auto& [name, value] : item) add(name, {}, value);
            ++tokens_;
        }
        return true;
    }

    void clear() {
        texts_.clear();
        found_.clear();
        around_.clear();
        tokens_ = 0;
    }
    std::size_t tokens() const { return tokens_; }
    std::string_view texts() const { return texts_; }
    const std::vector<CrfsuiteFile::Attribute>& attributes() const { return found_; }

private:
    static constexpr int deepest = 32;

    // Add an attribute: the names of the dicts around it, its own name, and a value that is text.
    void add(std::string_view name, std::optional<std::string_view> text, double value) {
        if (value == 0.0) return;  // it adds nothing
        const std::size_t begin = texts_.size();
        texts_.append(around_).append(name);
        if (text) texts_.append(1, ':').append(*text);
        texts_.append(1, '\0');
        // CRFsuite looks up C strings, which end at the first 0.
        texts_.resize(texts_.find('\0', begin) + 1);
        found_.push_back({begin, texts_.size() - begin, tokens_, value});
    }

    bool read_item(PyObject* item, int depth) {
        if (depth > deepest) return false;
        if (PyDict_CheckExact(item)) return read_dict(item, depth);
        if (PyAnySet_CheckExact(item)) return read_set(item);
        const ListView names(item);
        for (Py_ssize_t i = 0; i < names.size(); ++i) {
            const Utf8 name = utf8_of(names[i]);
            if (!name.ok) return false;
            add(name.text, {}, 1.0);
        }
        return true;
    }

    bool read_dict(PyObject* item, int depth) {
        PyObject *key, *value;
        Py_ssize_t at = 0;
        while (PyDict_Next(item, &at, &key, &value)) {
            const Utf8 name = utf8_of(key);
            if (!name.ok || !read_entry(name.text, value, depth)) return false;
        }
        return true;
    }

    bool read_entry(std::string_view name, PyObject* value, int depth) {
        if (PyUnicode_Check(value)) {
            const Utf8 text = utf8_of(value);
            if (text.ok) add(name, text.text, 1.0);
            return text.ok;
        }
        if (ListView::is_list(value) || PyAnySet_CheckExact(value) || PyDict_CheckExact(value)) {
            const std::size_t outside = around_.size();
            around_.append(name).append(1, ':');
            const bool read = read_item(value, depth + 1);
            around_.resize(outside);
            return read;
        }
        // Numbers of other classes may run code of Python, which could change the dict.
        if (!PyFloat_Check(value) && !PyLong_Check(value)) return false;
        const double number = PyFloat_Check(value) ? PyFloat_AsDouble(value) : PyLong_AsDouble(value);
        if (PyErr_Occurred()) {  // an integer that no double holds
            PyErr_Clear();
            return false;
        }
        if (!std::isfinite(number)) return false;
        add(name, {}, number);
        return true;
    }

    // In the order of the strings: that of a set changes from run to run.
    bool read_set(PyObject* item) {
        std::vector<std::string_view> names;
        const NoCollection pause;
        const nb::object all = nb::steal(PyObject_GetIter(item));
        if (!all.is_valid()) throw nb::python_error();
        while (const nb::object one = nb::steal(PyIter_Next(all.ptr()))) {
            const Utf8 name = utf8_of(one.ptr());  // the set keeps the string
            if (!name.ok) return false;
            names.push_back(name.text);
        }
        std::sort(names.begin(), names.end());
        for (const std::string_view name : names) add(name, {}, 1.0);
        return true;
    }

    std::string texts_, around_;
    std::vector<CrfsuiteFile::Attribute> found_;
    std::size_t tokens_ = 0;
};

// The content of a file, and what every sequence needs of it.
struct CrfsuiteModel {
    nb::bytes content;
    CrfsuiteFile file;
    nb::list labels;
    PreparedChain chain;
};

// A sequence under a model: its scores, and its posterior once somebody has asked for it.
struct CrfsuiteSequence {
    nb::object keeper;  // of the model
    const CrfsuiteModel* model;
    std::size_t T;
    std::vector<double> node;
    std::vector<double> posterior;
    double log_z = 0.0;

    std::size_t L() const { return model->chain.L(); }
    // Call f, without the lock of Python if that takes long.
    template <class F>
    void computed(F f) const {
        constexpr std::size_t little = std::size_t{1} << 16;
        std::optional<Unlocked> unlocked;
        if (T * L() * L() > little) unlocked.emplace();
        f(model->chain);
    }
};

bool all_finite(const std::vector<double>& numbers) {
    return std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); });
}

nb::object crfsuite_model(nb::bytes content) {
    const auto file = CrfsuiteFile::of({content.c_str(), content.size()});
    if (!file) return nb::none();
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
    return nb::cast(new CrfsuiteModel{content, *file, labels, PreparedChain(std::move(edge), file->L())},
                    nb::rv_policy::take_ownership);
}

// The sequence of these items, or None where they are unusual or the file is damaged.
nb::object scored(const nb::object& keeper, const ItemTexts& texts) {
    const auto& model = nb::cast<const CrfsuiteModel&>(keeper);
    const std::size_t size = texts.tokens() * model.chain.L();
    CrfsuiteSequence sequence{keeper, &model, texts.tokens(), std::vector<double>(size), {}};
    if (!model.file.score(texts.texts(), texts.attributes(), sequence.node.data())) return nb::none();
    if (!all_finite(sequence.node)) return nb::none();
    return nb::cast(std::move(sequence));
}

nb::list best_labels(const CrfsuiteSequence& self) {
    std::vector<Label> path(self.T);
    if (self.T > 0)
        self.computed([&](const PreparedChain& chain) { chain.best(self.node.data(), self.T, path.data()); });
    nb::list labels = nb::steal<nb::list>(PyList_New(static_cast<Py_ssize_t>(self.T)));
    for (std::size_t t = 0; t < self.T; ++t) {
        nb::object label = self.model->labels[static_cast<std::size_t>(path[t])];
        set_item(labels.ptr(), static_cast<Py_ssize_t>(t), label.release().ptr());
    }
    return labels;
}

// Compute the posterior once; another thread may do so at the same time, with the same result.
void ask_posterior(CrfsuiteSequence& self) {
    if (!self.posterior.empty() || self.T == 0) return;
    std::vector<double> posterior(self.node.size());
    double log_z = 0.0;
    self.computed([&](const PreparedChain& chain) {
        log_z = chain.marginals(self.node.data(), self.T, posterior.data());
    });
    if (!self.posterior.empty()) return;
    self.log_z = log_z;
    self.posterior = std::move(posterior);
}

double probability(CrfsuiteSequence& self, const std::vector<Label>& path) {
    const std::size_t L = self.L();
    const auto known = [&](Label y) { return static_cast<std::size_t>(y) < L; };
    if (path.size() != self.T || !std::all_of(path.begin(), path.end(), known))
        throw std::invalid_argument("a label for every item is wanted");
    ask_posterior(self);
    return std::exp(
        std::min(self.model->chain.score(self.node.data(), self.T, path.data()) - self.log_z, 0.0));
}

double marginal(CrfsuiteSequence& self, std::size_t t, std::size_t y) {
    const std::size_t L = self.L();
    if (t >= self.T || y >= L)
        throw std::invalid_argument("a position and a label of the sequence are wanted");
    ask_posterior(self);
    return self.posterior[t * L + y];
}

nb::list marginals(CrfsuiteSequence& self) {
    ask_posterior(self);
    const nb::list& labels = self.model->labels;
    nb::list rows;
    for (std::size_t t = 0; t < self.T; ++t) {
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
        .def_ro("labels", &CrfsuiteModel::labels, nb::sig("def labels(self) -> list[str]"))
        .def(
            "sequence",
            [](const nb::object& self, const nb::object& items) -> nb::object {
                thread_local ItemTexts texts;
                texts.clear();
                if (!ListView::is_list(items.ptr()) || !texts.read(items.ptr())) return nb::none();
                return scored(self, texts);
            },
            "items"_a, nb::sig("def sequence(self, items: object) -> CrfsuiteSequence | None"),
            "The scores of a sequence; None for unusual items, and where the file is damaged.")
        .def(
            "sequence_of_pairs",
            [](const nb::object& self,
               const std::vector<std::vector<std::pair<std::string, double>>>& items) {
                ItemTexts texts;
                texts.read_pairs(items);
                return scored(self, texts);
            },
            "items"_a,
            nb::sig("def sequence_of_pairs(self, items: list[list[tuple[str, float]]]) -> CrfsuiteSequence | "
                    "None"),
            "The scores of a sequence whose items are lists of (attribute, value).");
    nb::class_<CrfsuiteSequence>(m, "CrfsuiteSequence", "A sequence under a model of CRFsuite.")
        .def("__len__", [](const CrfsuiteSequence& self) { return self.T; })
        .def("best", &best_labels, nb::sig("def best(self) -> list[str]"), "The best labels (eq:viterbi).")
        .def("probability", &probability, "path"_a, "Of the labels with these numbers.")
        .def("marginal", &marginal, "t"_a, "y"_a, "P(y_t) (eq:node-marginal).")
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
        "weights and presence of transitions; None "
        "where one "
        "is wrong, or they do not rise.");
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

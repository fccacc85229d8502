#include "bind/linear/task.hpp"

#include <memory>
#include <optional>
#include <tuple>

#include "bind/batch.hpp"

namespace seqlab::bind {

namespace {

using I32 = In<std::int32_t>;
using I64 = In<std::int64_t>;

void keep(KeptTask& task, const auto&... arrays) {
    (task.alive.push_back(nb::cast(arrays)), ...);
}

void set_up_task(KeptTask* self, std::size_t L, const I64& offset, const I32& labels, const I64& indptr,
                 const I32& ids, const Maybe<double>& values, const I64& begin, const I32& label,
                 const I32& number) {
    new (self) KeptTask{};
    Task& task = self->task;
    task.entries = {span_of(indptr), ids.data(), data_of(values)};
    task.observed = {span_of(begin), span_of(label)};
    task.transitions.L = L;
    task.transitions.add_level(span_of(number));
    task.sequences = {span_of(offset), labels.data(), nullptr, nullptr};
    keep(*self, offset, labels, indptr, ids, values, begin, label, number);
}

void set_rules(KeptTask& self, const In<std::uint8_t>& forbidden, const In<std::uint8_t>& no_start,
               const In<std::uint8_t>& no_end) {
    self.task.transitions.forbidden = span_of(forbidden);
    self.task.transitions.no_start = span_of(no_start);
    self.task.transitions.no_end = span_of(no_end);
    keep(self, forbidden, no_start, no_end);
}

void set_weights(KeptTask& self, const In<double>& weight, const In<double>& gold_weight) {
    self.task.sequences.weight = weight.data();
    self.task.sequences.gold_weight = gold_weight.data();
    keep(self, weight, gold_weight);
}

void set_token_weights(KeptTask& self, const In<double>& weight) {
    self.task.token_weight = weight.data();
    keep(self, weight);
}

void set_kin(KeptTask& self, const In<std::uint8_t>& kin) {
    self.task.cluster_codes = span_of(kin);
    keep(self, kin);
}

void add_transitions(KeptTask& self, const I32& number) {
    self.task.transitions.add_level(span_of(number));
    keep(self, number);
}

void set_edges(KeptTask& self, const I64& indptr, const I32& ids, const Maybe<double>& values,
               const I64& begin, const I32& move, const Maybe<std::int32_t>& moves) {
    self.task.edge_entries = {span_of(indptr), ids.data(), data_of(values), data_of(moves)};
    self.task.edge_observed = {span_of(begin), span_of(move)};
    keep(self, indptr, ids, values, begin, move, moves);
}

void set_active(KeptTask& self, const I64& offset, const I32& ids) {
    self.task.active = {span_of(offset), ids.data()};
    keep(self, offset, ids);
}

void set_clamps(KeptTask& self, const I64& sequence, const In<double>& weight, const I64& row,
                const I64& offset, const I32& ids) {
    self.task.partial_labels = {
        span_of(sequence), span_of(weight), span_of(row), {span_of(offset), ids.data()}};
    keep(self, sequence, weight, row, offset, ids);
}

// An array of a file: the file, the place of its first byte, and the bytes of a token.
using FilePlace = std::tuple<std::shared_ptr<CheckedFile>, std::size_t, std::size_t>;

FileArray array_of(const FilePlace& place) {
    return {std::get<0>(place), std::get<1>(place), std::get<2>(place)};
}

// Without a place for labels, those of the task count.
void add_far(KeptTask& self, std::shared_ptr<const EntryShard> shard,
             const std::optional<FilePlace>& labels) {
    Task& task = self.task;
    if (!task.far) task.far = std::make_shared<FarEntries>();
    if (labels) task.sequences.far = task.far.get();
    task.far->add(std::move(shard), labels ? array_of(*labels) : FileArray{});
}

// The next sentences of a corpus on disk.
void add_shard(KeptTask& self, std::size_t tokens, const std::optional<FilePlace>& labels,
               const FilePlace& indptr, const FilePlace& ids, const std::optional<FilePlace>& values) {
    const FileArray own = values ? array_of(*values) : FileArray{};
    add_far(self, std::make_shared<WholeShard>(tokens, array_of(indptr), array_of(ids), own), labels);
}

// The next sentences of a corpus on disk, in columns.
void add_template_shard(KeptTask& self, const std::optional<FilePlace>& labels, const QuickRows& rows,
                        const I64& offsets, const std::vector<FilePlace>& columns, const FilePlace& written) {
    std::vector<FileArray> arrays;
    for (const FilePlace& column : columns) arrays.push_back(array_of(column));
    add_far(self,
            std::make_shared<TemplateShard>(rows, span_of(offsets), std::move(arrays), array_of(written)),
            labels);
    keep(self, offsets);
    self.alive.push_back(nb::find(rows));
}

}  // namespace

void bind_task(nb::module_& m) {
    nb::exception<FileChanged>(m, "FileChanged", PyExc_OSError);
    nb::class_<CheckedFile>(m, "CheckedFile", "A file that must not change while it is in use.")
        .def(nb::init<std::string>(), "path"_a)
        .def_prop_ro("path", &CheckedFile::path)
        .def_prop_ro("size", &CheckedFile::size)
        .def(
            "read",
            [](const CheckedFile& self, std::size_t offset, const Out<std::uint8_t>& out) {
                Unlocked unlocked;
                self.read(offset, out.size(), out.data());
            },
            "offset"_a, "out"_a.noconvert(),
            "Copy bytes from a place on; FileChanged if they are not there.");
    nb::class_<KeptTask>(m, "Task", "What a linear model is trained on.")
        .def("__init__", &set_up_task, "L"_a, "offset"_a.noconvert(), "labels"_a.noconvert(),
             "indptr"_a.noconvert(), "ids"_a.noconvert(), "values"_a.none().noconvert(),
             "begin"_a.noconvert(), "label"_a.noconvert(), "number"_a.noconvert())
        .def("set_rules", &set_rules, "forbidden"_a.noconvert(), "no_start"_a.noconvert(),
             "no_end"_a.noconvert())
        .def("set_weights", &set_weights, "weight"_a.noconvert(), "gold_weight"_a.noconvert())
        .def("set_token_weights", &set_token_weights, "weight"_a.noconvert())
        .def("set_kin", &set_kin, "kin"_a.noconvert())
        .def("add_transitions", &add_transitions, "number"_a.noconvert())
        .def("set_edges", &set_edges, "indptr"_a.noconvert(), "ids"_a.noconvert(),
             "values"_a.none().noconvert(), "begin"_a.noconvert(), "move"_a.noconvert(),
             "moves"_a.none().noconvert() = nb::none())
        .def("set_active", &set_active, "offset"_a.noconvert(), "ids"_a.noconvert())
        .def("set_clamps", &set_clamps, "sequence"_a.noconvert(), "weight"_a.noconvert(), "row"_a.noconvert(),
             "offset"_a.noconvert(), "ids"_a.noconvert())
        .def("add_shard", &add_shard, "tokens"_a, "labels"_a.none(), "indptr"_a, "ids"_a, "values"_a.none())
        .def("add_template_shard", &add_template_shard, "labels"_a.none(), "rows"_a, "offsets"_a.noconvert(),
             "columns"_a, "written"_a)
        .def(
            "set_room", [](KeptTask& self, std::size_t bytes) { self.task.room = bytes; }, "bytes"_a,
            "Memory for rows of shards that are kept from pass to pass.")
        .def_prop_ro("sentences", [](const KeptTask& self) { return self.task.sequences.size(); })
        .def_prop_ro("size", [](const KeptTask& self) { return self.task.size(); });
}

}  // namespace seqlab::bind

// Requests of the service: sentences from JSON, labels to JSON.

#include "bind/batch.hpp"
#include "bind/corpus/strings.hpp"
#include "bind/stl.hpp"
#include "bind/unlocked.hpp"
#include "corpus/json_batch.hpp"

namespace seqlab::bind {

namespace {

std::optional<nb::tuple> batch_of(const nb::bytes& json) {
    StringPool pool;
    std::optional<JsonBatch> found;
    {
        const Unlocked unlocked;
        found = read_json_batch({json.c_str(), json.size()}, pool);
    }
    if (!found) return std::nullopt;
    nb::object model = found->model ? as_str(*found->model) : nb::none();
    return nb::make_tuple(model, as_array(std::move(found->codes)), as_array(std::move(found->offsets)),
                          nb::cast(std::move(pool)), found->longest);
}

nb::bytes labels_of(const In<std::int32_t>& ids, const In<std::int64_t>& offsets,
                    const std::vector<std::string>& names) {
    std::string out;
    {
        const Unlocked unlocked;
        out = write_json_labels(span_of(ids), span_of(offsets), names);
    }
    return nb::bytes(out.data(), out.size());
}

}  // namespace

void bind_json(nb::module_& m) {
    m.def("read_json_batch", &batch_of, "json"_a,
          nb::sig("def read_json_batch(json: bytes) -> tuple[str | None, NDArray[numpy.int32], "
                  "NDArray[numpy.int64], StringPool, int] | None"),
          "(model, codes, offsets, pool, longest sentence) of {\"batch\": [[words], ...], \"model\": name}; "
          "None "
          "for anything else.");
    m.def("write_json_labels", &labels_of, "ids"_a.noconvert(), "offsets"_a.noconvert(), "names"_a,
          "[{\"labels\": [...]}, ...] as JSON; names has each label as JSON.");
}

}  // namespace seqlab::bind

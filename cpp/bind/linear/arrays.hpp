// The arrays of a decoder by name, in memory or in a mapped file.
#pragma once

#include <span>
#include <string>

#include "bind/batch.hpp"
#include "bind/corpus/strings.hpp"
#include "linear/tagging/row_decoder.hpp"

namespace seqlab::bind {

// Arrays by name; objects that read an array keep it alive.
class NamedArrays {
public:
    explicit NamedArrays(const nb::dict& arrays) : arrays_(arrays) {}

    bool has(const std::string& name) const { return arrays_.contains(name.c_str()); }
    template <class X>
    std::span<const X> of(const std::string& name) const {
        const auto array = nb::cast<In<X>>(arrays_[name.c_str()], false);
        return {array.data(), array.size()};
    }
    StringPool strings(const std::string& name) const {
        const auto bytes = of<std::uint8_t>(name + ".bytes");
        return {{reinterpret_cast<const char*>(bytes.data()), bytes.size()},
                of<std::int64_t>(name + ".begins"),
                of<std::uint64_t>(name + ".slots"),
                nullptr};
    }
    ModelWeights model() const {
        const nb::object weights = arrays_["weights"];
        ModelWeights model{of<std::int32_t>("label"), {}, {}};
        if (nb::isinstance<In<double>>(weights))
            model.wide = of<double>("weights");
        else
            model.narrow = of<float>("weights");
        return model;
    }

private:
    nb::dict arrays_;
};

inline BestLabels chain_of(const In<float>& edge, const In<float>& start, const In<float>& end) {
    return {start.size(), edge.data(), start.data(), end.data()};
}

// Keeps the arrays that a decoder reads alive.
template <class Decoder>
struct Kept {
    nb::dict arrays;
    Decoder decoder;
};
using KeptRowDecoder = Kept<RowDecoder>;

inline RowDecoder row_decoder(const NamedArrays& arrays, BestLabels chain) {
    return {arrays.model(), arrays.of<float>("rows"), arrays.of<std::uint64_t>("places"), std::move(chain)};
}

}  // namespace seqlab::bind

// CRFsuite's files: a label and its attributes separated by tabs, \: and \\ for a colon and a backslash, :weight after
// an attribute, @weight:2 on a line of its own for the weight of the whole sentence.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "corpus/block_reader.hpp"

namespace seqlab {

struct Bag {
    std::vector<std::int64_t> indptr{0};  // tokens + 1
    std::vector<StringId> codes;
    std::vector<double> weights;  // empty as long as all are 1
    StringPool pool;

    void add(std::string_view attribute, double weight);
};

class AttributeReader final : public BlockReader {
public:
    explicit AttributeReader(std::size_t longest_line) : BlockReader(longest_line) {}

    Bag take_bag() { return std::exchange(bag_, Bag{}); }

private:
    Finding read_line(std::string_view line) override;
    Finding declaration(std::string_view line);
    bool add_attribute(std::string_view cell);
    std::string_view without_escapes(std::string_view text);

    Bag bag_;
    std::string buffer_;
};

}  // namespace seqlab

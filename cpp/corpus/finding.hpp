// An error in a block: its kind and place. Python writes the message.
#pragma once

#include <cstdint>

namespace seqlab {

enum class Trouble {
    none,
    columns,      // number = cells found
    too_wide,     // number = cells found in the first line
    empty_cell,   // number = index of the cell, from 0
    bad_id,       // number = the id that was expected
    no_tag,       // number = index of the token in the line, from 0
    bad_weight,   // number = index of the cell, from 0
    declaration,  // a line that begins with @ but is not @weight
    nul,          // number = byte within the line
    utf8,         // number = byte within the line
    long_line,    // number = bytes of the line
};

struct Finding {
    Trouble kind = Trouble::none;
    std::int64_t line = 0;   // counted from 1 over all blocks
    std::int64_t begin = 0;  // of that line in its block
    std::int64_t end = 0;
    std::int64_t number = 0;

    explicit operator bool() const { return kind != Trouble::none; }
};

inline const char* name_of(Trouble kind) {
    switch (kind) {
        case Trouble::none:
            return "";
        case Trouble::columns:
            return "columns";
        case Trouble::too_wide:
            return "too_wide";
        case Trouble::empty_cell:
            return "empty_cell";
        case Trouble::bad_id:
            return "bad_id";
        case Trouble::no_tag:
            return "no_tag";
        case Trouble::bad_weight:
            return "bad_weight";
        case Trouble::declaration:
            return "declaration";
        case Trouble::nul:
            return "nul";
        case Trouble::utf8:
            return "utf8";
        case Trouble::long_line:
            return "long_line";
    }
    return "";
}

}  // namespace seqlab

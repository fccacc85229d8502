#include "corpus/render.hpp"

#include <algorithm>

#include "base/text/number.hpp"
#include "corpus/block_reader.hpp"
#include "corpus/table.hpp"

namespace seqlab {

namespace {

// Cursor over the extra lines (comments and the like), advanced with sentences and tokens.
class ExtraCursor {
public:
    ExtraCursor(const Sheet& sheet, std::size_t sentence) : extras_(sheet.extras), newline_(sheet.newline) {
        const auto& all = extras_.sentence;
        const auto found = std::lower_bound(all.begin(), all.end(), static_cast<std::int64_t>(sentence));
        at_ = static_cast<std::size_t>(found - all.begin());
    }

    bool here(std::size_t sentence, std::size_t position) const {
        return at_ < extras_.sentence.size() &&
               extras_.sentence[at_] == static_cast<std::int64_t>(sentence) &&
               extras_.position[at_] == static_cast<std::int64_t>(position);
    }
    void write(std::string& out, std::size_t sentence, std::size_t position) {
        for (; here(sentence, position); ++at_) {
            if (extras_.text.codes[at_] == Extras::absent) continue;
            const std::string_view text = extras_.text.at(at_);
            if (text.empty() || text.front() != '\n')
                out += text;
            else
                for (std::size_t i = 0; i < text.size(); ++i) out += newline_;
            out += newline_;
        }
    }
    bool is_absent() const { return extras_.text.codes[at_] == Extras::absent; }
    bool is_docstart(std::size_t i) const {
        return i < extras_.sentence.size() && extras_.text.codes[i] != Extras::absent &&
               extras_.text.at(i).starts_with("-DOCSTART-");
    }

    // Write the line that ends a sentence: blank, or the original text; nothing at the end of a file or before
    // -DOCSTART-.
    void write_end(std::string& out, std::size_t sentence, std::size_t length, bool last) {
        if (!here(sentence, length + 1)) {
            out += newline_;
            return;
        }
        if (!is_absent()) {
            write(out, sentence, length + 1);
            return;
        }
        const bool before_document =
            is_docstart(at_ + 1) && extras_.sentence[at_ + 1] == extras_.sentence[at_] + 1;
        if (!last && !before_document) out += newline_;
        ++at_;
    }

private:
    const ExtraLines& extras_;
    const std::string& newline_;
    std::size_t at_;
};

void add_escaped(std::string& out, std::string_view text, std::string_view special) {
    for (const char c : text) {
        if (special.find(c) != std::string_view::npos) out.push_back('\\');
        out.push_back(c);
    }
}

// Write all tokens with the extra lines between them; `token` writes one line.
template <class Token>
std::string render_blocks(const Sheet& sheet, std::size_t begin, std::size_t end, Token token) {
    std::string out;
    ExtraCursor extras(sheet, begin);
    for (std::size_t s = begin; s < end; ++s) {
        const auto first = static_cast<std::size_t>(sheet.offsets[s]);
        const auto length = static_cast<std::size_t>(sheet.offsets[s + 1]) - first;
        for (std::size_t t = 0; t < length; ++t) {
            extras.write(out, s, t);
            token(out, first + t);
            out += sheet.newline;
        }
        extras.write(out, s, length);
        extras.write_end(out, s, length, s + 1 == sheet.sentences());
    }
    if (end == sheet.sentences()) extras.write(out, end, 0);
    return out;
}

bool breaks_rules(std::string_view text, const Unwritable& rules) {
    if (rules.empty && is_blank(text)) return true;
    if (text.find_first_of(rules.bytes) != std::string_view::npos) return true;
    return rules.backslash && !text.empty() &&
           (text.back() == '\\' || text.find("\\/") != std::string_view::npos);
}

}  // namespace

std::string render_columns(const Sheet& sheet, std::string_view separator, std::size_t begin,
                           std::size_t end) {
    return render_blocks(sheet, begin, end, [&](std::string& out, std::size_t token) {
        for (std::size_t c = 0; c < sheet.columns.size(); ++c) {
            if (c > 0) out += separator;
            out += sheet.columns[c].at(token);
        }
    });
}

std::string render_text(const Sheet& sheet, bool escape_words, std::size_t begin, std::size_t end) {
    std::string out;
    ExtraCursor extras(sheet, begin);
    for (std::size_t s = begin; s < end; ++s) {
        extras.write(out, s, 0);
        for (auto t = sheet.offsets[s]; t < sheet.offsets[s + 1]; ++t) {
            const auto token = static_cast<std::size_t>(t);
            if (t > sheet.offsets[s]) out.push_back(' ');
            add_escaped(out, sheet.columns[0].at(token), escape_words ? "/" : "");
            if (sheet.columns.size() == 1) continue;
            out.push_back('/');
            add_escaped(out, sheet.columns[1].at(token), "/");
        }
        out += sheet.newline;
    }
    if (end == sheet.sentences()) extras.write(out, end, 0);
    return out;
}

std::string render_attributes(const Sheet& sheet, const CodedBags& bags, std::size_t begin, std::size_t end) {
    return render_blocks(sheet, begin, end, [&](std::string& out, std::size_t token) {
        add_escaped(out, sheet.columns[0].at(token), ":\\");
        for (auto i = bags.indptr[token]; i < bags.indptr[token + 1]; ++i) {
            const auto at = static_cast<std::size_t>(i);
            out.push_back('\t');
            add_escaped(out, bags.attributes.at(at), ":\\");
            if (bags.weights.empty() || bags.weights[at] == 1.0) continue;
            out.push_back(':');
            append_number(out, bags.weights[at]);
        }
    });
}

std::size_t first_unwritable(const CodedColumn& column, const Unwritable& rules) {
    std::vector<bool> bad(column.pool->size());
    bool any = false;
    for (std::size_t i = 0; i < bad.size(); ++i) {
        bad[i] = breaks_rules(column.pool->at(static_cast<StringId>(i)), rules);
        any = any || bad[i];
    }
    if (!any) return column.codes.size();
    for (std::size_t t = 0; t < column.codes.size(); ++t)
        if (bad[static_cast<std::size_t>(column.codes[t])]) return t;
    return column.codes.size();
}

}  // namespace seqlab

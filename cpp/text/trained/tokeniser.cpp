#include "text/trained/tokeniser.hpp"

#include <algorithm>
#include <cmath>

#include "base/parallel/poll.hpp"

namespace seqlab::text {

namespace {

using Row = std::array<std::int32_t, boundaries>;

constexpr std::int32_t impossible = -(1 << 28);  // far below any score, and sums of a few stay in range

class Decoder {
public:
    Decoder(Text text, const Knowledge& known, const Weights& weights)
        : text_(text), places_(text, known), weights_(weights) {}

    Segmentation all() {
        while (places_.next()) {
            if (places_.starts())
                start();
            else
                decide();
            if ((++steps_ & 0xFFF) == 0) poll();
        }
        finish();
        close();
        return std::move(out_);
    }

private:
    // A paragraph begins: a sentence, whatever came before.
    void start() {
        finish();
        at_.push_back(places_.at());
        back_.push_back({});
        first_ = true;
    }

    // eq:viterbi over the labels of this place.
    void decide() {
        places_.features(features_);
        for (std::size_t k = 0; k < features_.count; ++k) weights_.prefetch(features_.keys[k]);
        Row score{};
        for (std::size_t k = 0; k < features_.count; ++k) weights_.add(features_.keys[k], score);
        if (places_.gap()) score[inside] = score[word] = impossible;
        Row next;
        std::array<std::uint8_t, boundaries> from{};
        for (std::size_t y = 0; y < boundaries; ++y) {
            std::int32_t most = first_ ? 0 : best_[0] + weights_.move(0, y);
            for (std::size_t x = 1; x < boundaries && !first_; ++x) {
                const std::int32_t one = best_[x] + weights_.move(x, y);
                if (one > most) {
                    most = one;
                    from[y] = static_cast<std::uint8_t>(x);
                }
            }
            next[y] = std::max(most + score[y], impossible);
        }
        const std::int32_t top = *std::max_element(next.begin(), next.end());
        for (std::int32_t& one : next)
            one = std::max(one - top, impossible);  // long paragraphs do not overflow
        best_ = next;
        first_ = false;
        at_.push_back(places_.at());
        back_.push_back(from);
    }

    // Write the tokens of the paragraph that ends.
    void finish() {
        if (at_.empty()) return;
        auto y = static_cast<std::size_t>(std::max_element(best_.begin(), best_.end()) - best_.begin());
        labels_.resize(at_.size());
        for (std::size_t t = at_.size(); t-- > 0;) {
            labels_[t] = static_cast<std::uint8_t>(y);
            y = back_[t][y];
        }
        labels_[0] = sentence;
        for (std::size_t t = 0; t < at_.size(); ++t)
            if (labels_[t] != inside) begin(at_[t], labels_[t]);
        at_.clear();
        back_.clear();
    }

    void begin(std::size_t at, std::uint8_t label) {
        if (label == sentence) out_.offsets.push_back(static_cast<std::int64_t>(out_.begins.size()));
        out_.begins.push_back(static_cast<std::int64_t>(at));
        out_.joined.push_back(label == word);
    }

    // A token ends at a blank, or where the next one begins.
    void close() {
        const Class* table = class_table();
        const std::size_t size = out_.begins.size();
        out_.ends.resize(size);
        for (std::size_t t = 0; t < size; ++t) {
            const std::size_t stop =
                t + 1 < size ? static_cast<std::size_t>(out_.begins[t + 1]) : text_.size();
            auto end = static_cast<std::size_t>(out_.begins[t]);
            while (end < stop && !is_blank(table[text_[end]])) ++end;
            out_.ends[t] = static_cast<std::int64_t>(end);
        }
        if (out_.offsets.empty()) out_.offsets.push_back(0);
        if (size > 0) out_.offsets.push_back(static_cast<std::int64_t>(size));
    }

    Text text_;
    Places places_;
    const Weights& weights_;
    Features features_;
    Row best_{};
    std::vector<std::size_t> at_;
    std::vector<std::array<std::uint8_t, boundaries>> back_;
    std::vector<std::uint8_t> labels_;
    Segmentation out_;
    bool first_ = true;  // no place of this paragraph is decided yet
    std::size_t steps_ = 0;
};

}  // namespace

Weights::Weights(std::span<const std::uint64_t> keys, std::span<const float> rows,
                 std::span<const float> moves) {
    constexpr float largest_step = 32767;
    float largest = 0;
    for (const float one : rows) largest = std::max(largest, std::abs(one));
    const float steps = largest > 0 ? largest_step / largest : 1;
    std::size_t size = 2;
    while (size < keys.size() + keys.size() / 2) size *= 2;
    slots_.resize(size);
    mask_ = size - 1;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        std::size_t at = keys[i] & mask_;
        while (slots_[at].tag != 0) at = (at + 1) & mask_;
        slots_[at].tag = tag_of(keys[i]);
        for (std::size_t y = 0; y < boundaries; ++y)
            slots_[at].weights[y] = static_cast<std::int16_t>(std::lround(rows[i * boundaries + y] * steps));
    }
    for (std::size_t i = 0; i < moves_.size(); ++i)
        moves_[i] = static_cast<std::int32_t>(std::lround(std::clamp(moves[i] * steps, -1e6f, 1e6f)));
}

Examples examples_of(Text text, const Knowledge& known) {
    Examples out;
    Places places(text, known);
    Features features;
    out.indptr.push_back(0);
    while (places.next()) {
        if (places.starts()) {
            out.offsets.push_back(static_cast<std::int64_t>(out.at.size()));
            continue;
        }
        places.features(features);
        out.at.push_back(static_cast<std::int64_t>(places.at()));
        out.gap.push_back(places.gap());
        out.keys.insert(out.keys.end(), features.keys.begin(),
                        features.keys.begin() + static_cast<std::ptrdiff_t>(features.count));
        out.indptr.push_back(static_cast<std::int64_t>(out.keys.size()));
    }
    out.offsets.push_back(static_cast<std::int64_t>(out.at.size()));
    return out;
}

Segmentation segmented(Text text, const Knowledge& known, const Weights& weights) {
    return Decoder(text, known, weights).all();
}

}  // namespace seqlab::text

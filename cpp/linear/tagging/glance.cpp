#include "linear/tagging/glance.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>

#include "inference/nbest.hpp"

namespace seqlab {

namespace {

constexpr std::int32_t unknown = -1;
// Paths that score so nearly alike, as a share of the score, are left to whoever sums in the usual order.
constexpr double close = 1e-4;

// Says for most of what is not wanted that it is not, without a look at what is.
class Sieve {
public:
    void add(std::uint32_t code) { may_be_[code % may_be_.size()] = true; }
    bool has(std::uint32_t code) const { return may_be_[code % may_be_.size()]; }

private:
    std::array<bool, 4096> may_be_{};
};

std::uint32_t code_of(const char* text, std::size_t length) {
    const auto at = [&](std::size_t i) {
        return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i]));
    };
    return length == 0 ? 0u : static_cast<std::uint32_t>(length) * 31u + at(0) * 16u + at(length - 1);
}

std::uint32_t code_of(const StringId* row, std::size_t width) {
    std::uint32_t code = 0;
    for (std::size_t i = 0; i < width; ++i) code = code * 2654435761u + static_cast<std::uint32_t>(row[i]);
    return code ^ code >> 15;
}

using Wanted = std::pair<const std::string, StringId>;

// The numbers of all wanted strings, in one pass over where they begin.
void find_among(const LaidStrings& strings, std::span<Wanted* const> wanted) {
    Sieve sieve;
    std::size_t longest = 0;
    for (const Wanted* one : wanted) {
        sieve.add(code_of(one->first.data(), one->first.size()));
        longest = std::max(longest, one->first.size());
    }
    const auto room = strings.bytes.size();
    const auto most = static_cast<std::size_t>(std::numeric_limits<StringId>::max());
    const std::size_t count = strings.begins.empty() ? 0 : std::min(strings.begins.size() - 1, most);
    const char* const text = reinterpret_cast<const char*>(strings.bytes.data());
    for (std::size_t i = 0; i < count; ++i) {
        const auto begin = static_cast<std::uint64_t>(strings.begins[i]);
        const std::uint64_t length = static_cast<std::uint64_t>(strings.begins[i + 1]) - begin;
        if (length > longest || begin > room || length > room - begin) continue;
        if (!sieve.has(code_of(text + begin, length))) continue;
        for (Wanted* one : wanted)
            if (one->second == unknown && one->first == std::string_view(text + begin, length))
                one->second = static_cast<StringId>(i);
    }
}

}  // namespace

Glance::Glance(std::vector<LaidStrings> strings, std::vector<LaidAttributes> groups, LaidChain chain)
    : strings_(std::move(strings)),
      groups_(std::move(groups)),
      chain_(chain),
      met_(strings_.size()),
      attributes_(groups_.size()) {}

std::optional<std::vector<Label>> Glance::labels(std::span<const Reading> readings,
                                                 std::span<const std::size_t> lengths) {
    if (moves_.empty() && !(fits() && make_moves())) return std::nullopt;
    find_strings(readings);
    find_attributes(readings);
    const std::size_t tokens = std::accumulate(lengths.begin(), lengths.end(), std::size_t{0});
    std::vector<double> node(tokens * chain_.L);
    for (const Reading& reading : readings) {
        const std::optional<Codes> codes = codes_of(reading);
        const std::int32_t attribute = codes ? attributes_[reading.group].at(*codes) : unknown;
        double* const scores = node.data() + reading.token * chain_.L;
        if (attribute >= 0 && !add_weights(attribute, scores)) return std::nullopt;
    }
    std::vector<Label> path(tokens);
    std::size_t first = 0;
    for (const std::size_t length : lengths) {
        const std::span<double> rows(node.data() + first * chain_.L, length * chain_.L);
        if (length && !best(rows, length, path.data() + first)) return std::nullopt;
        first += length;
    }
    return path;
}

void Glance::find_strings(std::span<const Reading> readings) {
    std::vector<std::vector<Wanted*>> wanted(strings_.size());
    for (const Reading& reading : readings) {
        const std::vector<std::size_t>& pools = groups_[reading.group].pools;
        for (std::size_t place = 0; place < pools.size(); ++place) {
            const auto [entry, fresh] =
                met_[pools[place]].emplace(std::string(reading.values[place]), unknown);
            if (fresh) wanted[pools[place]].push_back(&*entry);
        }
    }
    for (std::size_t pool = 0; pool < wanted.size(); ++pool)
        if (!wanted[pool].empty()) find_among(strings_[pool], wanted[pool]);
}

// The numbers of its values; nothing when one of them is unknown.
std::optional<Glance::Codes> Glance::codes_of(const Reading& reading) const {
    const std::vector<std::size_t>& pools = groups_[reading.group].pools;
    Codes codes(pools.size());
    for (std::size_t place = 0; place < pools.size(); ++place) {
        codes[place] = met_[pools[place]].at(std::string(reading.values[place]));
        if (codes[place] == unknown) return std::nullopt;
    }
    return codes;
}

void Glance::find_attributes(std::span<const Reading> readings) {
    std::vector<Sieve> sieves(groups_.size());
    std::vector<bool> asked(groups_.size());
    for (const Reading& reading : readings) {
        const std::optional<Codes> codes = codes_of(reading);
        if (!codes || !attributes_[reading.group].emplace(*codes, unknown).second) continue;
        sieves[reading.group].add(code_of(codes->data(), codes->size()));
        asked[reading.group] = true;
    }
    for (std::size_t g = 0; g < groups_.size(); ++g) {
        const LaidAttributes& group = groups_[g];
        const std::size_t width = group.pools.size();
        if (!asked[g]) continue;
        for (std::size_t i = 0; i < group.ids.size(); ++i) {
            const StringId* row = group.values.data() + i * width;
            if (!sieves[g].has(code_of(row, width))) continue;
            const auto found = attributes_[g].find(Codes(row, row + width));
            if (found != attributes_[g].end() && found->second == unknown) found->second = group.ids[i];
        }
    }
}

bool Glance::add_weights(std::int32_t attribute, double* scores) const {
    const auto a = static_cast<std::size_t>(attribute);
    if (a + 1 >= chain_.begin.size()) return false;
    const std::int64_t begin = chain_.begin[a], end = chain_.begin[a + 1];
    if (begin < 0 || begin > end || static_cast<std::uint64_t>(end) > chain_.label.size()) return false;
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
        const Label y = chain_.label[i];
        if (y < 0 || static_cast<std::size_t>(y) >= chain_.L) return false;
        scores[y] += chain_.weights.at(i);
    }
    return true;
}

// Whether the arrays are as long as each other says.
bool Glance::fits() const {
    const std::size_t L = chain_.L;
    const auto whole = [](const LaidAttributes& group) {
        return group.values.size() == group.ids.size() * group.pools.size();
    };
    return L > 0 && L <= std::size_t{1} << 20 && chain_.moves.size == L * L &&
           chain_.forbidden.size() == L * L && chain_.no_start.size() == L && chain_.no_end.size() == L &&
           !chain_.begin.empty() && chain_.label.size() == chain_.weights.size &&
           std::all_of(groups_.begin(), groups_.end(), whole);
}

// Scores of moves with -inf for what is forbidden (eq:masks); false when one of them is no number.
bool Glance::make_moves() {
    const std::size_t L = chain_.L;
    std::vector<double> moves(L * L);
    for (std::size_t i = 0; i < L * L; ++i) {
        moves[i] = chain_.moves.at(i);
        if (!std::isfinite(moves[i])) return false;
        if (chain_.forbidden[i]) moves[i] = IMPOSSIBLE;
    }
    moves_ = std::move(moves);
    return true;
}

// The best path (eq:viterbi), if the second best (eq:nbest) is far behind; `node` gets the rules of first and last labels.
bool Glance::best(std::span<double> node, std::size_t length, Label* path) const {
    if (!std::all_of(node.begin(), node.end(), [](double score) { return std::isfinite(score); }))
        return false;
    for (std::size_t y = 0; y < chain_.L; ++y) {
        if (chain_.no_start[y]) node[y] = IMPOSSIBLE;
        if (chain_.no_end[y]) node[(length - 1) * chain_.L + y] = IMPOSSIBLE;
    }
    Trellis<double> trellis;
    trellis.T = length;
    trellis.L = chain_.L;
    trellis.node = node.data();
    trellis.edge = moves_.data();
    NBest<double> paths(trellis);
    double first = 0.0, second = 0.0;
    if (!paths.next(path, &first)) return false;
    std::vector<Label> other(length);
    return !paths.next(other.data(), &second) || first - second >= close * std::max(1.0, std::abs(first));
}

}  // namespace seqlab

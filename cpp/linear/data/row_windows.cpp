#include "linear/data/row_windows.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <type_traits>
#include <utility>

#include "base/parallel/parallel.hpp"

namespace seqlab {

namespace {

// A thread keeps some short windows: a step of a learner uses those of its few sentences several times.
constexpr std::size_t short_windows = 31, tokens_of_short = 512;

std::uint64_t next_serial() {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
}

template <class F>
RowWindow<F>& room_for(std::size_t from, std::size_t to) {
    static thread_local std::unique_ptr<std::array<RowWindow<F>, short_windows + 1>> rooms;
    if (!rooms) rooms = std::make_unique<std::array<RowWindow<F>, short_windows + 1>>();
    return (*rooms)[to - from > tokens_of_short ? short_windows : from % short_windows];
}

}  // namespace

RowWindows::RowWindows(std::shared_ptr<const FarEntries> entries, const Observed& observed, RowPlan plan,
                       std::shared_ptr<const Clusters> clusters, std::size_t room, std::size_t threads,
                       bool squared)
    : entries_(std::move(entries)),
      observed_(observed),
      plan_(std::move(plan)),
      clusters_(std::move(clusters)),
      squared_(squared),
      serial_(next_serial()) {
    if (!entries_->valued()) {
        facts_.reserve(observed.attributes());
        for (std::size_t a = 0; a < observed.attributes(); ++a)
            facts_.emplace_back(observed_, plan_, a, clusters_ ? clusters_->code(a) : std::uint8_t{0});
    }
    keep(room, threads);
}

AttributeFacts::AttributeFacts(const Observed& observed, const RowPlan& plan, std::size_t a,
                               std::uint8_t cluster_code)
    : bits_(std::uint64_t{cluster_code} << 56) {
    if (plan.row(a) != RowPlan::listed) {
        bits_ |= dense << 52 | static_cast<std::uint64_t>(plan.row(a));
        return;
    }
    const auto first = static_cast<std::uint64_t>(observed.begin[a]);
    bits_ |= std::uint64_t{observed.count(a)} << 52 | first;
    if (observed.count(a) == 1)
        bits_ |= static_cast<std::uint64_t>(static_cast<std::uint16_t>(observed.label[first])) << 36;
}

// Append the rows of tokens whose entries have values to a window.
template <class F>
void RowWindows::append_valued(RowWindow<F>& window, const Entries& entries) const {
    if (window.row_begin.empty()) {
        window.row_begin.push_back(0);
        window.listed_begin.push_back(0);
    }
    for (std::size_t t = 0; t < entries.tokens(); ++t) {
        for (std::int64_t i = entries.indptr[t]; i < entries.indptr[t + 1]; ++i) {
            const auto a = static_cast<std::size_t>(entries.ids[i]);
            const std::int32_t row = plan_.row(a);
            const double given = entries.values ? entries.values[i] : 1.0;
            const F value = static_cast<F>(squared_ ? given * given : given);
            if (row != RowPlan::listed) {
                window.row.push_back(row);
                if (entries.values) window.row_value.push_back(value);
                continue;
            }
            const auto begin = static_cast<std::size_t>(observed_.begin[a]),
                       end = static_cast<std::size_t>(observed_.begin[a + 1]);
            for (std::size_t k = begin; k < end; ++k) {
                window.weight.push_back(static_cast<std::int32_t>(k));
                window.label.push_back(static_cast<std::uint16_t>(observed_.label[k]));
            }
            if (entries.values) window.listed_value.insert(window.listed_value.end(), end - begin, value);
        }
        window.row_begin.push_back(static_cast<std::int64_t>(window.row.size()));
        window.listed_begin.push_back(static_cast<std::int64_t>(window.label.size()));
    }
}

// Append the rows of tokens whose entries all count 1, with clusters in place of their members: first the rows of the
// clusters of a token, in the order in which their families come, then those of the other attributes.
template <class F>
void RowWindows::append(RowWindow<F>& window, const Entries& entries) const {
    constexpr std::int64_t ahead = 24;
    constexpr std::size_t families = 128;
    std::array<std::int32_t, families> cluster;
    cluster.fill(Clusters::none);
    std::array<std::uint8_t, families> met;
    std::array<bool, families> seen{};
    const std::size_t tokens = entries.tokens();
    const std::int64_t last = entries.indptr[tokens];
    window.row_begin.resize(tokens + 1);
    window.listed_begin.resize(tokens + 1);
    // Most attributes that are listed have one weight or two: room for more is made when it is needed.
    const auto grown = [](auto& vector, std::size_t size) {
        if (vector.size() < size) vector.resize(size);
    };
    grown(window.row, static_cast<std::size_t>(last) + families);
    window.row_begin[0] = window.listed_begin[0] = 0;
    std::int32_t *row = window.row.data(), *weight = window.weight.data();
    std::uint16_t* label = window.label.data();
    for (std::int64_t i = 0; i < std::min(ahead, last); ++i) __builtin_prefetch(&facts_[entries.ids[i]]);
    for (std::size_t t = 0; t < tokens; ++t) {
        const std::int64_t begin = entries.indptr[t], end = entries.indptr[t + 1];
        const auto used = static_cast<std::size_t>(weight - window.weight.data());
        const std::size_t most = used + static_cast<std::size_t>(end - begin) * RowPlan::list_up_to +
                                 static_cast<std::size_t>(listed_ahead);
        if (window.weight.size() < most) {
            window.weight.resize(2 * most);
            window.label.resize(2 * most);
            weight = window.weight.data() + used;
            label = window.label.data() + used;
        }
        std::size_t met_count = 0;
        if (clusters_) {
            for (std::int64_t i = begin; i < end; ++i) {
                if (i + ahead < last) __builtin_prefetch(&facts_[entries.ids[i + ahead]]);
                const std::uint8_t code = facts_[static_cast<std::size_t>(entries.ids[i])].cluster_code();
                if (code == 0) continue;
                const std::size_t f = (code - std::size_t{1}) / 2;
                if (!seen[f]) {
                    seen[f] = true;
                    met[met_count++] = static_cast<std::uint8_t>(f);
                }
                if (code % 2 == 1) cluster[f] = clusters_->of_head(entries.ids[i]);
            }
            for (std::size_t m = 0; m < met_count; ++m)
                if (const std::int32_t c = cluster[met[m]]; c != Clusters::none)
                    *row++ = static_cast<std::int32_t>(plan_.rows()) + c;
        }
        for (std::int64_t i = begin; i < end; ++i) {
            const AttributeFacts facts = facts_[static_cast<std::size_t>(entries.ids[i])];
            if (!clusters_ && i + ahead < last) __builtin_prefetch(&facts_[entries.ids[i + ahead]]);
            if (const std::uint8_t code = facts.cluster_code();
                code != 0 && cluster[(code - std::size_t{1}) / 2] != Clusters::none)
                continue;
            if (!facts.listed()) {
                *row++ = static_cast<std::int32_t>(facts.first());
                continue;
            }
            const std::size_t first = facts.first(), count = facts.count();
            if (count == 1) {
                *weight++ = static_cast<std::int32_t>(first);
                *label++ = facts.label();
                continue;
            }
            for (std::size_t k = first; k < first + count; ++k) {
                *weight++ = static_cast<std::int32_t>(k);
                *label++ = static_cast<std::uint16_t>(observed_.label[k]);
            }
        }
        for (std::size_t m = 0; m < met_count; ++m) {
            seen[met[m]] = false;
            cluster[met[m]] = Clusters::none;
        }
        window.row_begin[t + 1] = row - window.row.data();
        window.listed_begin[t + 1] = weight - window.weight.data();
    }
    window.rows = static_cast<std::size_t>(row - window.row.data());
    window.listed = static_cast<std::size_t>(weight - window.weight.data());
    grown(window.weight, window.listed + static_cast<std::size_t>(listed_ahead));
    std::fill_n(window.weight.begin() + static_cast<std::ptrdiff_t>(window.listed), listed_ahead, 0);
}

template <class F>
void RowWindows::make(RowWindow<F>& window, std::size_t from, std::size_t to) const {
    window.owner = 0;  // in case of an exception
    window.row_value.clear();
    window.listed_value.clear();
    const Entries entries = entries_->window(from, to, window.read);
    if (entries.values) {
        window.row_begin.clear();
        window.listed_begin.clear();
        window.row.clear();
        window.weight.clear();
        window.label.clear();
        append_valued(window, entries);
        window.rows = window.row.size();
        window.listed = window.label.size();
        window.weight.resize(window.listed + static_cast<std::size_t>(listed_ahead), 0);
    } else {
        append(window, entries);
    }
    window.owner = serial_;
    window.first = from;
    window.last = to;
}

template <class F>
RowView<F> RowWindows::view(std::size_t from, std::size_t to) const {
    if (to <= kept_.last) {
        const F *row_value = nullptr, *listed_value = nullptr;
        if (entries_->valued()) {
            if constexpr (std::is_same_v<F, double>) {
                row_value = kept_.row_value.data();
                listed_value = kept_.listed_value.data();
            } else {
                row_value = kept_row_value_.data();
                listed_value = kept_listed_value_.data();
            }
        }
        return {{kept_.row_begin.data(), kept_.row.data(), row_value},
                {kept_.listed_begin.data(), kept_.weight.data(), kept_.label.data(), listed_value},
                0};
    }
    RowWindow<F>& window = room_for<F>(from, to);
    if (window.owner != serial_ || window.first != from || window.last != to) make(window, from, to);
    return window.view();
}

void RowWindows::each_use(
    const std::function<void(std::span<const std::int32_t>, std::span<const std::int32_t>)>& visit) const {
    const auto listed = [](const auto& window) { return std::span(window.weight).first(window.listed); };
    if (kept_.last > 0) visit(std::span(kept_.row).first(kept_.rows), listed(kept_));
    RowWindow<float> window;
    for (std::size_t from = kept_.last; from < entries_->tokens(); from += FarEntries::block) {
        make(window, from, std::min(entries_->tokens(), from + FarEntries::block));
        visit(std::span(window.row).first(window.rows), listed(window));
    }
}

void RowWindows::keep(std::size_t room, std::size_t threads) {
    const std::size_t tokens = entries_->tokens(), sample = std::min(tokens, 2 * FarEntries::block);
    if (sample == 0 || room == 0) return;
    std::vector<RowWindow<double>> windows(threads <= 1 ? 1 : 4 * threads);
    make(windows[0], 0, sample);
    // The first tokens tell how much memory others need, so that vectors get their size at once.
    const double of_value = entries_->valued() ? sizeof(double) + sizeof(float) : 0.0;
    const double of_token = 16 + ((4.0 + of_value) * static_cast<double>(windows[0].rows) +
                                  (6.0 + of_value) * static_cast<double>(windows[0].listed)) /
                                     static_cast<double>(sample);
    const auto fit = std::min(tokens, static_cast<std::size_t>(static_cast<double>(room) / of_token));
    if (fit < FarEntries::block) return;
    const auto share = [&](std::size_t size) {
        return static_cast<std::size_t>(1.1 * static_cast<double>(size) * static_cast<double>(fit) /
                                        static_cast<double>(sample)) +
               static_cast<std::size_t>(listed_ahead);
    };
    kept_.row_begin.reserve(fit + 1);
    kept_.listed_begin.reserve(fit + 1);
    kept_.row.reserve(share(windows[0].rows));
    kept_.weight.reserve(share(windows[0].listed));
    kept_.label.reserve(share(windows[0].listed));
    if (entries_->valued()) {
        kept_.row_value.reserve(share(windows[0].rows));
        kept_.listed_value.reserve(share(windows[0].listed));
        kept_row_value_.reserve(share(windows[0].rows));
        kept_listed_value_.reserve(share(windows[0].listed));
    }
    kept_.row_begin.push_back(0);
    kept_.listed_begin.push_back(0);
    const auto begin = [&](std::size_t block) { return std::min(fit, block * FarEntries::block); };
    const std::size_t blocks = (fit + FarEntries::block - 1) / FarEntries::block;
    const Crew crew(threads);
    for (std::size_t first = 0, full = 0; first < blocks && full == 0; first += windows.size()) {
        const std::size_t some = std::min(windows.size(), blocks - first);
        parallel_for(some, threads,
                     [&](std::size_t i) { make(windows[i], begin(first + i), begin(first + i + 1)); });
        for (std::size_t i = 0; i < some && full == 0; ++i) full = keep(windows[i]) ? 0 : 1;
    }
    kept_.weight.resize(kept_.listed + static_cast<std::size_t>(listed_ahead), 0);
}

// Append a window to those kept; false if there is no room for it.
bool RowWindows::keep(const RowWindow<double>& window) {
    if (kept_.rows + window.rows > kept_.row.capacity() ||
        kept_.listed + window.listed + static_cast<std::size_t>(listed_ahead) > kept_.weight.capacity())
        return false;
    for (std::size_t t = 1; t <= window.last - window.first; ++t) {
        kept_.row_begin.push_back(static_cast<std::int64_t>(kept_.rows) + window.row_begin[t]);
        kept_.listed_begin.push_back(static_cast<std::int64_t>(kept_.listed) + window.listed_begin[t]);
    }
    const auto rows = static_cast<std::ptrdiff_t>(window.rows),
               listed = static_cast<std::ptrdiff_t>(window.listed);
    kept_.row.insert(kept_.row.end(), window.row.begin(), window.row.begin() + rows);
    kept_.weight.insert(kept_.weight.end(), window.weight.begin(), window.weight.begin() + listed);
    kept_.label.insert(kept_.label.end(), window.label.begin(), window.label.begin() + listed);
    const auto append_values = [](std::vector<double>& values, std::vector<float>& rounded,
                                  const std::vector<double>& more) {
        values.insert(values.end(), more.begin(), more.end());
        for (const double value : more) rounded.push_back(static_cast<float>(value));
    };
    append_values(kept_.row_value, kept_row_value_, window.row_value);
    append_values(kept_.listed_value, kept_listed_value_, window.listed_value);
    kept_.rows += window.rows;
    kept_.listed += window.listed;
    kept_.last = window.last;
    return true;
}

template RowView<float> RowWindows::view<float>(std::size_t, std::size_t) const;
template RowView<double> RowWindows::view<double>(std::size_t, std::size_t) const;

}  // namespace seqlab

#include "linear/tagging/bundles.hpp"

#include <algorithm>
#include <limits>

namespace seqlab {

namespace {

// Upper limit for "few values": tags of any language, shapes, scripts, but not words or characters.
constexpr std::size_t few_values = 256;

bool same_place(const Atom& a, const Atom& b) {
    return a.offset == b.offset && a.absolute == b.absolute;
}

bool same(const Atom& a, const Atom& b) {
    return a.values == b.values && same_place(a, b);
}

bool narrow(const std::vector<Values>& values, const Atom& atom) {
    return values[atom.values].pool().size() <= few_values;
}

bool one_cell(const std::vector<Values>& values, const Feature& feature) {
    return std::all_of(feature.atoms.begin(), feature.atoms.end(), [&](const Atom& atom) {
        const Atom& first = feature.atoms[0];
        return same_place(atom, first) && values[atom.values].column() == values[first.values].column();
    });
}

bool all_narrow(const std::vector<Values>& values, const Feature& feature) {
    return std::all_of(feature.atoms.begin(), feature.atoms.end(),
                       [&](const Atom& atom) { return narrow(values, atom); });
}

// The radices of a window, or none when its keys would not fit 64 bits.
std::vector<std::uint64_t> radices(const std::vector<Values>& values, const std::vector<Atom>& atoms,
                                   const std::vector<std::size_t>& window) {
    std::vector<std::uint64_t> radix;
    std::uint64_t next = 1;
    for (const std::size_t a : window) {
        radix.push_back(next);
        const std::uint64_t size = values[atoms[a].values].pool().size() + 1;
        if (next > std::numeric_limits<std::uint64_t>::max() / 2 / size) return {};
        next *= size;
    }
    return radix;
}

}  // namespace

std::size_t BundlePlan::number_of(const Atom& atom) {
    const auto found =
        std::find_if(atoms.begin(), atoms.end(), [&](const Atom& known) { return same(known, atom); });
    if (found != atoms.end()) return static_cast<std::size_t>(found - atoms.begin());
    atoms.push_back(atom);
    return atoms.size() - 1;
}

CellBundle* BundlePlan::cell_of(const AllValues& values, const Atom& atom) {
    const auto found = std::find_if(cells.begin(), cells.end(), [&](const CellBundle& cell) {
        return cell.column == values[atom.values].column() && cell.offset == atom.offset &&
               cell.absolute == atom.absolute;
    });
    return found == cells.end() ? nullptr : &*found;
}

void BundlePlan::add_to_cell(const AllValues& values, const Feature& feature, std::size_t number) {
    const Atom& atom = feature.atoms[0];
    if (CellBundle* const cell = cell_of(values, atom))
        cell->features.push_back(number);
    else
        cells.push_back({values[atom.values].column(), atom.offset, atom.absolute, {number}});
}

bool BundlePlan::add_to_window(const Feature& feature, std::size_t number) {
    for (WindowBundle& window : windows) {
        std::vector<std::size_t> places;
        for (const Atom& atom : feature.atoms)
            for (std::size_t i = 0; i < window.atoms.size(); ++i)
                if (same(atoms[window.atoms[i]], atom)) places.push_back(i);
        if (places.size() != feature.atoms.size()) continue;
        window.features.push_back(number);
        window.places.push_back(std::move(places));
        return true;
    }
    return false;
}

// Add a feature over several cells: to a window if its values are few, otherwise by itself.
void BundlePlan::add_several(const AllValues& values, const Feature& feature, std::size_t number) {
    if (all_narrow(values, feature) && add_to_window(feature, number)) return;
    std::vector<std::size_t> numbers;
    for (const Atom& atom : feature.atoms) numbers.push_back(number_of(atom));
    WindowBundle window;
    if (all_narrow(values, feature)) {
        window.atoms = numbers;
        std::sort(window.atoms.begin(), window.atoms.end());
        window.atoms.erase(std::unique(window.atoms.begin(), window.atoms.end()), window.atoms.end());
        window.radix = radices(values, atoms, window.atoms);
    }
    if (window.radix.empty()) {
        lone.push_back({number, std::move(numbers)});
        return;
    }
    windows.push_back(std::move(window));
    add_to_window(feature, number);
}

BundlePlan::BundlePlan(const AllValues& values, const std::vector<Feature>& features) {
    std::vector<std::size_t> several, few;
    for (std::size_t f = 0; f < features.size(); ++f) {
        if (!one_cell(values, features[f]))
            several.push_back(f);
        else if (!features[f].atoms.empty())
            all_narrow(values, features[f]) ? few.push_back(f) : add_to_cell(values, features[f], f);
    }
    // Long features first: a feature on a part of a window is added to that window.
    std::stable_sort(several.begin(), several.end(), [&](std::size_t a, std::size_t b) {
        return features[a].atoms.size() > features[b].atoms.size();
    });
    for (const std::size_t f : several) add_several(values, features[f], f);
    // A feature with few values costs nothing in an existing cell or window; otherwise it makes a cell.
    for (const std::size_t f : few)
        if (cell_of(values, features[f].atoms[0]) || !add_to_window(features[f], f))
            add_to_cell(values, features[f], f);
    for (std::size_t f = 0; f < features.size(); ++f)
        if (features[f].atoms.empty()) (cells.empty() ? always : cells[0].features).push_back(f);
    join_cells();
    list_values(values, features);
}

std::vector<std::size_t> BundlePlan::values_at_tokens(const AllValues& values, std::size_t column) const {
    std::vector<std::size_t> read;
    for (std::size_t v = 0; v < values.size(); ++v)
        if (values[v].column() == column &&
            std::any_of(atoms.begin(), atoms.end(), [&](const Atom& atom) { return atom.values == v; }))
            read.push_back(v);
    return read;
}

void BundlePlan::list_values(const AllValues& values, const std::vector<Feature>& features) {
    for (CellFamily& family : families) {
        std::vector<bool> read(values.size(), false);
        for (const std::size_t c : family.cells)
            for (const std::size_t f : cells[c].features)
                for (const Atom& atom : features[f].atoms) read[atom.values] = true;
        for (std::size_t v = 0; v < read.size(); ++v)
            if (read[v]) family.values.push_back(v);
    }
}

void BundlePlan::join_cells() {
    for (std::size_t c = 0; c < cells.size(); ++c) {
        const CellBundle& cell = cells[c];
        const auto found = std::find_if(families.begin(), families.end(), [&](const CellFamily& family) {
            return !cell.absolute && !family.absolute && family.column == cell.column;
        });
        if (found == families.end()) {
            families.push_back({cell.column, {c}, {}, cell.offset, cell.offset, cell.absolute});
            continue;
        }
        found->cells.push_back(c);
        found->least = std::min(found->least, cell.offset);
        found->most = std::max(found->most, cell.offset);
    }
}

}  // namespace seqlab

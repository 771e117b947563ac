# `make demo` and `make test` work alone from a fresh clone, with Python 3.11 (or newer) and make.
PYTHON ?= python3
BIN := .venv/bin
# Without compiled modules each of the many processes of the tests would compile the package anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo test test-all gpu faults check lint types contracts docs proofs checker format bench clean

help:
	@echo "make demo      install, then learn three languages and test them far beyond (minutes)"
	@echo "make test      install with the test tools, then run the tests"
	@echo "make test-all  the same with the slow tests"
	@echo "make faults    plant 60 faults in a copy of the package: the tests must notice each"
	@echo "make check     lint, format, types, import contracts, docs, tests"
	@echo "make docs      the docs site, into site/"
	@echo "make proofs    check proofs/ with Rocq (coqc and coqchk), if it is installed"
	@echo "make checker   build/checker: a second checker of certificates, in Rust, if rustc is there"
	@echo "make bench     speed, as ratios measured in one process"
	@echo "make gpu       on an accelerator: the tests that need one, and training steps"

demo: .venv/installed
	$(BIN)/lengthwise demo

test: .venv/installed-dev
	$(BIN)/pytest -n 2 --dist worksteal -q -m "not slow"

test-all: .venv/installed-dev
	HYPOTHESIS_PROFILE=thorough $(BIN)/pytest -n 2 --dist worksteal -q
	$(BIN)/pytest -n 2 -q -m gpu --accelerator cpu

gpu: .venv/installed-dev
	$(BIN)/pytest -q -m gpu
	$(BIN)/python benchmarks/bench.py gpu

faults: .venv/installed-dev
	$(BIN)/python tests/faults.py

check: lint types contracts docs test

lint: .venv/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/installed-dev
	$(BIN)/mypy

contracts: .venv/installed-dev
	$(BIN)/lint-imports

docs: .venv/installed-dev
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet

proofs: .venv/installed
	$(BIN)/python proofs/export_zoo.py
	$(PYTHON) proofs/check.py

checker: build/checker

build/checker: checker/checker.rs
	@command -v rustc > /dev/null || \
	  { echo "make checker needs rustc. Install it: apt-get install rustc, or https://rustup.rs"; exit 2; }
	@mkdir -p build
	rustc --edition 2021 -O -C overflow-checks=on -o $@.new checker/checker.rs
	mv $@.new $@

format: .venv/installed-dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: .venv/installed-dev
	$(BIN)/python benchmarks/bench.py

.venv/created:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "lengthwise needs Python 3.11 or newer, but $(PYTHON) is older. Try: make PYTHON=python3.11"; exit 2; }
	$(PYTHON) -m venv .venv
	@touch $@

.venv/installed: .venv/created pyproject.toml papers/pyproject.toml constraints.txt
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e . -e ./papers
	@touch $@

.venv/installed-dev: .venv/created pyproject.toml papers/pyproject.toml constraints.txt
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[dev]" -e ./papers
	@touch $@ .venv/installed

clean:
	rm -rf .venv build dist site src/*.egg-info papers/src/*.egg-info

# Needs nothing but python3 (3.11 or later) and make: every target installs what it needs into .venv, once.
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
SETTINGS := pyproject.toml constraints.txt

.PHONY: help demo test test-all lint types bench install clean

help:
	@echo "make demo      map the bundled example and write a picture"
	@echo "make test      lint, types, doctests and tests"
	@echo "make test-all  the same, with the long tests"
	@echo "make bench     mrsne beside openTSNE, scikit-learn and umap-learn, stage by stage"
	@echo "make install   an environment for development in .venv"
	@echo "make clean     remove everything that was installed or generated"

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "mrsne needs Python 3.11 or later, $(PYTHON) is %d.%d" % sys.version_info[:2] or 0)'
	@$(PYTHON) -m venv .venv

.venv/installed: .venv/bin/python $(SETTINGS)
	@echo "installing mrsne into .venv ..."
	@$(PIP) install --constraint constraints.txt --editable .
	@touch $@

.venv/installed-dev: .venv/installed
	@echo "installing the tools for tests into .venv ..."
	@$(PIP) install --constraint constraints.txt --editable '.[dev]'
	@touch $@

install: .venv/installed-dev

demo: .venv/installed
	@$(BIN)/mrsne demo

lint: .venv/installed-dev
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

types: .venv/installed-dev
	@$(BIN)/mypy

test: lint types
	@$(BIN)/python -m pytest -q -m "not slow"

test-all: lint types
	@$(BIN)/python -m pytest -q

.venv/installed-bench: .venv/installed-dev
	@echo "installing mrsne's peers into .venv ..."
	@$(PIP) install --constraint constraints.txt --editable '.[bench]'
	@touch $@

bench: .venv/installed-bench
	@$(BIN)/python -m benchmarks
	@$(BIN)/python -m benchmarks.iterations --sizes 2585 20000 --paper

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis dist demo
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

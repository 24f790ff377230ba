# boxdraw: `make help` lists what there is. Needs only make and Python 3.11 or newer with its venv module.
#   make test PYTHON=python3.13           another Python
#   make test VENV=/tmp/v                 another place for the virtual environment
#   make test CONSTRAINTS=ci/oldest.txt   fixed versions of the dependencies; best with a VENV of its own

.SUFFIXES:
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help
.PHONY: help demo test bench docs clean

PYTHON ?= python3
VENV ?= .venv
CONSTRAINTS ?=

BIN = $(VENV)/bin
# Stamps in the virtual environment: what was installed, against which pyproject.toml and which constraints.
VENV_MADE = $(VENV)/.made
INSTALLED = $(VENV)/.installed$(if $(CONSTRAINTS),-$(notdir $(CONSTRAINTS)))
PIP_INSTALL = $(BIN)/python -m pip install -q --disable-pip-version-check $(if $(CONSTRAINTS),-c $(CONSTRAINTS))

help:
	@echo "make demo    fit boxes to example data and write pictures and rules to demo/"
	@echo "make test    style, types, tests and doctests"
	@echo "make bench   run every script in benchmarks/"
	@echo "make docs    build the documentation in docs/_build/html"
	@echo "make clean   remove what the others made"
	@echo "Variables: PYTHON=$(PYTHON) VENV=$(VENV) CONSTRAINTS=$(CONSTRAINTS)"

demo: $(INSTALLED)-plot
	$(BIN)/python -m boxdraw.demo --out demo

test: $(INSTALLED)-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pytest -n auto

bench: $(INSTALLED)-bench
	@for script in benchmarks/[!_]*.py; do \
	    [ -e "$$script" ] || continue; \
	    echo "$$script"; \
	    $(BIN)/python "$$script" || exit 1; \
	done

docs: $(INSTALLED)-docs
	$(BIN)/sphinx-build -q -W --keep-going -b html docs docs/_build/html
	@echo "Open docs/_build/html/index.html"

# A virtual environment elsewhere (VENV=...) is yours to remove.
clean:
	rm -rf .venv build dist demo docs/_build docs/generated
	rm -rf .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name .git -prune -o -name __pycache__ -type d -prune -exec rm -rf {} +

$(INSTALLED)-plot $(INSTALLED)-test $(INSTALLED)-bench $(INSTALLED)-docs: $(VENV_MADE) pyproject.toml $(CONSTRAINTS)
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

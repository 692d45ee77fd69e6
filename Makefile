# Everything a person or CI does here, by name. Needs python3 (3.11 or newer, with venv) and make.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet
JOBS ?= auto
UV_VERSION := 0.13.9
LOCK := .venv-lock/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-header --no-annotate --no-emit-index-url --no-emit-find-links $(LOCK_FLAGS)

# A virtual environment works only where it was made, with the Python it was made with.
SOUND := test "$$(cat $(VENV)/.place)" = "$$(pwd)" && $(BIN)/python -c 'import pip'
ifneq ($(shell test -e $(VENV)/.place && { { $(SOUND); } 2>/dev/null || echo stale; }),)
$(shell rm -rf $(VENV))
endif

.DEFAULT_GOAL := help
.PHONY: help run test soak fast check crosscheck format spec bench lock

help: ## Show what make can do
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /|/' | awk -F'|' '{printf "  make %-10s %s\n", $$1, $$2}'

run: $(VENV)/.run ## Serve on 127.0.0.1:8000 with an embedded PostgreSQL (SPADES_* and DATABASE_URL are honoured)
	@exec $(BIN)/spades serve

test: $(VENV)/.dev ## Run the whole test suite
	$(BIN)/python -m pytest -n $(JOBS)

soak: $(VENV)/.dev ## Play 200 random games of each ruleset over HTTP, and 3 at default options
	SPADES_GAMES=200 $(BIN)/python -m pytest -n $(JOBS) tests/e2e/test_whole_games.py

fast: $(VENV)/.dev ## Run the tests that take a breath
	$(BIN)/python -m pytest -n $(JOBS) -m "not slow"

check: $(VENV)/.dev ## Lint, types, imports, drift of the contract, docs
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/python -m pytest -q tests/docs tests/contract -k "docs or drift"

crosscheck: $(VENV)/.dev ## Verify the published vectors with the independent verifier in JavaScript (needs Node)
	$(BIN)/python -m tests.verifier.crosscheck

format: $(VENV)/.dev ## Put the code into its layout
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

spec: $(VENV)/.dev ## Write the contract and its pages again
	$(BIN)/python -m spades.api.export
	$(BIN)/python -m spades.api.reference

bench: $(VENV)/.dev ## Measure moves per second over HTTP beside their ceiling
	$(BIN)/python -m tests.bench

lock: ## Resolve the dependencies again into the lock files
	@test -x .venv-lock/bin/uv || { $(PYTHON) -m venv .venv-lock && .venv-lock/bin/python -m pip install -q uv==$(UV_VERSION); }
	$(LOCK) pyproject.toml -o requirements.lock
	$(LOCK) -c requirements.lock pyproject.toml --group dev -o requirements-dev.lock
	$(LOCK) --group build -o requirements-build.lock

$(VENV)/.place:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed (set PYTHON=...)")'
	@echo "Making $(VENV) (once) ..."
	@$(PYTHON) -m venv $(VENV)
	@pwd > $@

$(VENV)/.run: requirements.lock requirements-build.lock pyproject.toml | $(VENV)/.place
	@echo "Installing what the service needs ..."
	@$(PIP) --require-hashes --only-binary :all: -r requirements.lock -r requirements-build.lock
	@$(PIP) --no-deps --no-build-isolation --no-index --editable .
	@touch $@

$(VENV)/.dev: requirements-dev.lock $(VENV)/.run
	@echo "Installing what its development needs ..."
	@$(PIP) --require-hashes --only-binary :all: -r requirements-dev.lock
	@touch $@

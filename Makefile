# `make match` and `make test` set up everything they need; see README.md.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
JOBS ?= 2

.PHONY: setup match test test-browser test-slow mutate lint format bench packs docs release-check clean

# Without bytecode on disk each of the hundreds of processes that tests start compiles Hedgehog and what it imports anew.
unexport PYTHONDONTWRITEBYTECODE
# One test runs per core, so threads of linear algebra would only wait for each other.
test quick test-slow: export OPENBLAS_NUM_THREADS = 1

# Two environments in one folder: a match needs the run-time packages only; tests add the independent oracles.
$(VENV)/.runtime: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit("Hedgehog needs Python 3.11 or newer") if sys.version_info < (3, 11) else None'
	@echo "Setting up Python packages in $(VENV) (once, about a minute)"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e .
	touch $@

$(VENV)/.dev: $(VENV)/.runtime
	@echo "Setting up what the tests need (once, about a minute)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[test]'
	touch $@

setup: $(VENV)/.dev

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# `make test ROOM=dealer` or `ROOM=solver/cfr`: lint, types and tests of one room.
ifdef ROOM
test: $(VENV)/.dev
	$(BIN)/ruff check $(ROOM) tests/$(ROOM)
	$(BIN)/ruff format --check $(ROOM) tests/$(ROOM)
	$(BIN)/mypy -p $(if $(filter benchmarks%,$(ROOM)),,hedgehog.)$(subst /,.,$(ROOM))
	$(BIN)/lint-imports
	$(BIN)/python -m pytest tests/$(ROOM) -m "not slow" -n $(JOBS) --dist worksteal
else
# Types are checked on one core while the tests begin on the others.
test: $(VENV)/.dev
	@$(MAKE) --no-print-directory -j 2 lint quick
endif

.PHONY: quick
quick: $(VENV)/.dev
	$(BIN)/python -m pytest -m "not slow" -n $(JOBS) --dist worksteal

# Debian's chromium, for the tests of the explorer in a browser; without it they are skipped.
test-browser: $(VENV)/.dev
	@command -v chromium >/dev/null || { apt-get update -q && apt-get install -qy chromium; }
	$(BIN)/python -m pytest tests/explorer/test_browser.py

test-slow: $(VENV)/.dev
	$(BIN)/python -m pytest -m slow

# Small changes of the code of one room or file (`make mutate ROOM=dealer`, `ROOM=runtime/outputs.py`): do its tests see them?
SAMPLE ?= 25
SEED ?= 1
mutate: $(VENV)/.dev
	$(BIN)/python -m benchmarks.mutate $(ROOM) --sample $(SAMPLE) --seed $(SEED)

bench: $(VENV)/.dev
	$(BIN)/hedgehog bench

match: $(VENV)/.runtime
	$(BIN)/hedgehog match default call --hands 50 --seed 1 --think-ms 180 --aivat --out runs/make-match --overwrite

$(VENV)/.docs: $(VENV)/.runtime
	@echo "Setting up what the site needs (once, about half a minute)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[docs]'
	touch $@

# The pages as a site in build/site: with search and a reference of the public names; needs no network once set up.
docs: $(VENV)/.docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet
	@echo "The site is in build/site/index.html"

# Builds wheel and sdist, installs each in an empty environment and runs the first hour from it (minutes, needs the network).
release-check: $(VENV)/.dev
	$(BIN)/python -m benchmarks.release.check

# Rebuilds the shipped packs (hours); interrupt and run again at will.
packs: $(VENV)/.runtime
	$(BIN)/hedgehog pack build strategies/configs/default-blueprint.yaml --out strategies/packs/blueprint --work runs/blueprint.work --overwrite
	$(BIN)/hedgehog pack build strategies/configs/blueprint-depths.yaml --out strategies/packs --work runs/blueprint-depths.work --overwrite
	$(BIN)/hedgehog pack build strategies/configs/quick-flops.yaml --out strategies/packs/quick-flops --work runs/quick-flops.work --overwrite

clean:
	rm -rf build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis

# Every target sets up what it needs: the environment in .venv, from what constraints.txt pins.
# Paths are relative throughout, so that a checkout may live in a folder with spaces.

SHELL := /bin/sh
PY := .venv/bin/python
BALANCE := .venv/bin/balance
# Workers of pytest.
JOBS ?= 2
# Deals of each cell of the demo.
DEMO_GAMES ?= 60
# Cell 500, index 0, replicate 0: two players and two twists.
DEMO_GAME := 5000000000000000

# An activated environment or a stray search path must not leak into ours.
unexport VIRTUAL_ENV
unexport PYTHONHOME
unexport PYTHONPATH
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.DEFAULT_GOAL := help
.PHONY: help demo test test-fast check test-update docs bench measure soak clean venv

help: ## Show the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

# A few games of every pair of twists at every player count; the second time they are there already.
demo: venv ## The main job: a small sweep over all pairs and player counts, and a report on it
	@set -e; \
	echo "1 of 4: what is installed"; \
	$(BALANCE) doctor; \
	echo; echo "2 of 4: playing $(DEMO_GAMES) games of each combination (balance simulate --games $(DEMO_GAMES) --seed 7)"; \
	run="$$($(BALANCE) simulate --games $(DEMO_GAMES) --seed 7)"; \
	echo; echo "3 of 4: the end of one of its games (balance replay $$run $(DEMO_GAME))"; \
	$(BALANCE) replay "$$run" $(DEMO_GAME) | tail -n 24; \
	echo; echo "4 of 4: the report (balance report $$run --out reports/demo.html --force)"; \
	$(BALANCE) report "$$run" --out reports/demo.html --force; \
	echo; echo "Open reports/demo.html in a browser. The games are in $$run."; \
	echo "What to do next: docs/tutorial.md, after source .venv/bin/activate"

test: venv ## All tests
	$(PY) -m pytest -n $(JOBS) --dist worksteal

test-fast: venv ## The tests of every day, in about a minute
	$(PY) -m pytest -n $(JOBS) --dist worksteal -m 'not slow'

check: venv ## Format, lint, strict types, spelling
	$(PY) -m ruff format --check
	$(PY) -m ruff check
	$(PY) -m mypy
	$(PY) -m codespell_lib

test-update: venv ## Rewrite the golden files of the tests; look at the diff
	$(PY) -m pytest -n $(JOBS) --update-goldens -q

docs: venv ## The pages as a site: site/index.html
	NO_MKDOCS_2_WARNING=1 $(PY) -m mkdocs build --strict
	@echo site/index.html

# Options of scripts/bench.py, such as --fast or --only decision.
BENCH ?=
bench: venv ## Measure speed, and print it as one Markdown table
	$(PY) scripts/bench.py $(BENCH)

# Stopped and called again, the ladder and the players go on where they were. Each line can be run alone.
measure: venv ## Measure what ships as data again: ladder, facts in doubt, prices, strength of the players (hours)
	$(PY) scripts/measure_ladder.py --games 600
	$(BALANCE) contested --edition ascora-2011 --players 4 --games 400 --combinations 12 --seed 0 \
	    --json --out data/nefarious/contested.json --force
	$(BALANCE) price --edition ascora-2011 --players 4 --games 20000 --seed 0 \
	    --json --out data/nefarious/prices.json --force
	$(PY) scripts/measure_players.py

# How many games, and which.
GAMES ?= 20000
SEED ?= 1
soak: venv ## The compiled rules against the plain engine, and SQL that tries to write: make soak GAMES=200000 SEED=1
	$(PY) scripts/soak.py --games $(GAMES) --seed $(SEED)
	$(PY) -m tests.dataset.sql_grammar $(GAMES) $(SEED)

clean: ## Remove the environment, caches and build output (never data/runs or reports)
	rm -rf .venv site .mypy_cache .pytest_cache .ruff_cache .hypothesis build dist *.egg-info
	find balance tests scripts -name __pycache__ -type d -prune -exec rm -rf {} +

# The stamp holds what the environment was made from and where: a second call neither waits nor goes
# online, and a checkout that was moved or has other pins is installed anew.
venv:
	@want="$$(cat pyproject.toml constraints.txt | cksum) $$(pwd -P)"; \
	if [ "$$(cat .venv/.installed 2>/dev/null)" = "$$want" ] && [ -x $(PY) ]; then exit 0; fi; \
	set -e; \
	if ! $(PY) -m pip --version >/dev/null 2>&1; then \
	    found=; \
	    for python in python3 python3.13 python3.12 python3.11; do \
	        if "$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
	            found="$$python"; break; \
	        fi; \
	    done; \
	    if [ -z "$$found" ]; then \
	        echo "Python 3.11 or newer is needed, and none is on the PATH (looked for python3," >&2; \
	        echo "python3.13, python3.12, python3.11). Install one and run make again." >&2; \
	        exit 1; \
	    fi; \
	    echo "Creating .venv with $$found ($$("$$found" --version))"; \
	    "$$found" -m venv --clear .venv; \
	fi; \
	echo "Installing what constraints.txt pins into .venv (a minute or more)"; \
	$(PY) -m pip install -qq -c constraints.txt hatchling; \
	$(PY) -m pip install -qq --no-build-isolation -c constraints.txt -e '.[dev]'; \
	printf '%s' "$$want" > .venv/.installed

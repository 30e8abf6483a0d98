# Every target sets up what it needs: the environment in .venv, from what constraints.txt pins.
# Paths are relative throughout, so that a checkout may live in a folder with spaces.

SHELL := /bin/sh
PY := .venv/bin/python
BALANCE := .venv/bin/balance
# Workers of pytest.
JOBS ?= 2
# What the demo plays: a dozen twists, alone and in pairs, with games enough for verdicts.
DEMO_TWISTS := all:better-left-unknown,blood-sweat-and-mice,cheap-fusion-power,free-radio,game-theory,geeks,$\
mad-broker,perpetual-motion,philanthropy,recycling,stolen-parts,unions
DEMO_GAMES ?= 2000

# An activated environment or a stray search path must not leak into ours.
unexport VIRTUAL_ENV
unexport PYTHONHOME
unexport PYTHONPATH
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.DEFAULT_GOAL := help
.PHONY: help demo test test-fast check test-update docs bench measure soak clean venv runtime

help: ## Show the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

# The second time the games are there already. Bars show on a terminal, with the time left.
demo: runtime ## The main job: a dozen rule variants and all their pairs played and judged, and a report on them
	@set -e; begun=$$(date +%s); \
	step() { printf '[%3d s] %s\n' $$(($$(date +%s) - begun)) "$$1"; }; \
	step "1 of 2: compiling once (about a minute), then playing about 300,000 games (less than a minute on two cores)"; \
	run="$$($(BALANCE) simulate --players 4 --twists "$(DEMO_TWISTS)" --games $(DEMO_GAMES) --seed 7)"; \
	step "2 of 2: the report (half a minute): balance report $$run --out reports/demo.html --force"; \
	$(BALANCE) report "$$run" --out reports/demo.html --force; \
	step "Open reports/demo.html in a browser. The games are in $$run."; \
	echo "What to do next: docs/tutorial.md, after source .venv/bin/activate"

test: venv ## All tests
	$(PY) -m pytest -n $(JOBS) --dist worksteal -m 'not soak'

test-fast: venv ## The tests of every day, in about a minute
	$(PY) -m pytest -n $(JOBS) --dist worksteal -m 'not slow and not soak'

check: venv ## Format, lint, strict types, spelling
	$(PY) -m ruff format --check
	$(PY) -m ruff check
	$(PY) -m mypy
	$(PY) -m codespell_lib

test-update: venv ## Rewrite the golden files of the tests; look at the diff
	$(PY) -m pytest -n $(JOBS) --update-goldens -q -m 'not soak'

docs: venv ## The pages as a site: site/index.html
	NO_MKDOCS_2_WARNING=1 $(PY) -m mkdocs build --strict
	@echo site/index.html

# Options of scripts/bench.py, such as --fast or --only decision.
BENCH ?=
bench: venv ## Measure speed, and print it as one Markdown table
	$(PY) scripts/bench.py $(BENCH)

# Stopped and called again, all but facts in doubt and prices go on where they were. Each line can be run alone.
measure: venv ## Measure what ships as data again: ladder, facts in doubt, prices, players, best replies, verdicts (hours)
	$(PY) scripts/measure_ladder.py --games 600
	$(BALANCE) contested --edition ascora-2011 --players 4 --games 2000 --combinations 12 --seed 0 \
	    --json --out data/nefarious/contested.json --force
	$(BALANCE) price --edition ascora-2011 --players 4 --games 20000 --seed 0 \
	    --json --out data/nefarious/prices.json --force
	$(PY) scripts/measure_players.py
	$(PY) scripts/measure_replies.py
	$(PY) scripts/study_harmless.py
	$(BALANCE) simulate --twists all --games 1600 --seed 0 --out data/runs/measuring/verdicts
	$(PY) scripts/study_search.py data/runs/measuring/verdicts --out data/nefarious/agreement.json

# How many games, and which.
GAMES ?= 20000
SEED ?= 1
soak: venv ## The compiled rules against the plain engine, and SQL that tries to write: make soak GAMES=200000 SEED=1
	$(PY) scripts/soak.py --games $(GAMES) --seed $(SEED)
	$(PY) -m tests.dataset.sql_grammar $(GAMES) $(SEED)
	$(PY) -m pytest -m soak

clean: ## Remove the environment, caches and build output (never data/runs or reports)
	rm -rf .venv site .mypy_cache .pytest_cache .ruff_cache .hypothesis build dist *.egg-info
	find balance tests scripts -name __pycache__ -type d -prune -exec rm -rf {} +

# The stamp holds what the environment was made from and where: a second call neither waits nor goes
# online, and a checkout that was moved or has other pins is installed anew.
venv: # everything for development
	$(call install,dev,[dev])

runtime: # what the demo needs; the environment for development will do
	$(call install,runtime dev,)

# $(1): the stamps that will do, the first of which is written; $(2): extras of the package.
define install
	@want="$$(cat pyproject.toml constraints.txt | cksum) $$(pwd -P)"; begun=$$(date +%s); \
	for kind in $(1); do \
	    if [ "$$(cat .venv/.installed 2>/dev/null)" = "$$want $$kind" ] && [ -x $(PY) ]; then exit 0; fi; \
	done; \
	set -e; \
	step() { printf '[%3d s] environment: %s\n' $$(($$(date +%s) - begun)) "$$1" >&2; }; \
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
	    step "creating .venv with $$found ($$("$$found" --version))"; \
	    "$$found" -m venv --clear .venv; \
	fi; \
	step "downloading and installing what constraints.txt pins (about a minute)"; \
	$(PY) -m pip install -qq -c constraints.txt hatchling; \
	$(PY) -m pip install -qq --no-build-isolation -c constraints.txt -e '.$(2)'; \
	printf '%s' "$$want $(firstword $(1))" > .venv/.installed; \
	step "ready"
endef

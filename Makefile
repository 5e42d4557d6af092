# Every target sets up .venv by itself; `make demo` and `make test` need only Python ≥ 3.11.
PYTHON ?= python3
BIN := .venv/bin
# Shapes and types of every call inside the package are checked while its tests run.
TYPED := --jaxtyping-packages="arithmax,beartype.beartype(conf=beartype.BeartypeConf(is_pep484_tower=True))"
# But not in these: what the hook replaces, and what calls small functions so often that
# the checks are most of its time: searches, and all that reads the runs in `results/`.
# Others hold the same rooms.
UNHOOKED := $(wildcard docs/*.md) tests/unhooked tests/regressor \
  $(patsubst %,tests/discover/test_%.py,search stages uneven wide) \
  $(patsubst %,tests/cli/test_%.py,discover discover_uncertainty) \
  $(patsubst %,tests/studies/%.py,inalu/test_inalu_tries primer/test_one_recipe \
    primer/test_second_order slides/test_stored_runs slides/test_theory \
    success/test_what_decides) \
  $(patsubst %,tests/benchmark/test_%.py,best leaderboard) \
  $(patsubst %,tests/discover/test_%.py,account small_tables) \
  tests/benchmarks/test_agreement.py tests/studies/test_sheet.py \
  tests/layers/test_fit.py tests/report/test_leaderboard_page.py \
  tests/test_documented_commands.py tests/test_errors_page.py
# Compiled files are kept: workers, and commands that tests start, need not compile again.
export PYTHONDONTWRITEBYTECODE :=
PIP := $(BIN)/python -m pip --disable-pip-version-check install -q -c constraints.txt

.PHONY: demo test slow lint docs notebook bench clean

demo: .venv/.package
	$(BIN)/arithmax demo

test: lint docs
	$(BIN)/pytest -n 2 --dist worksteal -m "not slow" $(TYPED) $(UNHOOKED:%=--ignore=%)
	$(BIN)/pytest -n 2 --dist worksteal -m "not slow" $(UNHOOKED)

# What takes minutes: kills, simulations, whole studies, and the wheel in an empty
# environment. CI runs it after `make test`.
slow: .venv/.dev
	$(BIN)/pytest -n 2 --dist loadgroup -m slow $(TYPED) $(UNHOOKED:%=--ignore=%)
	$(BIN)/pytest -n 2 -m slow $(UNHOOKED)

lint: .venv/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/pyright

docs: .venv/.dev
	@echo "Building the pages, about a minute"
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict -q
	@echo "Wrote site/index.html"

# The notebooks with what they print and draw; their tests compare.
notebook: .venv/.dev
	cd examples && for name in *.ipynb; do ../$(BIN)/python -c "import nbclient, nbformat, sys; \
	  book = nbformat.read(sys.argv[1], 4); \
	  nbclient.NotebookClient(book, record_timing=False, coalesce_streams=True).execute(); \
	  nbformat.write(book, sys.argv[1])" $$name || exit 1; done

# Figures of docs/performance.md, in CPU seconds; on an accelerator run the first line
# with `--json docs/data/fleet-h200.json`.
bench: .venv/.dev
	OMP_NUM_THREADS=1 $(BIN)/python benchmarks/fleet.py --json docs/data/fleet-cpu.json
	OMP_NUM_THREADS=1 $(BIN)/python benchmarks/account.py --json docs/data/account-cpu.json
	OMP_NUM_THREADS=1 $(BIN)/python benchmarks/tries.py --json docs/data/tries-cpu.json
	OMP_NUM_THREADS=1 $(BIN)/python benchmarks/second_order.py --json docs/data/second-order-cpu.json
	OMP_NUM_THREADS=1 $(BIN)/python benchmarks/layers.py --json docs/data/layers.json

clean:
	rm -rf .venv site

.venv/.package: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@echo "Installing into .venv, a minute or two"
	$(PIP) -e ".[discover,report]"
	touch $@

.venv/.dev: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@echo "Installing into .venv, a minute or two"
	$(PIP) -e ".[dev]"
	touch $@

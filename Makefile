# `make run` and `make test` set up all that they need: Python 3.11 to 3.13 and make are enough.
# PYTHON picks the interpreter, VENV the virtual environment, PORT and HOST where `run` answers.

PYTHON ?= python3
VENV ?= .venv
export PORT HOST

bin = $(VENV)/bin
install = "$(PYTHON)" requirements/install.py "$(VENV)"
lock = "$(bin)/uv" pip compile pyproject.toml --universal -p 3.11 --generate-hashes \
	--no-annotate --no-header --no-emit-index-url --quiet $(ARGS)

.PHONY: run test collect lint soak bench audit lock clean

run:  ## serve the site on PORT, with a database of its own unless DATABASE_URL names one
	@$(install) requirements/run.lock && exec "$(bin)/python" -m gpucompare.serve

# The order of the tests, and what chance picks in them, is one for every change and free in `soak`.
test:  ## every test that is quick enough for every change
	@$(install) requirements/test.lock
	"$(bin)/python" -m pytest -n 3 --dist loadscope --no-loadscope-reorder --randomly-seed=1 $(ARGS)

# The workers of `test` would each compile all of it at the same time.
collect:  ## whether every test can be found; what Python makes of their files is kept for `test`
	@$(install) requirements/test.lock
	"$(bin)/python" -m pytest --collect-only -qq

soak:  ## the tests that take long
	@$(install) requirements/test.lock
	"$(bin)/python" -m pytest -n 2 -m soak $(ARGS)
	GPUCOMPARE_EXAMPLES=300 "$(bin)/python" -m pytest -n 2 -m "hypothesis and not soak" $(ARGS)

bench:  ## how long what must be quick takes, as ratios within one run
	@$(install) requirements/test.lock
	"$(bin)/python" -m bench $(ARGS)

lint:
	@$(install) requirements/test.lock
	"$(bin)/ruff" check
	"$(bin)/ruff" format --check
	"$(bin)/mypy" .
	"$(bin)/lint-imports"
	"$(bin)/djlint" --lint --quiet templates
	"$(bin)/python" manage.py check
	"$(bin)/python" manage.py makemigrations --check
	"$(bin)/python" manage.py lint_catalog --verbosity 0
	"$(bin)/python" manage.py translations check

audit:  ## which locked packages have known vulnerabilities, where that can be asked
	@$(install) requirements/test.lock
	"$(bin)/python" requirements/audit.py "$(VENV)/audit" requirements/run.lock

lock:  ## write the lock files anew from pyproject.toml; ARGS=--upgrade takes newer versions
	@$(install) requirements/test.lock
	"$(bin)/python" -m pip install --quiet "uv~=0.13.0"
	$(lock) --group test -o requirements/test.lock
	$(lock) -c requirements/test.lock -o requirements/run.lock

clean:  ## all that the targets above made, except the data in .local
	rm -rf "$(VENV)" .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	rm -rf staticfiles test-results
	find . -name __pycache__ -prune -exec rm -rf {} +

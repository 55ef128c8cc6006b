# The whole set-up is one virtual environment below the checkout; python3 (3.11 or newer) and make
# are all a fresh machine needs. `make help` lists the targets.

PYTHON ?= python3
# Another interpreter needs an environment of its own: make test PYTHON=python3.12 VENV=.venv-3.12
VENV ?= .venv
ifeq ($(OS),Windows_NT)
BIN := $(VENV)/Scripts
else
BIN := $(VENV)/bin
endif
RUN := $(BIN)/python

.DEFAULT_GOAL := help
.PHONY: help demo quick test page properties matrix newest lint check format docs pictures bench page-bench import-bench bench-report soak audit eval wheel bundle hosts clients conformance cluster lock clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /  make \1 \t/p' Makefile

$(VENV)/runtime.stamp: requirements/runtime.lock pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "tebiki needs Python 3.11 or newer; set PYTHON=python3.x")'
	$(PYTHON) -m venv $(VENV)
	$(RUN) -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/runtime.lock
	$(RUN) -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	# Compiled here, so that the first start is as quick as every other, whatever the environment says.
	$(RUN) -m compileall -q src
	@touch $@

$(VENV)/dev.stamp: requirements/dev.lock $(VENV)/runtime.stamp
	$(RUN) -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.lock
	@touch $@

demo: $(VENV)/runtime.stamp ## see the server at work: both dialects, every tool, no key needed
	$(RUN) -m demo

quick: $(VENV)/dev.stamp ## every conversation with a server in memory, and the house rules: about a minute
	$(RUN) -m pytest -n auto tests/interaction tests/tidy/test_house_rules.py -k "memory or house_rules"

test: $(VENV)/dev.stamp ## run the tests, or those named by TESTS=tests/vault
	$(RUN) -m pytest -n auto --dist worksteal $(TESTS)

properties: $(VENV)/dev.stamp ## try the properties with many more examples, file by file (EXAMPLES=50: so many times the usual)
	@for file in $$(grep -rlE '^@given' tests --include='test_*.py' | sort); do \
		echo "$$file"; \
		TEBIKI_EXAMPLES=$(or $(EXAMPLES),50) $(RUN) -m pytest -q "$$file" || failed=1; \
	done; exit $${failed:-0}

matrix: ## run the tests of the wire, of what is kept and of the tools on Python 3.12 and 3.13, where installed
	.ci/matrix

newest: ## a smoke test with the newest dependencies that pyproject.toml allows, instead of the locks
	.ci/newest $(PYTHON)

page: $(VENV)/page.stamp ## look at the page and the MCP App with a real browser (needs Chromium; the app's test npm)
	@$(RUN) -m tests.page.missing
	$(RUN) -m pytest -n auto tests/page

$(VENV)/page.stamp: requirements/page.lock $(VENV)/dev.stamp
	$(RUN) -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/page.lock
	@touch $@

lint: $(VENV)/dev.stamp ## format, lint, types, import contracts, dead code, dependencies, docs
	$(RUN) -m ruff format --check .
	$(RUN) -m ruff check .
	$(RUN) -m mypy
	$(BIN)/lint-imports
	$(RUN) -m vulture
	$(RUN) -m deptry .
	$(RUN) docs/generate.py --check

check: lint test ## lint + test

format: $(VENV)/dev.stamp ## rewrite the sources in the house format
	$(RUN) -m ruff format .
	$(RUN) -m ruff check --fix .

docs: $(VENV)/dev.stamp ## regenerate what is generated from code
	$(RUN) docs/generate.py

pictures: $(VENV)/page.stamp ## take the READMEs' pictures anew: of the terminal, and of the page (needs Chromium)
	$(RUN) -m distribution.screenshot
	$(RUN) -m distribution.page_pictures

bench: $(VENV)/dev.stamp ## measure everything beside its yardstick (QUICK=1: roughly; LARGE=1: 1,000,000 sections and long faults too)
	$(RUN) -m bench $(if $(QUICK),--quick) $(if $(LARGE),--large)

page-bench: $(VENV)/page.stamp ## time key presses and the first paint of the page in a browser (needs Chromium)
	$(RUN) -m bench.page_keys

import-bench: $(VENV)/dev.stamp ## score what imports keep of a corpus, and how quickly (FILES=1000: so many small files)
	$(RUN) -m bench.import_quality $(if $(FILES),--files $(FILES))

bench-report: $(VENV)/dev.stamp ## draw the newest measurements: build/bench/report.html, and docs/benchmarks.md if all are there
	$(RUN) -m bench.report_page
	$(RUN) docs/generate.py

soak: $(VENV)/dev.stamp ## meet faults for a while: storms, kills, full disks, bad upstreams, leaks (SOAK_MINUTES=5)
	$(RUN) -m tests.soak --minutes $(or $(SOAK_MINUTES),5) $(if $(SEED),--seed $(SEED))

audit: $(VENV)/dev.stamp ## ask the package index what is known against the locked releases (needs the network)
	$(RUN) -m distribution.audit

eval: $(VENV)/dev.stamp ## measure how well manuals are searched, over question sets in EVAL_DATA=DIR (ABLATION=1: part by part)
	$(RUN) -m bench.evaluation $(if $(ABLATION),--ablation)

wheel: $(VENV)/dev.stamp ## build the wheel, look inside, install it alone, talk to it
	.ci/wheel $(RUN)

bundle: $(VENV)/runtime.stamp ## build the one-click bundle dist/tebiki.mcpb
	$(RUN) -m distribution.bundle

hosts: $(VENV)/dev.stamp ## drive the server with the TypeScript SDKs and the MCP Inspector (needs npm)
	$(RUN) tests/hosts/run.py

clients: $(VENV)/dev.stamp ## set the server up in Claude Code, Gemini CLI, opencode and Codex (needs npm, 1.4 GB)
	$(RUN) tests/hosts/run_applications.py

conformance: $(VENV)/dev.stamp ## run the official MCP conformance suite over HTTP (needs npm)
	$(RUN) tests/conformance/run.py

cluster: $(VENV)/dev.stamp ## run against three real OpenSearch nodes and Redis (needs Java, Maven and redis-server)
	$(RUN) -m tests.cluster.engines --check
	TEBIKI_CLUSTER=1 $(RUN) -m pytest $(or $(TESTS),tests/cluster)

lock: $(VENV)/dev.stamp ## resolve the dependencies again (with uv) into requirements/
	$(RUN) -m pip install --quiet uv
	$(RUN) -m uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header \
		--group build -o requirements/runtime.lock pyproject.toml
	$(RUN) -m uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header \
		--group dev --extra http --extra import --extra cluster -c requirements/runtime.lock -o requirements/dev.lock pyproject.toml
	$(RUN) -m uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header \
		--extra http -c requirements/dev.lock -o requirements/http.lock pyproject.toml
	$(RUN) -m uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header \
		--extra import -c requirements/dev.lock -o requirements/import.lock pyproject.toml
	$(RUN) -m uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header \
		--extra http --extra cluster -c requirements/dev.lock -o requirements/cluster.lock pyproject.toml
	$(RUN) -m uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header \
		--group page -c requirements/dev.lock -o requirements/page.lock

clean: ## remove what make built
	rm -rf .venv .venv-* build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

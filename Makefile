# Every verb sets itself up: a fresh clone needs nothing but make and Python 3.11 or newer.
# Paths are relative on purpose, so that the clone may live anywhere, in a folder with spaces too.

PYTHON  := .venv/bin/python
RUNTIME := .venv/.set-up-runtime
DEV     := .venv/.set-up-dev

EXAMPLE ?= cafe
CASE    ?=
VALUES  ?= 1000000
TESTS   ?=
PAGES   := annotations configmap flags

MAKEFLAGS     += --no-print-directory
.DEFAULT_GOAL := help
.PHONY: help run image setup check test e2e test-nginx test-cluster golden fuzz bench docs nginx

##@ Use it

run: $(if $(filter grpc,$(EXAMPLE)),$(DEV),$(RUNTIME)) nginx ## serve an example on this machine (EXAMPLE=reports; cafe by default)
	@$(PYTHON) examples/run.py $(EXAMPLE)

image: ## build the image with docker or buildah (IMAGE=name, BASE=base image; scripts/image says more)
	@scripts/image

##@ Work on it

setup: $(DEV) nginx ## everything the other verbs need; each of them calls it by itself

check: $(DEV) ## format, lint, types, layers, and that docs/reference is up to date
	@.venv/bin/ruff format --check .
	@.venv/bin/ruff check .
	@$(PYTHON) -m mypy
	@.venv/bin/lint-imports
	@for page in $(PAGES); do $(PYTHON) -m headgate docs $$page | diff -u docs/reference/$$page.md - \
	  || { echo "docs/reference/$$page.md does not say what the code says: run make docs"; exit 1; }; done

test: $(DEV) nginx ## every test: unit, golden, real nginx, hostile values, a real API server; prints coverage
	@echo "Beside these there is make e2e: a whole real cluster on this machine, as root."
	@$(PYTHON) -m pytest -n auto --cov --cov-report=
	@$(PYTHON) -m tests.cluster -n auto --cov --cov-append --cov-report=term

test-cluster: $(DEV) nginx ## only the tests against a real kube-apiserver and etcd, which are built once
	@$(PYTHON) -m tests.cluster -n auto

test-nginx: $(DEV) nginx ## only the tests that ask a real nginx over the wire
	@$(PYTHON) -m pytest -n auto tests/nginx

e2e: $(DEV) ## a whole real cluster on this machine: install, serve, update, remove (as root)
	@$(PYTHON) -m tests.e2e $(TESTS)

golden: $(DEV) nginx ## write a golden case again from its in.yaml (CASE=cors/any-origin)
	@$(PYTHON) -m tests.golden.regenerate $(CASE)

fuzz: $(DEV) nginx ## hostile values through the printer (VALUES=1000000)
	@HEADGATE_FUZZ_VALUES=$(VALUES) $(PYTHON) -m pytest -n auto --timeout=0 tests/safety

bench: $(DEV) nginx ## measure; a table of ratios, with the facts of this machine
	@$(PYTHON) -m bench

##@ Write about it

docs: $(DEV) ## write docs/reference again from the code, and build all pages into site/
	@mkdir -p docs/reference
	@for page in $(PAGES); do $(PYTHON) -m headgate docs $$page > docs/reference/.page && mv docs/reference/.page docs/reference/$$page.md || exit 1; done
	@$(PYTHON) -m zensical build --clean --strict

help:
	@awk 'BEGIN { FS = ":.*## " } \
	  /^##@/ { printf "\n%s\n", substr($$0, 5) } \
	  /^[a-z0-9-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# The stamps are older than the lock when the lock has changed, and then the set-up runs again.
$(RUNTIME) $(DEV): pyproject.toml uv.lock scripts/setup
	@scripts/setup $(subst .venv/.set-up-,,$@)

nginx:
	@scripts/setup nginx

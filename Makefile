# make lab    open the course in JupyterLab        make test   run every test
# make demo   an instructor's week in one go       make lint   formatting and style
# make notebooks   rebuild notebooks/ from kernels/
# The first target you run builds the environment in .venv; later ones find it ready.

BIN := .venv/bin
READY := .venv/.ready

.PHONY: lab test demo notebooks lint
.DEFAULT_GOAL := lab

# The repository is the root, not notebooks/, because nbgrader's formgrader needs build/ inside it.
lab: $(READY)
	$(BIN)/jupyter lab --ServerApp.root_dir=. --ServerApp.preferred_dir=notebooks

test: $(READY)
	$(BIN)/pytest -n auto

demo: $(READY)
	$(BIN)/grader demo

notebooks: $(READY)
	$(BIN)/grader build

lint: $(READY)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/clang-format --dry-run --Werror $$(git ls-files --cached --others --exclude-standard '*.cu')

# Set up again only when the list of dependencies has changed.
$(READY): pyproject.toml
	@python=$$(for name in python3 python3.14 python3.13 python3.12 python3.11; do \
	    $$name -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	        && echo $$name && break; done); \
	if [ -z "$$python" ]; then \
	    echo "Warpwise needs Python 3.11 or newer; found: $$(python3 --version 2>&1)." >&2; \
	    echo "Install one (for example: apt install python3 python3-venv) and make again." >&2; \
	    exit 1; fi; \
	if ! $$python -c 'import ensurepip' 2>/dev/null; then \
	    echo "$$python cannot make virtual environments: apt install python3-venv." >&2; \
	    exit 1; fi; \
	echo "Setting up .venv with $$($$python --version); the first time takes a minute or two."; \
	$$python -m venv .venv && $(BIN)/pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

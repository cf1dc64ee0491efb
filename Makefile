# make lab    open the course in JupyterLab        make test   try every part, 5 minutes
# make teach  open it as an instructor, with formgrader
# make demo   an instructor's week in one go       make lint   formatting, style, types, prose
# make notebooks   rebuild notebooks/ from kernels/
# make labextension   give the JupyterLab extension a new version, after a change to it
# make docs     the documentation, in build/docs
# make pictures   take the pictures of the README and docs/ anew, from a real JupyterLab
# make constraints   take the newest versions of all packages into constraints.txt, to be tested next
# The first target you run builds the environment in .venv; later ones find it ready.

BIN := .venv/bin
READY := .venv/.ready

# In a container one often is root, and Jupyter wants to hear that this is meant.
AS_ROOT := $(if $(filter 0,$(shell id -u)),--allow-root)

.PHONY: lab teach test test-all test-sample demo notebooks labextension lint docs pictures constraints
.DEFAULT_GOAL := lab

# A learner's own folder, which git does not see.
lab: $(READY)
	@test -d notebooks || $(BIN)/grader build
	$(BIN)/grader lab my-warpwise $(AS_ROOT)

# The repository is the root, because nbgrader's formgrader needs build/ inside it.
teach: $(READY)
	JUPYTER_CONFIG_PATH=grader/classroom/jupyter $(BIN)/jupyter lab --ServerApp.root_dir=. --ServerApp.preferred_dir=notebooks $(AS_ROOT)

# Two cases of each quick test, drawn by the commit; a class graded through nbgrader; JupyterLab.
test: $(READY)
	$(BIN)/pytest -n auto --dist worksteal -m "not slow or core" --most-cases 2

# What a slow file sets up, a graded class or a JupyterLab, is set up once: by file, not by test.
BY_FILE := --dist loadscope --no-loadscope-reorder

test-all: $(READY)
	$(BIN)/pytest -n auto --dist worksteal -m "not slow"
	$(BIN)/pytest -n auto $(BY_FILE) -m slow

# What .ci/run tries beside `make test`: attacks, and then slow files in an order that the commit
# draws, until each worker has used its processor seconds.
test-sample: $(READY)
	$(BIN)/pytest -n auto $(BY_FILE) -m "slow and not core" --most-cases 2 --most-seconds 210

demo: $(READY)
	$(BIN)/grader demo

notebooks: $(READY)
	$(BIN)/grader build

# What browsers keep of the extension is known by this version; nothing else about it is built.
labextension: $(READY)
	$(BIN)/python -m tools.labextension

lint: $(READY)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/mypy --platform darwin
	$(BIN)/mypy --platform win32
	$(BIN)/python -m tools.prose
	$(BIN)/clang-format --dry-run --Werror $$(git ls-files --cached --others --exclude-standard '*.cu')

# Every warning is an error. Nothing is loaded over a network.
docs: $(READY)
	$(BIN)/sphinx-build -q -W --keep-going docs build/docs
	@echo "Open build/docs/index.html"

pictures: $(READY)
	$(BIN)/python docs/speed.py
	$(BIN)/python docs/pictures.py

# What pip chooses with nothing to hold it back, tried in an environment of its own. `make test` then
# installs and tests it; commit constraints.txt if that passes.
constraints: $(READY)
	$(BIN)/python -m venv --clear build/constraints
	build/constraints/bin/pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@echo "# The versions that the course is tested with; \`make constraints\` takes the newest." > constraints.txt
	build/constraints/bin/pip freeze --exclude-editable >> constraints.txt

# Set up again only when the list of dependencies has changed.
$(READY): pyproject.toml constraints.txt
	@$(BIN)/python -c '$(NEW_ENOUGH); import pip' 2>/dev/null || { $(FIND_PYTHON); $(MAKE_VENV); }
	@echo "Installing what pyproject.toml lists into .venv; the first time takes a minute or two."
	@$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	@touch $@

NEW_ENOUGH := import sys; assert sys.version_info >= (3, 11)

define FIND_PYTHON
for name in python3 python3.14 python3.13 python3.12 python3.11 none; do \
    if $$name -c '$(NEW_ENOUGH)' 2>/dev/null; then break; fi; \
done; \
if [ $$name = none ]; then \
    echo "Warpwise needs Python 3.11 or newer; python3 here is $$(python3 --version 2>&1)." >&2; \
    echo "Install one (on Debian: apt install python3 python3-venv), then make again." >&2; \
    exit 1; \
fi
endef

define MAKE_VENV
$$name -m venv --clear .venv || { \
    echo "$$name cannot make virtual environments (on Debian: apt install python3-venv)." >&2; \
    exit 1; \
}
endef

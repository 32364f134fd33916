# Every command does its own set-up: `make demo` and `make test` work on a machine that has only a
# JDK (17 or 21), Python 3.10+ and make. What set-up has finished once (.build/*.stamp) is not repeated.

BUILD   := .build
PY      := $(BUILD)/venv/bin/python
SBT     := project/sbt.sh
VERSION := $(shell sed -n 's/^ *val project = "\(.*\)"/\1/p' project/Versions.scala)
SPARK   := $(shell sed -n 's/^ *val spark = "\(.*\)\..*"/\1/p' project/Versions.scala)
SPARKS  := $(shell sed -n 's/^ *val sparks = Seq(\(.*\))/\1/p' project/Versions.scala | \
             tr -d '",' | sed 's/\.[0-9]*\( \|$$\)/\1/g')
SPARK_WITHOUT_JAR := $(shell sed -n 's/^ *val sparkWithoutJar = "\(.*\)\..*"/\1/p' project/Versions.scala)
JAR     := target/scalegate-spark-$(SPARK)_2.13-$(VERSION).jar
WHEEL   := dist/scalegate-$(VERSION)-py3-none-any.whl

VENV_STAMP := $(BUILD)/venv.stamp
SBT_STAMP  := $(BUILD)/sbt.stamp
KAFKA_STAMP := $(BUILD)/kafka.stamp
DOCS_STAMP := $(BUILD)/docs-venv.stamp
SPARK_CLASSES := $(BUILD)/spark.jsa
PLAIN_FILES := $(BUILD)/plain-files.jar
JAR_LIST   := $(BUILD)/jar-sources.list
BUILD_DEFS := build.sbt $(wildcard project/*.scala) project/plugins.sbt project/build.properties
JAR_FILES  := $(shell find jvm/core/src/main jvm/spark/src/main -type f 2>/dev/null | LC_ALL=C sort)
PY_FILES   := $(shell find python -name '*.py' -o -name 'pyproject.toml' | LC_ALL=C sort)

LINTED       := python project tests examples $(wildcard bench/harness)
CHECK_SCHEMA := $(PY) -m check_jsonschema --quiet --builtin-schema
# Scalafix compiles what is not compiled yet, with other options, and all of that would be compiled again.
SCALA_CHECK  := Test/compile scalafmtCheckAll live/scalafmtCheckAll peers/scalafmtCheckAll scalafmtSbtCheck "scalafixAll --check" mimaReportBinaryIssues
SCALA_FORMAT := scalafmtAll live/scalafmtAll peers/scalafmtAll scalafmtSbt scalafixAll scalafmtAll
HARNESS      := bench/harness/run.py
PAPERS       := scalejoin t-gate t-gate-operations pim-tree pim-parameters pim-self pim-plane dp-join dp-rates ppoij oij-emitters oij-batches oij-latency
CORES        := $(shell getconf _NPROCESSORS_ONLN)

export PYTHONPATH := $(CURDIR)/python
export PYTHONDONTWRITEBYTECODE := 1
unexport SPARK_HOME

.NOTPARALLEL:

.PHONY: help
help: ## list the commands
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1|\2/p' Makefile | while IFS='|' read -r c t; do \
	  printf '%-18s %s\n' "$$c" "$$t"; done

# ---- set-up -----------------------------------------------------------------------------------

$(VENV_STAMP): python/requirements-dev.txt python/requirements-build.txt project/Versions.scala \
               project/setup-venv.sh
	@mkdir -p $(BUILD) && project/setup-venv.sh && touch $@

$(SBT_STAMP): $(VENV_STAMP) project/build.properties project/setup-sbt.sh
	@project/setup-sbt.sh && touch $@

$(DOCS_STAMP): python/requirements-docs.txt project/setup-docs.sh
	@mkdir -p $(BUILD) && project/setup-docs.sh && touch $@

# Where it fails the Kafka test is skipped, and nothing else.
$(KAFKA_STAMP): $(VENV_STAMP) project/Versions.scala project/kafka-ivy.xml project/setup-kafka.sh
	-@project/setup-kafka.sh && touch $@

# What the JVMs of Python's tests start faster with; without it they start all the same.
$(SPARK_CLASSES): $(VENV_STAMP)
	@echo "set-up: an archive of Spark's classes for Python's tests in $@"
	-@$(PY) tests/python/class_archive.py $@ >$(BUILD)/class-archive.log 2>&1

# The local files of Python's streams; without it they are Hadoop's own, which start processes.
PLAIN_SOURCE := jvm/spark/src/test/java/io/scalegate/spark/PlainFileSystem.java
$(PLAIN_FILES): $(VENV_STAMP) $(PLAIN_SOURCE) project/plain-files.sh
	-@project/plain-files.sh $(PLAIN_SOURCE) $@

# Holds the names of the jar's sources: it changes when one is added or removed, which no file's own
# time would show.
$(JAR_LIST): FORCE
	@mkdir -p $(BUILD); printf '%s\n' $(JAR_FILES) | cmp -s - $@ || printf '%s\n' $(JAR_FILES) >$@
.PHONY: FORCE
FORCE:

$(JAR): $(SBT_STAMP) $(JAR_LIST) $(JAR_FILES) $(BUILD_DEFS)
	@touch $(BUILD)/sbt.begin
	$(SBT) spark/oneJar
	@touch -r $(BUILD)/sbt.begin $(JAR)

# The jar where the Python package looks for it: the only one there for this Spark.
JARS := python/scalegate/jars
PACKAGED_JAR := $(JARS)/$(notdir $(JAR))
$(PACKAGED_JAR): $(JAR)
	@mkdir -p $(@D) && rm -f $(@D)/scalegate-spark_* $(@D)/scalegate-spark-$(SPARK)_* && cp $(JAR) $@

$(WHEEL): $(PACKAGED_JAR) $(PY_FILES) LICENSE
	@rm -rf dist && cd python && ../$(PY) -m hatchling build --target wheel --directory ../dist

OTHER_SPARKS := $(filter-out $(SPARK),$(SPARKS))
OTHER_PROJECTS := $(addprefix spark,$(subst .,,$(OTHER_SPARKS)))
OTHER_JARS := $(addsuffix /oneJar,$(OTHER_PROJECTS))
.PHONY: setup jar jars copied-jars wheel
setup: $(VENV_STAMP) $(SBT_STAMP) ## virtual environment, wheelhouse and sbt launcher
jar: $(PACKAGED_JAR) ## the jar, built and copied into the Python package
jars: $(PACKAGED_JAR) ## a jar for each minor of Spark, copied into the Python package
	@project/setup-spark.sh $(OTHER_SPARKS)
	@$(SBT) $(OTHER_JARS)
	@$(MAKE) --no-print-directory copied-jars
copied-jars:
	@for minor in $(OTHER_SPARKS); do \
	  rm -f $(JARS)/scalegate-spark-$${minor}_*; \
	  cp target/scalegate-spark-$${minor}_2.13-$(VERSION).jar $(JARS); \
	done
	@rm -f $(WHEEL) # which has no jars but those that there were
wheel: $(WHEEL) ## the wheel, with the jars that have been made: `make jars wheel` has all of them

# ---- the two commands, and their parts --------------------------------------------------------

.PHONY: demo quick test matrix check check-python check-scala format stress-quick \
        test-python test-classic test-connect test-connect-smoke
demo: $(PACKAGED_JAR) ## join a year of New York's flights with the weather and with each other
	@$(PY) examples/flights.py

# MATRIX=smoke adds a look at the other minors of Spark, which continuous integration takes.
ALL_TESTS := "all core/test operators/test spark/test stress/sample"
test: $(VENV_STAMP) $(SBT_STAMP) $(JAR_LIST) ## all checks and all tests
ifeq ($(MATRIX),smoke)
	@OTHER_SPARKS="$(OTHER_SPARKS)" project/test.sh $(SCALA_CHECK) "awaitFile .build/sparks.installed" \
	  "all $(OTHER_JARS)" "touchFile .build/jars.made" $(ALL_TESTS)
else
	@project/test.sh $(SCALA_CHECK) $(ALL_TESTS)
endif

# A look at most of it after a change: what needs many interleavings, streams or broken machines is left to `make test`.
QUICK_CORE  := "core/testOnly -- -l io.scalegate.tags.Concurrency"
QUICK_SPARK := "spark/testOnly *.plan.* *.hint.* *.rules.* *.bounds.Bound* *.settings.* *.rows.* *.PlanSuite \
               -- -l io.scalegate.tags.Streaming -l io.scalegate.tags.Faults"
quick: check-python $(SBT_STAMP) $(PACKAGED_JAR) $(SPARK_CLASSES) $(PLAIN_FILES) ## lint, core, Spark's plans and a smoke test of Python
	@$(SBT) $(SCALA_CHECK) $(QUICK_CORE) $(QUICK_SPARK)
	@$(PY) -m pytest -q -m smoke

check: check-python check-scala ## format and lint checks of Scala and Python

check-python: $(VENV_STAMP)
	@$(PY) -m ruff format --check $(LINTED)
	@$(PY) -m ruff check $(LINTED)
	@$(PY) -m mypy python/scalegate tests/python/typed_program.py
	@$(CHECK_SCHEMA) vendor.github-workflows .github/workflows/*.yml
	@$(CHECK_SCHEMA) vendor.dependabot .github/dependabot.yml
	@$(CHECK_SCHEMA) vendor.github-issue-forms $(filter-out %/config.yml,$(wildcard .github/ISSUE_TEMPLATE/*.yml))

check-scala: $(SBT_STAMP)
	@$(SBT) $(SCALA_CHECK)

format: $(SBT_STAMP) ## rewrite Scala and Python sources as the checks want them
	@$(PY) -m ruff format $(LINTED)
	@$(PY) -m ruff check --fix $(LINTED)
	@$(SBT) $(SCALA_FORMAT)

matrix: jars $(WHEEL) $(PLAIN_FILES) ## the tests of each minor of Spark but the default's: MATRIX=smoke for a look at it
	@project/matrix.sh $(or $(MATRIX),full) $(OTHER_SPARKS)

# Streams wait for most of their time: two processes, each with a session of its own, take half of it.
PYTEST_JOBS := -n 2 --dist loadfile

test-python: test-classic test-connect-smoke ## the Python tests, and a part of them over Spark Connect

test-classic: $(WHEEL) $(KAFKA_STAMP) $(SPARK_CLASSES) $(PLAIN_FILES)
	@$(PY) -m pytest $(PYTEST_JOBS) --durations=15

test-connect-smoke: $(PACKAGED_JAR) $(SPARK_CLASSES) $(PLAIN_FILES)
	@$(PY) -m pytest -q --connect -m "smoke or connect"

test-connect: $(PACKAGED_JAR) $(SPARK_CLASSES) $(PLAIN_FILES) ## the Python tests that have a session, over Spark Connect
	@$(PY) -m pytest -q $(PYTEST_JOBS) --connect

stress-quick: $(SBT_STAMP) ## jcstress in a short form, all of its tests
	@SCALEGATE_STRESS=all $(SBT) stress/sample

# ---- releases ---------------------------------------------------------------------------------

# Where sbt keeps what Maven Central is sent.
STAGED  := target/sona-staging
RELEASE := $(BUILD)/release
RELEASE_STAMP := $(RELEASE).stamp
PUBLISHED := core operators spark $(OTHER_PROJECTS)

$(RELEASE_STAMP): $(VENV_STAMP) python/requirements-release.txt
	@rm -rf $(RELEASE) && $(PY) -m venv $(RELEASE)
	@$(RELEASE)/bin/python -m pip install --quiet --disable-pip-version-check \
	  --requirement python/requirements-release.txt
	@touch $@

.PHONY: staged consumers checkpoints release-check release-maven
staged: jars ## what Maven Central is sent: the library, and an artifact for each minor of Spark
	@rm -rf $(STAGED)
	@$(SBT) $(addsuffix /publish,$(PUBLISHED))

consumers: staged ## programs in Scala and Java whose builds have nothing else than what is staged
	@SCALEGATE_STAGED=$(STAGED) $(PY) -m pytest -q tests/packaging/test_maven.py

checkpoints: jars ## checkpoints of this version, which later ones have to go on with, of each minor
	@for minor in $(SPARKS); do project/checkpoints.sh $$minor || exit 1; done

release-check: consumers $(WHEEL) $(RELEASE_STAMP) ## all that a release publishes, made and checked: TAG=v0.1.0
	@project/release-check.sh "$(TAG)" $(WHEEL) $(STAGED)

# Needs a key that gpg has, and SONATYPE_USERNAME and SONATYPE_PASSWORD.
release-maven: jars ## sign what Maven Central is sent, and send it
	@rm -rf $(STAGED)
	@$(SBT) $(addsuffix /publishSigned,$(PUBLISHED)) sonaRelease

# ---- the site ---------------------------------------------------------------------------------

.PHONY: docs api site test-pages links notebooks
docs: $(DOCS_STAMP) ## the pages as a site, in .build/site
	@$(BUILD)/docs-venv/bin/python project/docsite/prepare.py $(BUILD)/site-pages
	@NO_MKDOCS_2_WARNING=1 $(BUILD)/docs-venv/bin/mkdocs build --strict --quiet
	@echo "the site: $(BUILD)/site/index.html; its search needs a server: python3 -m http.server -d $(BUILD)/site"

api: $(SBT_STAMP) ## the pages of the Scala API, in target/api
	@$(SBT) core/doc operators/doc spark/doc
	@rm -rf target/api && mkdir -p target/api
	@for part in core operators spark; do cp -r jvm/$$part/target/scala-2.13/api target/api/$$part; done
	@cp docs/api.html target/api/index.html

site: docs api ## both as one, which the workflow publishes
	@rm -rf $(BUILD)/site/api && cp -r target/api $(BUILD)/site/api

test-pages: docs $(PACKAGED_JAR) ## the site's pages and Spark's UI in Chromium, where it and chromedriver are installed
	@SCALEGATE_PAGES=1 $(PY) -m pytest -q tests/python/test_pages.py tests/python/test_ui.py

links: $(VENV_STAMP) ## the links within the repository's Markdown files
	@$(PY) -m pytest -q tests/python/test_documents.py -k link

notebooks: $(DOCS_STAMP) $(PACKAGED_JAR) ## run the site's notebooks, and write into them what they show
	@PYTHONPATH=$(CURDIR)/python:$(CURDIR)/examples:$$($(PY) -c \
	  'import sysconfig; print(sysconfig.get_path("purelib"))') \
	  $(BUILD)/docs-venv/bin/python project/docsite/run_notebooks.py docs/notebooks/*.ipynb

# ---- measurements -----------------------------------------------------------------------------

.PHONY: bench figures bench-pages soak soak-queries clean
bench: $(PACKAGED_JAR) ## measure against plain Spark, DuckDB, Polars and a C++ kernel
	@$(PY) $(HARNESS) $(BENCH_ARGS)

figures: $(VENV_STAMP) ## measure and draw the figures of the five papers, or of PAPERS="scalejoin ppoij"
	@for paper in $(PAPERS); do \
	  $(PY) $(HARNESS) --figures --arms $$paper- --name figures-$$paper --threads $(CORES) $(FIGURES_ARGS) || exit 1; \
	done

bench-pages: $(VENV_STAMP) ## docs/performance.md and its tables and picture, from the result files
	@$(PY) $(HARNESS) --render

SOAK_ROUNDS ?= 20
QUERIES ?= 10000
QUERIES_SEED ?= 1
QUERIES_FROM ?= 0
ORDINARY_ROWS ?= 2000000
STREAMS ?= 2000
soak-queries: $(SBT_STAMP) ## random queries with something around our operators, against plain Spark
	@SCALEGATE_AROUND_CASES=$(QUERIES) SCALEGATE_AROUND_SEED=$(QUERIES_SEED) \
	  SCALEGATE_AROUND_FROM=$(QUERIES_FROM) \
	  $(SBT) "spark/testOnly *StandsAroundSuite"
	@SCALEGATE_STREAM_CASES=$(STREAMS) SCALEGATE_STREAM_SEED=$(QUERIES_SEED) \
	  $(SBT) "spark/testOnly *StreamsAroundSuite"
	@SCALEGATE_REALTIME_CASES=$(STREAMS) SCALEGATE_REALTIME_SEED=$(QUERIES_SEED) \
	  $(SBT) "spark/testOnly *RealTimeAroundSuite"

soak: soak-queries $(WHEEL) $(KAFKA_STAMP) $(SPARK_CLASSES) $(PLAIN_FILES) ## the Python tests over and over, and long runs of jcstress and Lincheck
	@$(SBT) "stress/run -m default -v"
	@SCALEGATE_SOAK=$(SOAK_ROUNDS) $(SBT) "core/test" "operators/test"
	@SCALEGATE_SOAK=1 $(SBT) "spark/test"
	@SCALEGATE_EDGES=5000 $(SBT) "spark/testOnly *EdgeNumbersSuite"
	@SCALEGATE_FAULTS=100 $(PY) -m pytest -q -s tests/python/test_faults.py
	@SCALEGATE_ORDINARY_ROWS=$(ORDINARY_ROWS) $(SBT) "spark/testOnly *OrdinaryQueriesSuite"
	@SCALEGATE_STARTS=all $(PY) -m pytest -q tests/python/test_starts.py
	@SCALEGATE_KILLS=50 $(PY) -m pytest -q -s tests/python/test_streaming_joins.py -k killed
	@SCALEGATE_KILLS=100 $(PY) -m pytest -q -s tests/python/test_kafka.py -k real_time_are_exact
	@for round in $$(seq $(SOAK_ROUNDS)); do \
	  echo "soak: round $$round of $(SOAK_ROUNDS)"; \
	  SCALEGATE_SOAK=1 $(PY) -m pytest -q $(PYTEST_JOBS) && \
	    SCALEGATE_SOAK=1 $(PY) -m pytest -q $(PYTEST_JOBS) --connect || exit 1; done

.PHONY: other-sparks beside
other-sparks: jars ## each minor's jar on the Spark of each minor, and versions that do not go together
	@project/other-sparks.sh $(VERSION) $(SPARKS)
	@project/setup-spark.sh $(SPARK_WITHOUT_JAR)
	@SCALEGATE_STARTS=all $(PY) -m pytest -q tests/python/test_other_sparks.py

beside: jars ## the tests beside Delta, Iceberg, Sedona and Comet, on each minor that these have a package for
	@project/setup-beside.sh
	@SCALEGATE_BESIDE=1 $(PY) -m pytest tests/python/test_beside.py

clean: ## remove everything that was built, set-up included
	rm -rf $(BUILD) dist target python/scalegate/jars examples/out .mypy_cache .ruff_cache \
	  .pytest_cache spark-warehouse
	find project jvm bench -type d -name target -prune -exec rm -rf {} +

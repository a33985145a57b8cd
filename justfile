# Everything a person runs; .ci/run runs the same recipes.

set shell := ["bash", "-euo", "pipefail", "-c"]

export PYTHONDONTWRITEBYTECODE := ""
python := env("RANKGATE_PYTHON", "3.11")
bin := ".venv/bin"
pip := env("RANKGATE_PIP", "python3 -m pip")
editable := "--editable packages/rankgate --editable packages/rankgate-engines --editable packages/rankgate-reference"
sources := "packages/rankgate/src packages/rankgate-engines/src packages/rankgate-reference/src"
tests := "packages/rankgate/tests packages/rankgate-engines/tests packages/rankgate-reference/tests"
shared := "packages/rankgate/tests:packages/rankgate-reference/tests"

# List the recipes.
default:
    @just --list

# Make .venv with every pinned dependency, the peers of the benchmarks included.
setup:
    uv venv --quiet --allow-existing --python {{ python }} .venv
    uv pip sync --quiet --python .venv --require-hashes requirements/bench.lock
    uv pip install --quiet --python .venv --no-deps --no-build-isolation {{ editable }}

# Write the lock files anew: names, versions and hashes.
lock:
    #!/usr/bin/env bash
    set -euo pipefail
    compile() { uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate \
        --no-header --no-emit-package rankgate --no-emit-package rankgate-engines --no-emit-package rankgate-reference --upgrade "$@"; }
    packages="packages/rankgate/pyproject.toml packages/rankgate-engines/pyproject.toml packages/rankgate-reference/pyproject.toml"
    extras=$(for one in bm25s code http lancedb mcp postgres reference rst tantivy; do echo "--extra $one"; done)
    compile $packages $extras --group pyproject.toml:dev -o requirements/dev.lock
    compile $packages $extras --group pyproject.toml:bench -o requirements/bench.lock
    compile requirements/tools.in -o requirements/tools.lock
    compile requirements/mcp-servers.in -o requirements/mcp-servers.txt
    compile requirements/site.in -o requirements/site.txt
    compile requirements/release.in -o requirements/release.txt
    compile packages/rankgate/pyproject.toml requirements/frameworks.in -o requirements/frameworks.txt
    compile requirements/go.in -o requirements/go.txt
    compile $packages requirements/mcp1.in $extras --group pyproject.toml:dev -o requirements/mcp1.txt

# Check style, types, layers and the budgets of lines.
check:
    {{ bin }}/ruff check .
    {{ bin }}/ruff format --check .
    {{ bin }}/mypy
    {{ bin }}/lint-imports
    {{ bin }}/python tools/lines.py

# Let the formatter and the safe fixes do their work.
fix:
    {{ bin }}/ruff check --fix .
    {{ bin }}/ruff format .

# Fetch what the tests need from outside: sdists, checked by their hashes, through the index that pip is set to.
fixtures:
    RANKGATE_PIP="{{ pip }}" {{ bin }}/python suites/fetch.py requirements/fixtures.txt
    RANKGATE_PIP="{{ pip }}" {{ bin }}/python suites/fetch.py --unpack suites/*/releases.txt

# Fetch the MCP servers by others that the tests ask, each pinned with its hash; none is in rankgate's own environment.
mcp-servers:
    uv venv --quiet --allow-existing --python {{ python }} .fixtures/mcp-venv
    uv pip sync --quiet --python .fixtures/mcp-venv --require-hashes requirements/mcp-servers.txt
    mkdir -p .fixtures/npm && cp requirements/mcp-servers/package*.json .fixtures/npm/
    npm ci --prefix .fixtures/npm --ignore-scripts --no-audit --no-fund --loglevel error

# Build the documentation site of docs/ and what it links to into .site/html: no dead link, no orphan, nothing from outside.
site:
    uv venv --quiet --allow-existing --python {{ python }} .fixtures/site-venv
    uv pip sync --quiet --python .fixtures/site-venv --require-hashes requirements/site.txt
    {{ bin }}/python tools/documentation.py stage .site/docs
    rm -rf .site/html && NO_COLOR=1 .fixtures/site-venv/bin/zensical build --clean --strict
    {{ bin }}/python tools/documentation.py check .site
    just site-search

# Gate the search of the built site, by the program that runs in a reader's browser, on what newcomers ask.
site-search *args:
    cd tools/site_search && "$OLDPWD/{{ bin }}/rankgate" test {{ args }}

# The frameworks whose splitters and retrievers are tested as they are, in an environment of their own. NLTK, by which
# LlamaIndex finds sentences, opens no file that has a second name, such as one in a cache.
frameworks:
    uv venv --quiet --allow-existing --python {{ python }} .fixtures/frameworks-venv
    uv pip sync --quiet --link-mode copy --python .fixtures/frameworks-venv --require-hashes requirements/frameworks.txt
    uv pip install --quiet --python .fixtures/frameworks-venv --no-deps --no-build-isolation --editable packages/rankgate

# Fetch what the tests of the HTML page drive Chromium with; Chromium itself is the machine's own.
browser:
    mkdir -p .fixtures/browser && cp requirements/browser/package*.json .fixtures/browser/
    cd .fixtures/browser && npm ci --ignore-scripts --no-audit --no-fund --loglevel error

# Fetch Firefox and WebKit for the long tests of the HTML page, as Debian packages them, and what drives them.
browsers: browser
    #!/usr/bin/env bash
    set -euo pipefail
    missing=()
    command -v firefox-esr > /dev/null || missing+=(firefox-esr)
    command -v WebKitWebDriver > /dev/null || missing+=(webkit2gtk-driver)
    command -v Xvfb > /dev/null || missing+=(xvfb)
    if [ "${#missing[@]}" -gt 0 ]; then apt-get update -qq && apt-get install -y -qq "${missing[@]}" > /dev/null; fi
    mkdir -p .fixtures/browsers && cp requirements/browsers/package*.json .fixtures/browsers/
    cd .fixtures/browsers && npm ci --ignore-scripts --no-audit --no-fund --loglevel error

# The same checks of the HTML pages in Chromium, Firefox and WebKit; pictures go to .benchmarks/browsers.
test-browsers *args: browsers
    {{ bin }}/pytest -q -m long packages/rankgate/tests/browser/test_every_browser.py {{ args }}

# 50 judgments by keys, mouse and touch at three widths in every browser, and 100 kills of the server.
test-judging *args: browsers
    {{ bin }}/pytest -q -m long packages/rankgate/tests/browser/test_judging_every_browser.py packages/rankgate/tests/faults/test_killed_judging.py {{ args }}

# Write the pictures of the README and the documentation to docs/images: the page of a failed test, light and dark.
screenshots: browser
    PYTHONPATH={{ shared }} {{ bin }}/python packages/rankgate/tests/browser/screenshots.py docs/images

# Fetch the OpenSearch that the tests ask.
opensearch: (_jars "opensearch")

# Fetch the Elasticsearch of each generation that the tests ask.
elasticsearch: (_jars "elasticsearch/7") (_jars "elasticsearch/8") (_jars "elasticsearch/9")

# Copy the jars of requirements/NAME/pom.xml to .fixtures/NAME, and check every one; nothing where they are there.
[private]
_jars name:
    #!/usr/bin/env bash
    set -euo pipefail
    jars=.fixtures/{{ name }}/jars list=$PWD/requirements/{{ name }}/jars.sha256
    good() { [ "$(ls "$jars" 2> /dev/null | wc -l)" = "$(wc -l < "$list")" ] && (cd "$jars" && sha256sum --check --quiet "$list"); }
    if ! good > /dev/null 2>&1; then
        rm -rf "$jars" && mkdir -p "$jars"
        mvn -B -q -f requirements/{{ name }}/pom.xml dependency:copy-dependencies -DoutputDirectory="$PWD/$jars"
        good
    fi

# A linter of workflows, with which the tests check those that `rankgate init --ci` writes.
actionlint: (_go "actionlint" "go1.24" "github.com/rhysd/actionlint/cmd/actionlint")

# Build programs of requirements/NAME/go.mod into .fixtures/NAME/bin, by the Go that is here, or by one from the index
# where that is older than OLDEST; every module is checked by go.sum. Nothing where they are there.
[private]
_go name oldest +programs:
    #!/usr/bin/env bash
    set -euo pipefail
    place=$PWD/.fixtures/{{ name }}
    pinned=$(cat requirements/{{ name }}/go.mod requirements/{{ name }}/go.sum | sha256sum)
    if [ "$(cat "$place/built" 2> /dev/null)" = "$pinned" ] && [ -n "$(ls "$place/bin")" ]; then exit 0; fi
    go=$(command -v go || true)
    if [ -z "$go" ] || [ "$(printf '%s\n' {{ oldest }} "$("$go" env GOVERSION)" | sort -V | head -n 1)" != {{ oldest }} ]; then
        uv venv --quiet --allow-existing --python {{ python }} "$place/go-venv"
        uv pip sync --quiet --python "$place/go-venv" --require-hashes requirements/go.txt
        go=$place/go-venv/bin/go
    fi
    mkdir -p "$place/bin"
    cd requirements/{{ name }}
    CGO_ENABLED=0 "$go" build -mod=readonly -trimpath -o "$place/bin/" {{ programs }}
    echo "$pinned" > "$place/built"

# Run the tests that need no server, browser or framework, and the examples in docstrings.
test *args:
    {{ bin }}/pytest -n 3 --dist loadgroup -m "not long and not real" --durations 20 --doctest-modules {{ sources }} {{ tests }} {{ args }}

# Run the tests that need a real server, a browser or a framework.
test-real *args:
    {{ bin }}/pytest -n 3 --dist loadgroup -m "real and not long" --durations 20 {{ tests }} {{ args }}

# Write the expected output of the acceptance transcripts anew; read the diff before you commit it.
transcripts *args:
    {{ bin }}/pytest -q -n 3 packages/rankgate/tests/acceptance --update-transcripts {{ args }}

# Write the generated pages of docs/ anew: commands, errors, metrics, the Python API and the JSON Schema of the report.
reference-pages:
    {{ bin }}/python tools/generated_reference.py
    {{ bin }}/python -m rankgate.reports.json_report > docs/schemas/report.schema.json

# The tests on every other supported Python that this machine has; says which it has not. TESTS names a part of them.
test-pythons *versions="3.12 3.13 3.14":
    #!/usr/bin/env bash
    set -euo pipefail
    for version in {{ versions }}; do
        python=$(uv python find --system --no-python-downloads "$version" 2> /dev/null ||
            ls "${PYENV_ROOT:-$HOME/.pyenv}/versions/$version".*/bin/python 2> /dev/null | tail -n 1 || true)
        if [ -z "$python" ]; then
            echo "Python $version: not on this machine, not tested"
            continue
        fi
        uv venv --quiet --clear --no-python-downloads --python "$python" ".venv-$version"
        uv pip sync --quiet --python ".venv-$version" --require-hashes requirements/dev.lock
        uv pip install --quiet --python ".venv-$version" --no-deps --no-build-isolation {{ editable }}
        echo "Python $version:"
        ".venv-$version/bin/pytest" -q -n 2 -m "not long and not once and not real" --hypothesis-profile=short --doctest-modules \
            ${TESTS:-{{ sources }} {{ tests }}}
    done

# Build the wheels, and run each from an empty environment.
wheel:
    #!/usr/bin/env bash
    set -euo pipefail
    rm -rf dist
    for package in rankgate rankgate-engines rankgate-reference; do
        uv build --quiet --wheel --no-build-isolation --python .venv --out-dir dist "packages/$package"
    done
    room=$(mktemp -d) && trap 'rm -rf "$room"' EXIT
    uv venv --quiet --python {{ python }} "$room/venv"
    uv pip install --quiet --python "$room/venv" dist/rankgate-[0-9]*.whl
    printf 'q1 0 a 2\nq1 0 b 1\n' > "$room/qrels" && printf 'q1 Q0 c 1 3 t\nq1 Q0 a 2 2 t\nq1 Q0 b 3 1 t\n' > "$room/run"
    "$room/venv/bin/rankgate" score --qrels "$room/qrels" --run "$room/run" -m ndcg@10 --format trec | tee "$room/out"
    grep -q '0.6697' "$room/out"
    uv pip list --quiet --python "$room/venv" --format freeze
    uv venv --quiet --python {{ python }} "$room/reference"
    uv pip install --quiet --python "$room/reference" --find-links dist --constraint <(sed 's/ *\\$//; /^ *--hash/d' requirements/dev.lock) 'rankgate[reference]'
    mkdir "$room/docs" && printf '# Keys\n\nRotate an API key every month.\n\n# Bees\n\nHoney.\n' > "$room/docs/a.md"
    "$room/reference/bin/rankgate-reference" search "$room/docs" "rotate a key" | tee "$room/out"
    grep -q 'section Keys' "$room/out"
    "$room/reference/bin/rankgate" list systems > "$room/out"
    grep -q reference "$room/out"
    uv pip install --quiet --python "$room/venv" --find-links dist --constraint <(sed 's/ *\\$//; /^ *--hash/d' requirements/dev.lock) 'rankgate-engines[tantivy]'
    printf 'corpus: docs/\ncases: [{query: rotate a key, at: "a.md#Keys"}]\n' > "$room/search.yaml"
    printf '[systems.words]\nkind = "tantivy"\n' > "$room/rankgate.toml"
    cd "$room" && venv/bin/rankgate test search.yaml

# Scoring side by side with the bare engine and the peers, in one process a size.
bench-scoring *sizes="1e6 1e7":
    {{ bin }}/python benchmarks/scoring.py {{ sizes }}

# What the first test of the README loads, executes and writes: modules, functions, processor time, files.
first-test *options:
    {{ bin }}/python tools/first_test.py {{ options }}

# How long `rankgate --help` takes beside `python -c pass`.
bench-startup:
    {{ bin }}/python benchmarks/startup.py

# Score a billion hits in one process and in parts; making them takes 38 GB of disk and half an hour, once.
bench-billion rows="1e9":
    {{ bin }}/python benchmarks/billion.py make {{ rows }}
    {{ bin }}/python benchmarks/billion.py score {{ rows }}

# nDCG of each query and slice of hits in Parquet, beside bare Polars: rows, and rounds.
bench-slices rows="1e7" rounds="3":
    {{ bin }}/python benchmarks/slices.py {{ rows }} {{ rounds }}

# A log of searches counted, folded and sampled, and how much memory that takes: 1e8 rows need 20 minutes and 8 GB of disk.
bench-sample rows="1e7":
    {{ bin }}/python benchmarks/sample_log.py {{ rows }}

# Asking through rankgate beside a bare loop: over HTTP with 1 and 8 threads, and in process on a Tantivy index.
bench-running *args:
    PYTHONPATH={{ shared }} {{ bin }}/python benchmarks/running.py {{ args }}

# Suites carried over forty releases of starlette, flask and pytest, gates on; --check for what must hold.
bench-releases *args:
    PYTHONPATH={{ shared }} {{ bin }}/python benchmarks/releases.py {{ args }}

# The suites of code, documentation and ratings carried to later releases; --check for what must hold, --write for the page.
bench-carried *args:
    RANKGATE_PIP="{{ pip }}" {{ bin }}/python suites/fetch.py --unpack suites/*/later-*.txt
    PYTHONPATH={{ shared }} {{ bin }}/python benchmarks/carried_suites.py {{ args }}

# A test of 5,000 queries, or of as many as are named, with a baseline and reports; --check for what must hold.
bench-many *args: browser
    PYTHONPATH={{ shared }} {{ bin }}/python benchmarks/many_queries.py {{ args }}

# Engines on the suites that the project ships; the tables in suites/RESULTS.md are written anew.
results *args:
    PYTHONPATH={{ shared }} {{ bin }}/python benchmarks/suite_results.py {{ args }}

# The reference system: quality (beside published results), ranking (of sections and symbols) or speed (beside bare Tantivy).
bench-reference what *args:
    PYTHONPATH={{ shared }} {{ bin }}/python benchmarks/reference_{{ what }}.py {{ args }}

# The suites over pinned releases: nothing wrong with them, and what is cheap to measure is as suites/RESULTS.md says.
pinned-suites:
    {{ bin }}/rankgate suite lint --strict suites/code/code.yaml suites/docs/docs.yaml suites/ratings/ratings.yaml
    PYTHONPATH={{ shared }} {{ bin }}/python benchmarks/suite_results.py --check --only docs sqlite reference-lexical

# Every loader on damaged files: a result or a typed error, soon and in little memory.
fuzz count="300" *names:
    PYTHONPATH={{ shared }} {{ bin }}/python -m support.fuzz {{ count }} {{ names }}

# Draw states of tests, and compare their verdicts with the reference: the number of states, and the first one.
verdicts states="300" first="0" *args:
    RANKGATE_STATES={{ states }} RANKGATE_FIRST_STATE={{ first }} {{ bin }}/pytest -q packages/rankgate/tests/verdicts/test_drawn.py {{ args }}

# The tests with the lowest versions that the metadata of both wheels allow, in an empty environment; folders of tests, or those that matter.
test-lowest *tests:
    PYTHONPATH={{ shared }} {{ bin }}/python tools/lowest.py {{ tests }}

# Each extra alone from the built wheels, one real thing done by it, on every Python here; uvx and pipx. One table.
test-extras *args:
    PYTHONPATH={{ shared }} {{ bin }}/python tools/extras.py {{ args }}

# The four tutorials from the built wheel in an empty environment each: every command is run and prints what the page shows.
test-tutorials *args: opensearch
    {{ bin }}/pytest -q -rs --durations 5 packages/rankgate/tests/e2e/test_tutorials_from_the_wheel.py {{ args }}

# Build, check, list (SBOM) and sign a release into dist/: --key FILE or --unsigned. Nothing is uploaded.
release *args:
    uv venv --quiet --allow-existing --python {{ python }} .fixtures/release-venv
    uv pip sync --quiet --python .fixtures/release-venv --require-hashes requirements/release.txt
    {{ bin }}/python tools/release.py build {{ args }}

# The tests of the MCP client with the first generation of the SDK.
test-mcp1:
    uv venv --quiet --allow-existing --python {{ python }} .fixtures/mcp1-venv
    uv pip sync --quiet --python .fixtures/mcp1-venv --require-hashes requirements/mcp1.txt
    uv pip install --quiet --python .fixtures/mcp1-venv --no-deps --no-build-isolation {{ editable }}
    .fixtures/mcp1-venv/bin/pytest -q packages/rankgate/tests/systems/mcp packages/rankgate/tests/e2e/test_treenav.py \
        packages/rankgate/tests/e2e/test_scenarios_three_ways.py packages/rankgate-reference/tests/test_server.py

# The tests of Elasticsearch against a server of each generation.
test-elasticsearch *generations="7 8 9": elasticsearch
    #!/usr/bin/env bash
    set -euo pipefail
    for generation in {{ generations }}; do
        RANKGATE_ELASTICSEARCH=$generation {{ bin }}/pytest -q packages/rankgate/tests/systems/engines/test_elasticsearch.py
    done

# The long version, part by part, each with its log in benchmarks/full/; continues where it was stopped. --list tells.
full *parts: fixtures mcp-servers frameworks browser opensearch elasticsearch actionlint
    {{ bin }}/python tools/full.py {{ parts }}

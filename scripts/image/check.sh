#!/usr/bin/env bash
# Makes the image of docker/Dockerfile in a folder, without Docker, and starts the gateway from it as an unprivileged user
# whose root is read-only. Needs root, debootstrap, and the network for Debian and npm packages; takes some minutes.
#
#   scripts/image/check.sh [FOLDER]      FOLDER keeps the base between two runs; without one nothing is kept
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

for need in debootstrap unshare chroot; do
  if [[ $(id -u) != 0 ]] || ! command -v "$need" >/dev/null; then
    echo "not checked: it needs root, debootstrap, unshare and chroot" >&2
    exit 3
  fi
done

if [[ -n ${1:-} ]]; then
  folder=$(realpath -m "$1")
else
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
fi
mkdir -p "$folder"
chmod 755 "$folder"

# node:24-bookworm-slim: Debian, and Node with npm below /usr/local.
base=$folder/base
if [[ ! -e $base/.whole ]]; then
  rm -rf "$base"
  # From where this machine has its own packages, if that has the release.
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Codename: bookworm' | sed -n 1p || true)
  if ! timeout 300 debootstrap --variant=minbase --include=ca-certificates bookworm "$base" ${mirror:+"$mirror"} >"$folder/debootstrap.log"; then
    tail "$folder/debootstrap.log" >&2
    echo "not checked: there is no Debian to make the base of" >&2
    exit 3
  fi
  node=$(npx node -p process.execPath)
  install -D -m 755 "$node" "$base/usr/local/bin/node"
  install -m 644 "$(dirname "$(dirname "$node")")/LICENSE" "$base/usr/local/LICENSE"
  mkdir -p "$base/usr/local/lib/node_modules"
  cp -aL "$(dirname "$(dirname "$(readlink -f "$(command -v npm)")")")" "$base/usr/local/lib/node_modules/npm"
  ln -s ../lib/node_modules/npm/bin/npm-cli.js "$base/usr/local/bin/npm"
  cp -L /etc/resolv.conf "$base/etc/resolv.conf"
  # Authorities that this machine trusts, for a registry behind a proxy of its own.
  cp -L /etc/ssl/certs/ca-certificates.crt "$base/etc/ssl/certs/ca-certificates.crt"
  touch "$base/.whole"
fi

npx node scripts/image/build.ts "$base" "$folder/build"
npx node scripts/image/start.ts "$folder/build"

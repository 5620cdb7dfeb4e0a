#!/usr/bin/env bash
# CloudNativePG's own reading of what is written for it, for the stories of packages/gateway/test/postgres: a program
# (cloudnativepg/main.go) within the operator's module, whose webhooks are internal to it. It is built from the module
# proxy: the checksum database vouches for the sources, and the sum here for those that were read.
#
# To raise the release: change it here and in kubernetes.sh, with the sum that `go mod download -json MODULE@VERSION` prints.
set -euo pipefail

module=github.com/cloudnative-pg/cloudnative-pg
release=v1.27.1
sum=h1:w+bbtXyEPoaa7sZGXxbb8qJ+/bUGWQ3M48kbNUEpKlk=
part=/opt/portico-parts/cloudnativepg
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

export PATH=$PATH:/usr/local/go/bin CGO_ENABLED=0 GOFLAGS=-buildvcs=false
command -v go >/dev/null || { echo "Go is not installed" >&2; exit 1; }

stamp=$(cat "${BASH_SOURCE[0]}" "$here/cloudnativepg/main.go" <(go version) | sha256sum)
if [ "$(cat "$part/stamp" 2>/dev/null)" = "$stamp" ]; then exit; fi
rm -rf "$part"
mkdir -p "$part"
draft=$(mktemp -d)
trap 'rm -rf "$draft"' EXIT

told=$(cd "$draft" && go mod download -json "$module@$release")
grep -qF "\"Sum\": \"$sum\"" <<<"$told" || { echo "$module@$release has another sum: $told" >&2; exit 1; }
cp -r "$(sed -n 's/^\t"Dir": "\(.*\)",$/\1/p' <<<"$told")" "$draft/operator"
chmod -R u+w "$draft/operator"
mkdir "$draft/operator/cmd/portico"
cp "$here/cloudnativepg/main.go" "$draft/operator/cmd/portico/"
go build -C "$draft/operator" -mod=readonly -trimpath -ldflags "-s -w" -o "$part/reading" ./cmd/portico 2>"$draft/log" ||
  { cat "$draft/log" >&2; exit 1; }

chmod -R a+rX "$part"
echo "$stamp" >"$part/stamp"

#!/usr/bin/env bash
# The official Kubernetes client for Go, for the stories of packages/gateway/test/clients: its modules, and what they
# import of them compiled, so that a story builds its program in seconds and without the network. The module proxy has
# the sources; client-go/go.sum vouches for them.
#
# To raise the version: change go.mod and run `go mod tidy` in client-go.
set -euo pipefail

part=/opt/portico-parts/client-go
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

export PATH=$PATH:/usr/local/go/bin
command -v go >/dev/null || { echo "Go is not installed" >&2; exit 1; }

stamp=$(cat "$here/client-go.sh" "$here"/client-go/* <(go version) | sha256sum)
if [ "$(cat "$part/stamp" 2>/dev/null)" = "$stamp" ]; then exit; fi

# What was compiled stays when a version is raised; it is found by its content.
rm -rf "$part/module" "$part/stamp"
mkdir -p "$part"
cp -r "$here/client-go" "$part/module"
cd "$part/module"
GOMODCACHE=$part/modules GOCACHE=$part/cache CGO_ENABLED=0 GOFLAGS=-buildvcs=false go build -trimpath . 2>"$part/log" ||
  { cat "$part/log" >&2; exit 1; }

chmod -R a+rX "$part"
echo "$stamp" >"$part/stamp"

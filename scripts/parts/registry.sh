#!/usr/bin/env bash
# A container registry of each kind that docs/operators/registry.md describes,
# and clients: distribution 2.8 (Debian's docker-registry), skopeo and jq; and
# distribution v3, built where Go is there (the Go checksum database vouches
# for its sources).
set -euo pipefail

v3=3.0.0 folder=/opt/portico-parts/registry

if ! { command -v docker-registry && command -v skopeo && command -v jq; } >/dev/null; then
  # At this run level no package starts a daemon.
  export DEBIAN_FRONTEND=noninteractive RUNLEVEL=1
  install=(apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=120 'docker-registry=2.8.*' skopeo jq)
  "${install[@]}" >/dev/null 2>&1 || { apt-get update -qq >/dev/null && "${install[@]}" >/dev/null 2>&1; }
fi

export PATH=$PATH:/usr/local/go/bin
if command -v go >/dev/null && [[ ! -x $folder/registry-$v3 ]]; then
  mkdir -p $folder
  GOBIN=$folder go install -trimpath github.com/distribution/distribution/v3/cmd/registry@v$v3 2>/dev/null
  mv $folder/registry $folder/registry-$v3
fi
if [[ ! -x $folder/registry-$v3 ]]; then
  echo "registry.sh needs Go for distribution v3" >&2
  exit 1
fi

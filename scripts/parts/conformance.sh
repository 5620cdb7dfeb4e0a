#!/usr/bin/env bash
# The suites of `npm run conformance`: npm packages from conformance/package-lock.json, and the Open Container Initiative's
# for registries, built where Go is there. The Go checksum database vouches for its sources.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

oci=v0.0.0-20260831232431-97274622c111 folder=/opt/portico-parts/conformance

node ../install.mjs scripts/conformance

export PATH=$PATH:/usr/local/go/bin
if [[ $(cat $folder/stamp 2>/dev/null) == "$oci" ]]; then exit; fi
if ! command -v go >/dev/null; then
  echo "conformance.sh needs Go for the suite of OCI" >&2
  exit 1
fi
mkdir -p $folder
GOBIN=$folder go install -trimpath github.com/opencontainers/distribution-spec/conformance@$oci
mv $folder/conformance $folder/oci-1.1
echo "$oci" >$folder/stamp

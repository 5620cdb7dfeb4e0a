#!/usr/bin/env bash
# The suite of the Open Container Initiative for registries (`npm run conformance -- oci`), built where Go is there. The Go
# checksum database vouches for its sources. The gate does without it.
set -euo pipefail

oci=v0.0.0-20260831232431-97274622c111 folder=/opt/portico-parts/conformance

export PATH=$PATH:/usr/local/go/bin
if [[ $(cat $folder/stamp 2>/dev/null) == "$oci" ]]; then exit; fi
if ! command -v go >/dev/null; then
  echo "oci.sh needs Go" >&2
  exit 1
fi
mkdir -p $folder
GOBIN=$folder go install -trimpath github.com/opencontainers/distribution-spec/conformance@$oci
mv $folder/conformance $folder/oci-1.1
echo "$oci" >$folder/stamp

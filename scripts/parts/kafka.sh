#!/usr/bin/env bash
# Apache Kafka 4.3.1 (broker, controller and command line) from Maven Central, and Debian's Java 17 to run it, for the
# tests that start real brokers. `kafka.sha256` lists the archives and their checksums: what
# `org.apache.kafka:kafka_2.13` and `kafka-tools` need without Connect, and a logger. `kcat` reads and writes topics.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
part=/opt/portico-parts/kafka
central=${MAVEN_CENTRAL:-https://repo1.maven.org/maven2}

packages=()
java -version >/dev/null 2>&1 || packages+=(openjdk-17-jre-headless)
for tool in kcat curl openssl; do command -v $tool >/dev/null || packages+=($tool); done
if ((${#packages[@]})); then
  export DEBIAN_FRONTEND=noninteractive
  install=(apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=60 "${packages[@]}")
  "${install[@]}" >/dev/null || { apt-get update -qq >/dev/null && "${install[@]}" >/dev/null; }
fi

cmp -s "$here/kafka.sha256" "$part/kafka.sha256" && exit

mkdir -p "$(dirname "$part")"
folder=$(mktemp -d "$part.XXXXXX")
trap 'rm -rf "$folder"' EXIT
cut -c 67- "$here/kafka.sha256" | (cd "$folder" &&
  xargs -P 8 -I{} curl --silent --show-error --fail --location --retry 3 --create-dirs --output {} "$central/{}")
(cd "$folder" && sha256sum --check --quiet --strict "$here/kafka.sha256")
mkdir "$folder/lib"
find "$folder" -name '*.jar' -exec mv -t "$folder/lib" {} +
find "$folder" -mindepth 1 -type d -empty -delete
cp "$here/kafka.sha256" "$folder/"
chmod 755 "$folder"
rm -rf "$part"
mv "$folder" "$part"
trap - EXIT

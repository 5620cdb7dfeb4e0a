#!/usr/bin/env bash
# Apache Kafka 4.3.1 (broker, controller and command line), which Maven fetches, and Debian's Java 17 to run it, for the
# tests that start real brokers. `kafka/pom.xml` names it, without Connect and with a logger, and `kafka/jars.sha256` all
# that Maven may make of that. `kcat` reads and writes topics.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/kafka" && pwd)
part=/opt/portico-parts/kafka
plugin=org.apache.maven.plugins:maven-dependency-plugin:3.8.1

packages=()
java -version >/dev/null 2>&1 || packages+=(openjdk-17-jre-headless)
command -v mvn >/dev/null || packages+=(maven)
for tool in kcat openssl; do command -v "$tool" >/dev/null || packages+=("$tool"); done
if ((${#packages[@]})); then
  export DEBIAN_FRONTEND=noninteractive
  install=(apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=60 "${packages[@]}")
  "${install[@]}" >/dev/null || { apt-get update -qq >/dev/null && "${install[@]}" >/dev/null; }
fi

cmp -s "$here/jars.sha256" "$part/jars.sha256" && exit

mkdir -p "$(dirname "$part")"
folder=$(mktemp -d "$part.XXXXXX")
trap 'rm -rf "$folder"' EXIT
mvn --batch-mode --quiet --file "$here/pom.xml" "$plugin:copy-dependencies" -DoutputDirectory="$folder/lib"
(cd "$folder/lib" && sha256sum --check --quiet --strict "$here/jars.sha256" &&
  diff <(cut -c 67- "$here/jars.sha256" | sort) <(printf '%s\n' * | sort))
cp "$here/jars.sha256" "$folder/"
chmod 755 "$folder"
rm -rf "$part"
mv "$folder" "$part"
trap - EXIT

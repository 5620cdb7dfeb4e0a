#!/usr/bin/env bash
# Clients that are not ours, for the stories of packages/gateway/test/clients: what clients.txt pins, in a Python
# environment of its own, and of the package `ansible` (550 MB) the collection openstack.cloud alone.
#
# To raise a version: change it in clients.txt and take its hashes from the registry, for Python 3.11 to 3.13 on Linux.
set -euo pipefail

ansible=14.5.0
ansible_sha256=245623ccc2d31d0f6f4bdb63168d550cad305fb032cc43d96e8f61ce8ab0ba84
part=/opt/portico-parts/clients
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

stamp=$(cat "$here/clients.txt" "$here/clients.sh" | sha256sum)
if [ "$(cat "$part/stamp" 2>/dev/null)" = "$stamp" ]; then exit; fi

# Debian's Python comes without what makes environments.
if ! python3 -c 'import ensurepip, venv' 2>/dev/null; then
  install=(apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=120 python3-venv)
  export DEBIAN_FRONTEND=noninteractive
  "${install[@]}" >/dev/null 2>&1 || { apt-get update -qq >/dev/null && "${install[@]}" >/dev/null 2>&1; }
fi

# An environment knows its own path, so that it is made in its place; the stamp comes last.
rm -rf "$part"
mkdir -p "$part"
python3 -m venv "$part"
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore
"$part/bin/pip" install --quiet --require-hashes --no-deps --only-binary :all: --requirement "$here/clients.txt"

draft=$(mktemp -d)
trap 'rm -rf "$draft"' EXIT
echo "ansible==$ansible --hash=sha256:$ansible_sha256" >"$draft/ansible.txt"
# It says that it needs a newer Python; the collection does not.
"$part/bin/pip" download --quiet --require-hashes --no-deps --python-version 3.13 --only-binary :all: \
  --dest "$draft" --requirement "$draft/ansible.txt"
"$part/bin/python" - "$draft"/ansible-*.whl "$part" <<'PYTHON'
import sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as wheel:
    wheel.extractall(sys.argv[2], [_ for _ in wheel.namelist() if _.startswith("ansible_collections/openstack/")])
PYTHON

chmod -R a+rX "$part"
echo "$stamp" >"$part/stamp"

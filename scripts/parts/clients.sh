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

. "$here/python/environment.sh"

stamp=$(stamp_of "$here/clients.txt" "$here/clients.sh")
if [ "$(cat "$part/stamp" 2>/dev/null)" = "$stamp" ]; then exit; fi
make_environment "$part" "$here/clients.txt"

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

finish_environment "$part" "$stamp"

#!/usr/bin/env bash
# OpenStack's test suite with the plugins of its services, for scripts/openstack/tempest: what tempest.txt pins, in a Python
# environment of its own. The dependency `ovs` is left out: no test loads it, and it has no wheel.
#
# To raise a version: change it in tempest.txt and take its hashes from the registry, for Python 3.11 to 3.13 on Linux.
set -euo pipefail

part=/opt/portico-parts/tempest
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/python/environment.sh"

stamp=$(stamp_of "$here/tempest.txt" "$here/tempest.sh")
if [ "$(cat "$part/stamp" 2>/dev/null)" = "$stamp" ]; then exit; fi
make_environment "$part" "$here/tempest.txt"
finish_environment "$part" "$stamp"

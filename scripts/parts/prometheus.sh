#!/usr/bin/env bash
# Debian's Prometheus: the stories of monitoring start it.
set -euo pipefail

if command -v prometheus >/dev/null; then exit; fi
# At this run level no package starts a daemon.
export DEBIAN_FRONTEND=noninteractive RUNLEVEL=1
install=(apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=120 'prometheus=2.42.*')
"${install[@]}" >/dev/null 2>&1 || { apt-get update -qq >/dev/null && "${install[@]}" >/dev/null 2>&1; }

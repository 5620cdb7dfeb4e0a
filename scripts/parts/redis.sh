#!/usr/bin/env bash
# Debian's Redis and Sentinel: the stories of shared rate limits start them.
set -euo pipefail

if command -v redis-server >/dev/null && command -v redis-sentinel >/dev/null; then exit; fi
# At this run level no package starts a daemon.
export DEBIAN_FRONTEND=noninteractive RUNLEVEL=1
install=(apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=120 'redis-server=5:7.0.*' 'redis-sentinel=5:7.0.*')
"${install[@]}" >/dev/null 2>&1 || { apt-get update -qq >/dev/null && "${install[@]}" >/dev/null 2>&1; }

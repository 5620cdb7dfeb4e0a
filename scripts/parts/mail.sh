#!/usr/bin/env bash
# Debian's Exim, a mail server: the stories of mail start it in the foreground,
# with a configuration of their own.
set -euo pipefail

if command -v exim4 >/dev/null; then exit; fi
# At this run level no package starts a daemon.
export DEBIAN_FRONTEND=noninteractive RUNLEVEL=1
install=(apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=120 'exim4-daemon-light=4.96-*')
"${install[@]}" >/dev/null 2>&1 || { apt-get update -qq >/dev/null && "${install[@]}" >/dev/null 2>&1; }

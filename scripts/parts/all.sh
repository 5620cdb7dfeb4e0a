#!/usr/bin/env bash
# Installs what the tests of `npm run test:integration` speak to: Debian's programs, the scripts beside this one, and the
# packages of the real cloud. What is there already is left alone. Needs root and apt.
#
#   scripts/parts/all.sh [FOLDER]      FOLDER gets a log for each part, and `results`: a line for each that has ended,
#                                      with its name, seconds, and `ok` or the reason why it could not be installed
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

logs=${1:-$(mktemp -d)}
mkdir -p "$logs"
: >"$logs/results"

# What Go builds needs a processor, and all else mostly the network: these two lanes run side by side.
built="kubernetes cloudnativepg opentofu"
fetched="programs npm mail prometheus redis postgresql registry conformance kafka clients tempest charts real-cloud"

# Commands of Debian's packages of the same name that no script beside this one installs.
commands="kcat s3cmd rclone skopeo chromium debootstrap jq"

programs() {
  local missing=() command
  for command in $commands; do command -v "$command" >/dev/null || missing+=("$command"); done
  ((${#missing[@]})) || return 0
  # At this run level no package starts a daemon.
  export DEBIAN_FRONTEND=noninteractive RUNLEVEL=1
  local install=(apt-get install -y -q --no-install-recommends -o DPkg::Lock::Timeout=120 "${missing[@]}")
  "${install[@]}" || { apt-get update -q && "${install[@]}"; }
}

install_part() {   # install_part NAME : its log, and its line of the results
  local started=$SECONDS status=0 reason=ok
  case $1 in
    programs) programs ;;
    real-cloud) scripts/real-cloud/real-cloud.sh install ;;
    *) timeout --kill-after=10 1800 "scripts/parts/$1.sh" ;;
  esac </dev/null >"$logs/$1.log" 2>&1 || status=$?
  if ((status)); then
    reason=$(grep -v '^[[:space:]]*$' "$logs/$1.log" | tail -1 | tr -s '[:space:]' ' ' | cut -c 1-160)
    reason="exit $status: ${reason:-it said nothing}"
  fi
  # In one piece, because two lanes write.
  printf '%s %d %s\n' "$1" $((SECONDS - started)) "$reason" >>"$logs/results"
}

refuse() {
  local name
  for name in $fetched $built; do echo "$name 0 $1" >>"$logs/results"; done
}

if [[ $(id -u) != 0 ]]; then
  refuse "it needs root, and this is $(id -un)"
elif [[ ! -x /usr/bin/apt-get ]]; then
  refuse "it needs apt, which is not there"
else
  (for name in $built; do install_part "$name"; done) &
  for name in $fetched; do install_part "$name"; done
  wait
fi

cat "$logs/results"
! grep -qv '^[^ ]* [0-9]* ok$' "$logs/results"

# Packages: code and common files only, none of Debian's packages with init
# scripts for OpenStack's daemons. The daemons are started by start().

# The client is there for the tests: what stock clients do is tried with it.
PACKAGES[everything]="curl openssl python3-requests python3-openstackclient"

install_packages() {
  local part package missing=
  for part in everything $SELECTED_BACKENDS $SELECTED; do
    for package in ${PACKAGES[$part]}; do
      is_installed "$package" || missing+=" $package"
    done
  done
  [[ -n $missing ]] || return 0
  [[ -x /usr/bin/apt-get ]] ||
    die "it needs apt-get (Debian 12), which this machine does not have, to install:$missing"
  if ! grep -qs '^VERSION_CODENAME=bookworm' /etc/os-release; then
    say "real-cloud: this is not Debian 12; packages of other releases have not been tried"
  fi
  say "installing:$missing"
  # shellcheck disable=SC2086
  ( umask 022; apt_install $missing ) >"$STATE/log/install.log" 2>&1 </dev/null || {
    tail -30 "$STATE/log/install.log" >&2
    die "the packages could not be installed, see $STATE/log/install.log"
  }
}

is_installed() { dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep -q 'ok installed'; }

apt_install() {
  local name
  export DEBIAN_FRONTEND=noninteractive DEBCONF_NONINTERACTIVE_SEEN=true
  forbid_daemons
  apt-get update -q || return
  # dbconfig-common must not touch any database.
  {
    echo 'dbconfig-common dbconfig-common/dbconfig-install boolean false'
    for name in keystone glance placement neutron nova cinder barbican designate octavia; do
      echo "$name-common $name/configure_db boolean false"
    done
  } | debconf-set-selections
  apt-get install -y -q --no-install-recommends -o DPkg::Lock::Timeout=60 \
    -o Dpkg::Options::=--force-confdef -o Dpkg::Options::=--force-confold \
    -o Dpkg::Options::=--force-unsafe-io "$@"
}

forbid_daemons() {   # No package may start one. A policy that is already there stays.
  local policy=/usr/sbin/policy-rc.d
  [[ ! -e $policy ]] || return 0
  printf '#!/bin/sh\nexit 101\n' >$policy
  chmod 755 $policy
  # shellcheck disable=SC2064
  trap "rm -f $policy" EXIT
}

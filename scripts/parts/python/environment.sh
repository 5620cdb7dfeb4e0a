# Sourced by the parts that are Python environments.

stamp_of() { cat "$@" | sha256sum; }   # stamp_of FILE... : changes with what is to be installed

make_environment() {   # make_environment FOLDER REQUIREMENTS : a new one, with wheels of these hashes and nothing else
  # Debian's Python comes without what makes environments.
  if ! python3 -c 'import ensurepip, venv' 2>/dev/null; then
    local install=(apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=120 python3-venv)
    export DEBIAN_FRONTEND=noninteractive
    "${install[@]}" >/dev/null 2>&1 || { apt-get update -qq >/dev/null && "${install[@]}" >/dev/null 2>&1; }
  fi

  # It knows its own path, so that it is made in its place; the stamp comes last.
  rm -rf "$1"
  mkdir -p "$1"
  python3 -m venv "$1"
  export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore
  "$1/bin/pip" install --quiet --require-hashes --no-deps --only-binary :all: --requirement "$2"
}

finish_environment() {   # finish_environment FOLDER STAMP
  chmod -R a+rX "$1"
  echo "$2" >"$1/stamp"
}

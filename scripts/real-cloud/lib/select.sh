# Which services: those asked for, and what they need.

with_needs() {   # with_needs NAME... : these, and all that they need
  local name
  for name in "$@"; do
    echo "$name"
    # shellcheck disable=SC2086
    with_needs ${NEEDS[$name]:-}
  done
}

select_services() {   # $1: a comma list, or nothing for all; sets SELECTED and SELECTED_BACKENDS
  local name wanted="${1//,/ }"
  for name in ${wanted:=$SERVICES}; do
    [[ " $SERVICES " == *" $name "* ]] || die "there is no service '$name'; there are: $SERVICES"
  done
  # shellcheck disable=SC2086
  wanted=" $(with_needs $wanted | tr '\n' ' ')"
  [[ $wanted == *[a-z]* ]] || die "no service is named; there are: $SERVICES"
  SELECTED=$(in_order "$SERVICES" "$wanted")
  SELECTED_BACKENDS=$(in_order "$BACKENDS" "$wanted")
}

in_order() {   # in_order ALL WANTED : the words of ALL that are in WANTED
  local name found=
  for name in $1; do
    if [[ $2 == *" $name "* ]]; then found+=" $name"; fi
  done
  echo "${found# }"
}

has() { [[ " $SELECTED $SELECTED_BACKENDS " == *" $1 "* ]]; }

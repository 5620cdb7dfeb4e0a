# Steps that are done once, phases, and steps of many services at a time.

once() { [[ ! -e $STATE/done/$1 ]]; }   # is step $1 still to be done?
mark() { touch "$STATE/done/$1"; }

phase() { printf '[%3ds] %s\n' "$SECONDS" "$*" >&2; }

one_at_a_time() {   # no two of up, down and wipe on the same folder
  exec 9>"$STATE/lock"
  flock -n 9 && return
  say "waiting for another real-cloud command on $STATE ..."
  flock 9
}

in_parallel() {   # in_parallel STEP : <service>_STEP of every selected service that has one
  local service entry running="" failed=""
  for service in $SELECTED; do
    [[ $(type -t "${service}_$1") == function ]] || continue
    ( "${service}_$1" ) >>"$STATE/log/$service-$1.log" 2>&1 </dev/null &
    running+="$service:$! "
  done
  for entry in $running; do
    wait "${entry#*:}" || failed+=" ${entry%:*}"
  done
  for service in $failed; do
    say "--- $service $1 failed; the end of $STATE/log/$service-$1.log:"
    tail -15 "$STATE/log/$service-$1.log" >&2
  done
  [[ -z $failed ]] || die "failed:$failed"
}

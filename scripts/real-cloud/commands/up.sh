# up: everything, in an order in which nothing waits for what comes later.

cmd_up() {
  local part
  own_folder
  one_at_a_time
  not_another_set
  phase "packages"
  install_packages
  for part in $(cat "$STATE/run/order" 2>/dev/null || true); do
    alive "$part" || kill_members "$part"   # what a crash has left holds ports
  done
  check_ports
  echo "${SELECTED// /,}" >"$STATE/done/selected"
  make_secrets
  load_secrets

  phase "database and message bus"
  for part in $SELECTED_BACKENDS; do "${part}_start"; done
  phase "configuration and database schemas"
  in_parallel setup

  phase "starting"
  if has keystone; then
    keystone_start; wait_http keystone "${URL[keystone]}"
    once_per_set registered register
  fi
  if has rabbitmq; then wait_port rabbitmq "${PORT[rabbitmq]}"; fi
  for part in $SELECTED; do
    [[ $part == keystone ]] || "${part}_start"
  done
  phase "waiting for the endpoints"
  for part in $SELECTED; do wait_http "${LISTENS[$part]%%:*}" "${URL[$part]}"; done

  phase "finishing"
  in_parallel finish
  if has keystone; then once_per_set seeded seed; fi
  phase "up"
  cmd_status || die "not all of it is well, see above and $STATE/log; up again starts what is missing"
}

own_folder() {   # passwords will lie in it: it must be ours alone
  mkdir -p "$STATE"
  [[ -O $STATE && ! -L $STATE ]] || die "$STATE is not root's own; choose another REAL_CLOUD_DIR"
  chmod 700 "$STATE"
  mkdir -p "$STATE"/{etc,log,run,data,done,home}
}

not_another_set() {   # services are configured for those that run beside them
  local name before
  before=$(cat "$STATE/done/selected" 2>/dev/null || true)
  [[ -n $before && $before != "${SELECTED// /,}" ]] || return 0
  for name in $(cat "$STATE/run/order" 2>/dev/null || true); do
    ! alive "$name" || die "$before is running; to change the set of services, take it down first"
  done
}

once_per_set() {   # once_per_set MARK COMMAND : not again for the same set of services
  [[ $(cat "$STATE/done/$1" 2>/dev/null) != "$SELECTED" ]] || return 0
  "$2"
  echo "$SELECTED" >"$STATE/done/$1"
}

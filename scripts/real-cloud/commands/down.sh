# down and wipe: stop only what `up` has started, by pid file.

cmd_down() {
  [[ -d $STATE/run ]] || return 0
  one_at_a_time
  stop_all
}

cmd_wipe() {
  [[ -e $STATE ]] || return 0
  [[ -d $STATE/done && -d $STATE/run ]] || die "$STATE is not a cloud's folder; nothing was deleted"
  one_at_a_time
  stop_all
  rm -rf "$STATE"
}

stop_all() {
  [[ -r $STATE/run/order ]] || return 0
  local name osd=dead; local -a first=() second=()
  for name in $(tac "$STATE/run/order"); do
    case $name in
      mariadb|rabbitmq|ceph-osd) second+=("$name") ;;
      epmd|ceph-mon) ;;
      *) first+=("$name") ;;
    esac
  done
  if alive ceph-osd; then osd=alive; fi
  stop designate-producer   # It does not end while it waits for central.
  stop "${first[@]}"
  stop "${second[@]}"
  # After a clean stop, the OSD has saved its content.
  if [[ $osd == alive && $KILLED != *ceph-osd* ]]; then rm -f "$STATE/data/ceph/unclean"; fi
  stop epmd ceph-mon
  rm -f "$STATE/run/order"
}

# Whether the ports are free, asked of the kernel before anything is started.

is_bound() {   # is_bound tcp|udp PORT : is somebody there? (0A is listening, 07 an unconnected UDP socket)
  cat "/proc/net/$1" "/proc/net/${1}6" 2>/dev/null |
    awk -v port="$(printf ':%04X' "$2")" -v state="$([[ $1 == tcp ]] && echo 0A || echo 07)" '
      $4 == state && substr($2, length($2) - 4) == port { found = 1 }
      END { exit !found }'
}

holder() {   # holder tcp|udp PORT : words on who has it, where they can be had
  command -v ss >/dev/null || return 0
  ss -Hnp "--$1" --listening "sport = :$2" | grep -o 'users:.*' | head -1 || true
}

check_ports() {
  local part listener process protocol port outgoing taken=
  read -r outgoing _ </proc/sys/net/ipv4/ip_local_port_range
  if ((PORT[memcached] >= outgoing)); then
    say "real-cloud: the kernel gives ports from $outgoing on to outgoing connections: up may find one taken, now" \
      "and then; no REAL_CLOUD_PORT_OFFSET up to $((outgoing - (PORT[memcached] - OFFSET) - 1)) has that"
  fi
  for part in $SELECTED_BACKENDS $SELECTED; do
    for listener in ${LISTENS[$part]}; do
      IFS=: read -r process protocol port <<<"$listener"
      alive "$process" && continue
      if is_bound "$protocol" "$port"; then
        taken+=$'\n'"  $port/$protocol, for $process $(holder "$protocol" "$port")"
      fi
    done
  done
  [[ -z $taken ]] || die "these ports are already in use:$taken
End what uses them, or choose others: REAL_CLOUD_PORT_OFFSET=21000 (and REAL_CLOUD_DIR for a second cloud)."
}

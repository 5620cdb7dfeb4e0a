# status: what answers, what runs, and how much memory it takes.

cmd_status() {
  local service name code mem sum=0 bad=0
  load_secrets
  printf '%-11s %-34s %s\n' SERVICE ENDPOINT ANSWER
  for service in $SELECTED; do
    code=$(curl -s -o /dev/null --max-time 10 -w '%{http_code}' "${URL[$service]}") || bad=1
    printf '%-11s %-34s %s\n' "$service" "${URL[$service]}" "$code"
  done
  echo
  [[ -r $STATE/run/order ]] || { echo "not started"; return 1; }
  printf '%-20s %s\n' PROCESS "MEMORY (MiB, PSS)"
  while read -r name; do
    if alive "$name"; then mem=$(memory_of "$name"); sum=$((sum + mem)); else mem=dead bad=1; fi
    printf '%-20s %6s\n' "$name" "$mem"
  done <"$STATE/run/order"
  printf '%-20s %6s\n' total $sum
  return $bad
}

memory_of() {   # proportional set size of all its processes, in MiB
  local member
  for member in $(members "$1"); do cat "/proc/$member/smaps_rollup" 2>/dev/null || true; done |
    awk '/^Pss:/ { kib += $2 } END { print int(kib / 1024) }'
}

# Daemons without an init system: one pid file each, holding "pid starttime", so
# that a number which the kernel has given away again is never taken for ours.

starttime() {   # of pid $1; nothing when it is gone or a zombie
  awk '{ sub(/.*\) /, ""); if ($1 != "Z") print $20 }' "/proc/$1/stat" 2>/dev/null || true
}

pid_of() {   # of a daemon that runs; fails when it does not
  local pid start
  [[ -r $STATE/run/$1.pid ]] || return 1
  read -r pid start <"$STATE/run/$1.pid" || return 1
  [[ -n $start && $(starttime "$pid") == "$start" ]] && echo "$pid"
}

alive() { pid_of "$1" >/dev/null; }

# A daemon's process group, by its pid file. Being in the group is not enough:
# after a restart of the machine its number may be somebody else's. Ours write
# into our log.
members() {
  local pid _ member
  read -r pid _ 2>/dev/null <"$STATE/run/$1.pid" || return 0
  for member in $({ cat /proc/[0-9]*/stat 2>/dev/null || true; } |
      awk -v group="$pid" '{ pid = $1; sub(/.*\) /, ""); if ($3 == group && $1 != "Z") print pid }'); do
    if [[ $(readlink "/proc/$member/fd/2") == "$STATE/log/$1.log" ]]; then echo "$member"; fi
  done
}

kill_members() {   # what is left of a daemon whose first process is gone
  local member
  for member in $(members "$1"); do kill -KILL "$member" 2>/dev/null || true; done
}

start() {   # start NAME COMMAND... : in the background, in a process group of its own
  local name=$1; shift
  alive "$name" && return 0
  kill_members "$name"
  mkdir -p "$STATE/home/$name"
  HOME=$STATE/home/$name setsid "$@" </dev/null >>"$STATE/log/$name.log" 2>&1 9>&- &
  echo "$! $(starttime $!)" >"$STATE/run/$name.pid"
  grep -qx "$name" "$STATE/run/order" 2>/dev/null || echo "$name" >>"$STATE/run/order"
}

KILLED=
stop() {   # stop NAME... : TERM to all, wait up to 20 s for each, then KILL
  local name i
  for name in "$@"; do
    if alive "$name"; then kill -TERM "$(pid_of "$name")" 2>/dev/null || true; fi
  done
  for name in "$@"; do
    for ((i = 0; i < 100; i++)); do alive "$name" || break; sleep 0.2; done
    if alive "$name"; then
      say "$name did not stop, killing it"; KILLED+=" $name"
      kill -KILL "$(pid_of "$name")" 2>/dev/null || true
    fi
    kill_members "$name"
    rm -f "$STATE/run/$name.pid"
  done
}

wait_http() {   # wait_http NAME URL : until URL gives any HTTP answer
  wait_for "$1" "did not answer at $2" curl -s -o /dev/null --max-time 10 "$2"
}

wait_port() {   # wait_port NAME PORT
  wait_for "$1" "did not open port $2" connects "$2"
}

connects() { (exec 3<>"/dev/tcp/$HOST/$1") 2>/dev/null; }

wait_for() {   # wait_for NAME COMPLAINT COMMAND... : at most two minutes, and only while NAME lives
  local name=$1 complaint=$2 end=$((SECONDS + 120)); shift 2
  until "$@"; do
    alive "$name" || { tail -25 "$STATE/log/$name.log" >&2; die "$name died, see $STATE/log/$name.log"; }
    ((SECONDS < end)) || die "$name $complaint, see $STATE/log/$name.log"
    sleep 0.2
  done
}

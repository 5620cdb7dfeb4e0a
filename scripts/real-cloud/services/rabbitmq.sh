# RabbitMQ: the message bus between the daemons of a service.

PACKAGES[rabbitmq]="rabbitmq-server"
LISTENS[rabbitmq]="rabbitmq:tcp:${PORT[rabbitmq]} rabbitmq:tcp:${PORT[rabbitmq-dist]} epmd:tcp:${PORT[epmd]}"

rabbitmq_start() {
  local dir=$STATE/data/rabbit
  mkdir -p "$dir"
  cat >"$dir/rabbitmq.conf" <<END
listeners.tcp.1 = $HOST:${PORT[rabbitmq]}
default_user = openstack
default_pass = $RABBIT_PASSWORD
log.console = true
log.console.level = warning
log.file = false
vm_memory_high_watermark.absolute = 512MB
disk_free_limit.absolute = 50MB
END
  echo '[].' >"$dir/enabled_plugins"
  # An epmd of its own, so that none is left behind as a daemon.
  start epmd epmd -port "${PORT[epmd]}" -address "$HOST"
  wait_port epmd "${PORT[epmd]}"
  # One scheduler that does not wait busily: next to no CPU when idle.
  local erlang="+S 1:1 +sbwt none +sbwtdcpu none +sbwtdio none -kernel inet_dist_use_interface {127,0,0,1}"
  start rabbitmq env ERL_EPMD_PORT="${PORT[epmd]}" RUNNING_UNDER_SYSTEMD=true \
    RABBITMQ_NODENAME=realcloud@localhost RABBITMQ_CONF_ENV_FILE=/dev/null \
    RABBITMQ_CONFIG_FILE="$dir/rabbitmq" RABBITMQ_ENABLED_PLUGINS_FILE="$dir/enabled_plugins" \
    RABBITMQ_MNESIA_BASE="$dir/mnesia" RABBITMQ_LOG_BASE="$STATE/log" \
    RABBITMQ_DIST_PORT="${PORT[rabbitmq-dist]}" \
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS="$erlang" /usr/lib/rabbitmq/bin/rabbitmq-server
}

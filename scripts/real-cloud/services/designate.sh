# Designate, with a real bind9 behind it.

NEEDS[designate]="keystone rabbitmq"
PACKAGES[designate]="designate-common bind9 bind9utils"
URL[designate]="http://$HOST:${PORT[designate]}"
LISTENS[designate]="designate-api:tcp:${PORT[designate]}
  designate-mdns:tcp:${PORT[mdns]} designate-mdns:udp:${PORT[mdns]}
  bind9:tcp:${PORT[dns]} bind9:udp:${PORT[dns]} bind9:tcp:${PORT[rndc]}"
CATALOG[designate]="dns=${URL[designate]}"

designate_setup() {
  local etc=$STATE/etc/designate; mkdir -p "$etc"
  { common_conf designate; cat <<END
[DEFAULT]
root_helper =
[service:api]
auth_strategy = keystone
api_base_uri = ${URL[designate]}/
enable_api_v2 = true
enable_api_admin = true
enabled_extensions_admin = quotas, reports
[service:central]
workers = 1
[service:producer]
workers = 1
[service:worker]
workers = 1
threads = 200
poll_delay = 1
poll_retry_interval = 2
poll_timeout = 5
[service:mdns]
workers = 1
threads = 200
listen = $HOST:${PORT[mdns]}
[storage:sqlalchemy]
connection = $(db_url designate)
END
  } >"$etc/designate.conf"
  cp /usr/share/designate-common/api-paste.ini "$etc/"
  bind9_setup
  once designate || return 0
  make_db designate designate
  designate-manage --config-file "$etc/designate.conf" database sync
  mark designate
}

bind9_setup() {
  local dir=$STATE/data/bind; mkdir -p "$dir"
  cat >"$STATE/etc/designate/pools.yaml" <<END
- name: default
  description: bind9 on loopback
  attributes: {}
  ns_records:
    - {hostname: ns1.example.org., priority: 1}
  nameservers:
    - {host: $HOST, port: ${PORT[dns]}}
  targets:
    - type: bind9
      masters:
        - {host: $HOST, port: ${PORT[mdns]}}
      options:
        host: $HOST
        port: ${PORT[dns]}
        rndc_host: $HOST
        rndc_port: ${PORT[rndc]}
        rndc_config_file: $dir/rndc.conf
END
  cat >"$dir/rndc.conf" <<END
key "designate" { algorithm hmac-sha256; secret "$RNDC_SECRET"; };
options { default-key "designate"; };
END
  cat >"$dir/named.conf" <<END
key "designate" { algorithm hmac-sha256; secret "$RNDC_SECRET"; };
options {
  directory "$dir";
  pid-file none;
  session-keyfile none;
  listen-on port ${PORT[dns]} { $HOST; };
  listen-on-v6 { none; };
  allow-new-zones yes;
  allow-notify { $HOST; };
  recursion no;
  request-ixfr no;
  minimal-responses yes;
};
controls { inet $HOST port ${PORT[rndc]} allow { $HOST; } keys { "designate"; }; };
END
}

designate_start() {
  local daemon
  start bind9 named -g -n 1 -c "$STATE/data/bind/named.conf"
  OS_DESIGNATE_CONFIG_DIR=$STATE/etc/designate \
    uwsgi_api designate-api "${PORT[designate]}" 4 --wsgi-file /usr/bin/designate-api-wsgi
  for daemon in central mdns worker; do
    start "designate-$daemon" "designate-$daemon" --config-file "$STATE/etc/designate/designate.conf"
  done
}

designate_finish() {
  wait_queues central worker
  # The producer's timers die when central does not answer their first call.
  start designate-producer designate-producer --config-file "$STATE/etc/designate/designate.conf"
  once designate-pool || return 0
  designate-manage --config-file "$STATE/etc/designate/designate.conf" \
    pool update --file "$STATE/etc/designate/pools.yaml"
  mark designate-pool
}

# Nova: real API, conductor, scheduler and compute manager; a fake hypervisor.

NEEDS[nova]="keystone glance placement neutron rabbitmq"
PACKAGES[nova]="nova-common"
URL[nova]="http://$HOST:${PORT[nova]}/v2.1"
LISTENS[nova]="nova-api:tcp:${PORT[nova]}"
CATALOG[nova]="compute=${URL[nova]}"

nova_setup() {
  local etc=$STATE/etc/nova; mkdir -p "$etc"
  { common_conf nova; cat <<END
[DEFAULT]
my_ip = $HOST
compute_driver = fake.FakeDriver
allow_resize_to_same_host = true
enabled_apis = osapi_compute
report_interval = 30
service_down_time = 300
[api_database]
connection = $(db_url nova nova_api)
max_pool_size = 5
[wsgi]
api_paste_config = /usr/share/nova-common/api-paste.ini
[scheduler]
workers = 1
[conductor]
workers = 1
$(auth_block placement placement)
$(auth_block neutron neutron)
service_metadata_proxy = true
metadata_proxy_shared_secret = $METADATA_SECRET
$(auth_block cinder cinder)
os_region_name = $REGION
$(auth_block service_user nova)
send_service_user_token = true
END
  } >"$etc/nova.conf"
  cp /usr/share/nova-common/api-paste.ini "$etc/"
  # The compute manager must not see a database.
  sed '/^\[api_database\]/,+2d; /^\[database\]/,+2d' "$etc/nova.conf" >"$etc/nova-compute.conf"
  once nova || return 0
  make_db nova nova; make_db nova_api nova; make_db nova_cell0 nova
  local manage=(nova-manage --config-file "$etc/nova.conf")
  "${manage[@]}" api_db sync
  "${manage[@]}" cell_v2 map_cell0   # to the database nova_cell0, by its own rule
  "${manage[@]}" db sync
  "${manage[@]}" cell_v2 list_cells | grep -q ' cell1 ' || "${manage[@]}" cell_v2 create_cell --name cell1
  mark nova
}

nova_start() {
  local daemon
  OS_NOVA_CONFIG_DIR=$STATE/etc/nova uwsgi_api nova-api "${PORT[nova]}" 1 --wsgi-file /usr/bin/nova-api-wsgi
  for daemon in conductor scheduler; do
    start "nova-$daemon" "$PYTHON" -c "from nova.cmd.$daemon import main; main()" \
      --config-file "$STATE/etc/nova/nova.conf"
  done
  start nova-compute "$PYTHON" -c "from nova.cmd.compute import main; main()" \
    --config-file "$STATE/etc/nova/nova-compute.conf"
}

nova_finish() {   # map the compute host into the cell, once it has registered
  local i
  wait_queues conductor scheduler compute.compute-1
  wait_daemons nova
  once nova-hosts || return 0
  for ((i = 0; i < 120; i++)); do
    [[ $(sql nova <<<'SELECT COUNT(*) FROM compute_nodes WHERE deleted = 0') == 0 ]] || break
    sleep 0.5
  done
  nova-manage --config-file "$STATE/etc/nova/nova.conf" cell_v2 discover_hosts --verbose
  mark nova-hosts
}

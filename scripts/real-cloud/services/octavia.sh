# Octavia: real API and worker, the amphora provider with drivers that do nothing.

NEEDS[octavia]="keystone neutron rabbitmq"
PACKAGES[octavia]="python3-octavia"
URL[octavia]="http://$HOST:${PORT[octavia]}"
LISTENS[octavia]="octavia-api:tcp:${PORT[octavia]}"
CATALOG[octavia]="load-balancer=${URL[octavia]}"

octavia_setup() {
  local etc=$STATE/etc/octavia; mkdir -p "$etc"
  { common_conf octavia; cat <<END
[api_settings]
auth_strategy = keystone
api_base_uri = ${URL[octavia]}
enabled_provider_drivers = amphora:no-op amphora,octavia:alias of amphora
default_provider_driver = amphora
[oslo_messaging]
topic = octavia_prov
[controller_worker]
workers = 1
amphora_driver = amphora_noop_driver
compute_driver = compute_noop_driver
network_driver = network_noop_driver
volume_driver = volume_noop_driver
image_driver = image_noop_driver
distributor_driver = distributor_noop_driver
loadbalancer_topology = SINGLE
client_ca = $etc/ca.crt
amp_flavor_id = 1
amp_image_tag = amphora
amp_boot_network_list = 00000000-0000-0000-0000-000000000001
[health_manager]
heartbeat_key = $HEARTBEAT_KEY
[certificates]
cert_generator = local_cert_generator
ca_certificate = $etc/ca.crt
ca_private_key = $etc/ca.key
ca_private_key_passphrase = $HEARTBEAT_KEY
server_certs_key_passphrase = $HEARTBEAT_KEY
[networking]
allow_vip_network_id = true
$(auth_block service_auth octavia)
END
  } >"$etc/octavia.conf"
  once octavia || return 0
  PASSPHRASE=$HEARTBEAT_KEY openssl req -x509 -newkey rsa:2048 -days 3650 -subj /CN=octavia-ca \
    -passout env:PASSPHRASE -keyout "$etc/ca.key" -out "$etc/ca.crt"
  make_db octavia octavia
  octavia-db-manage --config-file "$etc/octavia.conf" upgrade head
  mark octavia
}

octavia_start() {
  uwsgi_api octavia-api "${PORT[octavia]}" 4 --wsgi-file /usr/bin/octavia-wsgi \
    --pyargv "--config-file $STATE/etc/octavia/octavia.conf"
  start octavia-worker octavia-worker --config-file "$STATE/etc/octavia/octavia.conf"
}

octavia_finish() { wait_queues octavia_provisioning_v2; }

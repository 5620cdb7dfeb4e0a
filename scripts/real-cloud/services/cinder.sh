# Cinder: real API, scheduler and volume manager; a driver that only logs.

NEEDS[cinder]="keystone glance rabbitmq"
PACKAGES[cinder]="cinder-common"
URL[cinder]="http://$HOST:${PORT[cinder]}/v3"
LISTENS[cinder]="cinder-api:tcp:${PORT[cinder]}"
CATALOG[cinder]="volumev3=${URL[cinder]}/%(project_id)s block-storage=${URL[cinder]}/%(project_id)s"

cinder_setup() {
  local etc=$STATE/etc/cinder; mkdir -p "$etc"
  { common_conf cinder; cat <<END
[DEFAULT]
my_ip = $HOST
auth_strategy = keystone
enabled_backends = fake
api_paste_config = /usr/share/cinder-common/api-paste.ini
resource_query_filters_file = /etc/cinder/resource_filters.json
# The logging driver always says "5 GB free": do not filter on capacity.
scheduler_default_filters = AvailabilityZoneFilter,CapabilitiesFilter
backend_stats_polling_interval = 10
[fake]
volume_driver = cinder.tests.fake_driver.FakeLoggingVolumeDriver
volume_backend_name = fake
[coordination]
backend_url = file://$STATE/data/cinder/coordination
$(auth_block service_user cinder)
send_service_user_token = true
$(auth_block nova nova)
END
  } >"$etc/cinder.conf"
  once cinder || return 0
  make_db cinder cinder
  cinder-manage --config-file "$etc/cinder.conf" db sync
  mark cinder
}

cinder_start() {
  local daemon
  uwsgi_api cinder-api "${PORT[cinder]}" 4 --wsgi-file /usr/bin/cinder-wsgi \
    --pyargv "--config-file $STATE/etc/cinder/cinder.conf"
  for daemon in scheduler volume; do
    start "cinder-$daemon" "$PYTHON" -c "from cinder.cmd.$daemon import main; main()" \
      --config-file "$STATE/etc/cinder/cinder.conf"
  done
}

cinder_finish() {
  wait_queues cinder-scheduler cinder-volume.compute-1@fake.compute-1
  wait_daemons cinder
  # Until the scheduler has heard of the backend, every volume ends in an error.
  python wait_pools.py
}

# Placement: what hosts have, and who has claimed it.

NEEDS[placement]="keystone"
PACKAGES[placement]="python3-placement"
URL[placement]="http://$HOST:${PORT[placement]}"
LISTENS[placement]="placement:tcp:${PORT[placement]}"
CATALOG[placement]="placement=${URL[placement]}"

placement_setup() {
  local etc=$STATE/etc/placement; mkdir -p "$etc"
  { common_conf placement; cat <<END
[placement_database]
connection = $(db_url placement)
[api]
auth_strategy = keystone
END
  } >"$etc/placement.conf"
  once placement || return 0
  make_db placement placement
  placement-manage --config-file "$etc/placement.conf" db sync
  mark placement
}

placement_start() {
  OS_PLACEMENT_CONFIG_DIR=$STATE/etc/placement \
    uwsgi_api placement "${PORT[placement]}" 4 --wsgi-file /usr/bin/placement-api
}

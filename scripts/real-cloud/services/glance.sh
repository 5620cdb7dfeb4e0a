# Glance: images, in files.

NEEDS[glance]="keystone"
PACKAGES[glance]="glance-common"
URL[glance]="http://$HOST:${PORT[glance]}"
LISTENS[glance]="glance:tcp:${PORT[glance]}"
CATALOG[glance]="image=${URL[glance]}"

glance_setup() {
  local etc=$STATE/etc/glance data=$STATE/data/glance; mkdir -p "$etc" "$data"/{images,staging,tasks}
  { common_conf glance; cat <<END
[DEFAULT]
enabled_backends = local:file
[glance_store]
default_backend = local
[local]
filesystem_store_datadir = $data/images
[os_glance_staging_store]
filesystem_store_datadir = $data/staging
[os_glance_tasks_store]
filesystem_store_datadir = $data/tasks
[paste_deploy]
flavor = keystone
END
  } >"$etc/glance-api.conf"
  cp /usr/share/glance-common/glance-api-paste.ini "$etc/"
  once glance || return 0
  make_db glance glance
  glance-manage --config-file "$etc/glance-api.conf" db_sync
  mark glance
}

glance_start() {
  OS_GLANCE_CONFIG_DIR=$STATE/etc/glance \
    uwsgi_api glance "${PORT[glance]}" 4 --wsgi-file /usr/bin/glance-wsgi-api
}

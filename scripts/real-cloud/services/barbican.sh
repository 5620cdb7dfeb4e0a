# Barbican: the synchronous API, with secrets encrypted in its database.

NEEDS[barbican]="keystone"
PACKAGES[barbican]="barbican-common python3-pastescript"
URL[barbican]="http://$HOST:${PORT[barbican]}"
LISTENS[barbican]="barbican:tcp:${PORT[barbican]}"
CATALOG[barbican]="key-manager=${URL[barbican]}"

barbican_setup() {
  local etc=$STATE/etc/barbican; mkdir -p "$etc" "$STATE/home/barbican/.barbican"
  { common_conf barbican; cat <<END
[DEFAULT]
sql_connection = $(db_url barbican)
db_auto_create = false
host_href = ${URL[barbican]}
[queue]
enable = false
[secretstore]
enabled_secretstore_plugins = store_crypto
[crypto]
enabled_crypto_plugins = simple_crypto
[simple_crypto_plugin]
kek = $BARBICAN_KEK
END
  } >"$etc/barbican.conf"
  # Its WSGI application takes no path of a configuration: it looks in ~/.barbican first.
  ln -sf "$etc/barbican.conf" "$STATE/home/barbican/.barbican/barbican.conf"
  once barbican || return 0
  make_db barbican barbican
  HOME=$STATE/home/barbican barbican-manage db upgrade
  mark barbican
}

barbican_start() {
  uwsgi_api barbican "${PORT[barbican]}" 4 --paste "config:/usr/share/barbican-common/barbican-api-paste.ini"
}

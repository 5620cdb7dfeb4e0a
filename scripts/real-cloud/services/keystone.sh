# Keystone: identity, and the catalog of the others.

NEEDS[keystone]="mariadb memcached"
PACKAGES[keystone]="python3-keystone uwsgi-core uwsgi-plugin-python3"
URL[keystone]="http://$HOST:${PORT[keystone]}/v3"
LISTENS[keystone]="keystone:tcp:${PORT[keystone]}"

keystone_setup() {
  local etc=$STATE/etc/keystone; mkdir -p "$etc"
  cat >"$etc/keystone.conf" <<END
[DEFAULT]
use_stderr = true
[database]
connection = $(db_url keystone)
max_pool_size = 10
[token]
provider = fernet
[fernet_tokens]
key_repository = $etc/fernet-keys
[credential]
key_repository = $etc/credential-keys
[cache]
enabled = true
backend = oslo_cache.memcache_pool
memcache_servers = $HOST:${PORT[memcached]}
[identity]
# Cheap bcrypt: tests log in often.
password_hash_rounds = 4
END
  once keystone || return 0
  make_db keystone keystone
  local manage=(keystone-manage --config-file "$etc/keystone.conf")
  mkdir -p "$etc/fernet-keys" "$etc/credential-keys"
  "${manage[@]}" fernet_setup --keystone-user root --keystone-group root
  "${manage[@]}" credential_setup --keystone-user root --keystone-group root
  "${manage[@]}" db_sync
  OS_BOOTSTRAP_PASSWORD=$ADMIN_PASSWORD "${manage[@]}" bootstrap --bootstrap-region-id "$REGION" \
    --bootstrap-admin-url "${URL[keystone]}" --bootstrap-internal-url "${URL[keystone]}" \
    --bootstrap-public-url "${URL[keystone]}"
  mark keystone
}

keystone_start() {
  OS_KEYSTONE_CONFIG_FILES=$STATE/etc/keystone/keystone.conf \
    uwsgi_api keystone "${PORT[keystone]}" 4 --wsgi-file /usr/bin/keystone-wsgi-public
}

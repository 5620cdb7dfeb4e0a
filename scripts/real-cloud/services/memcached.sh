# memcached: where Keystone and the services keep validated tokens.

PACKAGES[memcached]="memcached python3-memcache"
LISTENS[memcached]="memcached:tcp:${PORT[memcached]}"

memcached_start() { start memcached memcached -u root -l "$HOST" -p "${PORT[memcached]}" -U 0 -m 32 -t 1; }

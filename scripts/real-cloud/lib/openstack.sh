# What the OpenStack services have in common: configuration, WSGI, Python.

auth_block() {   # auth_block SECTION USER : how a service logs in at Keystone
  cat <<END
[$1]
auth_type = password
auth_url = ${URL[keystone]}
username = $2
password = $SERVICE_PASSWORD
project_name = service
user_domain_name = Default
project_domain_name = Default
region_name = $REGION
END
}

common_conf() {   # common_conf SERVICE
  mkdir -p "$STATE/data/$1/lock"
  cat <<END
[DEFAULT]
use_stderr = true
debug = false
host = compute-1
state_path = $STATE/data/$1
transport_url = rabbit://openstack:$RABBIT_PASSWORD@$HOST:${PORT[rabbitmq]}/
[database]
connection = $(db_url "$1")
max_pool_size = 5
[oslo_concurrency]
lock_path = $STATE/data/$1/lock
[oslo_messaging_notifications]
driver = noop
$(auth_block keystone_authtoken "$1")
www_authenticate_uri = ${URL[keystone]}
memcached_servers = $HOST:${PORT[memcached]}
service_token_roles = service
service_token_roles_required = true
END
}

# One uwsgi (master and workers) per API, options as in Debian's *-uwsgi.ini.
# Its http-socket closes the connection after each answer, hence the header.
uwsgi_api() {   # uwsgi_api NAME PORT THREADS [OPTION...]
  local name=$1 port=$2 threads=$3; shift 3
  start "$name" uwsgi --plugins python3 --master --die-on-term --no-orphans \
    --auto-procname --procname-prefix-spaced "$name" --http-socket "$HOST:$port" \
    --processes "$WORKERS" --threads "$threads" --enable-threads --lazy-apps --thunder-lock \
    --buffer-size 65535 --listen 100 --add-header "Connection: close" \
    --need-app --disable-logging "$@"
}

python() {   # python FILE ARGUMENT... : one of python/, told what `env` prints, and the internal passwords
  (
    eval "$(print_env)"
    export SERVICE_PASSWORD RABBIT_PASSWORD PYTHONPATH=$HERE/python
    exec "$PYTHON" -B "$HERE/python/$1" "${@:2}"
  )
}

# A daemon may answer pings long before it does its work.
wait_queues() { python wait_queues.py "$HOST:${PORT[rabbitmq]}" "$@"; }   # until somebody consumes each
wait_daemons() { python wait_daemons.py "$1"; }                           # nova, cinder: until all are "up"

register() {   # service users and the catalog
  local service entry; local -a entries=()
  for service in $SELECTED; do
    for entry in ${CATALOG[$service]:-}; do entries+=("$service=$entry"); done
  done
  python register.py "${entries[@]}"
}

seed() { python seed.py "$SELECTED"; }   # what an operator would have made

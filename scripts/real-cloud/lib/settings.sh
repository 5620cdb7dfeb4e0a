# Settings, ports, and the tables that services/ fills in.

STATE=$(realpath -ms -- "${REAL_CLOUD_DIR:-/tmp/real-cloud}")
OFFSET=${REAL_CLOUD_PORT_OFFSET:-20000}
WORKERS=${REAL_CLOUD_WORKERS:-1}
HOST=127.0.0.1
REGION=RegionOne

# The folder stands in a dozen configuration formats, and in the names of
# sockets, which the kernel limits to 107 bytes.
[[ $STATE =~ ^/[A-Za-z0-9._/-]{1,70}$ ]] ||
  die "REAL_CLOUD_DIR must be a path of at most 70 letters, digits, dots and dashes, not '$STATE'"
[[ $OFFSET =~ ^[1-9][0-9]{3,4}$ && $OFFSET -ge 1024 && $OFFSET -le 54000 ]] ||
  die "REAL_CLOUD_PORT_OFFSET must be a number from 1024 to 54000, not '$OFFSET'"
[[ $WORKERS =~ ^[1-9][0-9]?$ ]] || die "REAL_CLOUD_WORKERS must be a number from 1 to 99, not '$WORKERS'"

# The usual port of each, to which the offset is added.
declare -A PORT=(
  [keystone]=5000 [glance]=9292 [placement]=8778 [neutron]=9696 [nova]=8774
  [cinder]=8776 [barbican]=9311 [designate]=9001 [octavia]=9876 [rgw]=7480
  [mariadb]=3306 [memcached]=11211
  [rabbitmq]=5672 [rabbitmq-dist]=5673 [epmd]=4369
  [ceph-mon]=3300 [ceph-mon-v1]=6789 [ceph-osd-first]=6800 [ceph-osd-last]=6815
  [dns]=53 [rndc]=953 [mdns]=5354
)
for name in "${!PORT[@]}"; do PORT[$name]=$((PORT[$name] + OFFSET)); done

# Start order: what a service needs stands before it.
BACKENDS="mariadb memcached rabbitmq"
SERVICES="keystone glance placement neutron nova cinder barbican designate octavia rgw"

declare -A NEEDS      # other services and backends, without which it does not work
declare -A PACKAGES   # of Debian
declare -A URL        # of its endpoint
declare -A LISTENS    # process:protocol:port ...; the first is the one that answers at URL
declare -A CATALOG    # type=url ... in Keystone's catalog

# The system's own tools and Python, whatever the caller's environment puts first.
export PATH=/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin
export LC_ALL=C.UTF-8
export no_proxy=127.0.0.1,localhost NO_PROXY=127.0.0.1,localhost
unset PYTHONPATH PYTHONHOME PYTHONDONTWRITEBYTECODE PYENV_VERSION
PYTHON=/usr/bin/python3

# MariaDB: the database of every OpenStack service.

PACKAGES[mariadb]="mariadb-server python3-pymysql"
LISTENS[mariadb]="mariadb:tcp:${PORT[mariadb]}"

mariadb_start() {
  if once mariadb; then
    rm -rf "$STATE/data/mariadb"
    UMASK=0600 UMASK_DIR=0700 mariadb-install-db --no-defaults --user=root --datadir="$STATE/data/mariadb" \
      --skip-test-db --auth-root-authentication-method=socket >"$STATE/log/mariadb-install.log" 2>&1
    mark mariadb
  fi
  # Durability is traded for speed: this is throw-away data.
  start mariadb env UMASK=0600 UMASK_DIR=0700 mariadbd --no-defaults --user=root --datadir="$STATE/data/mariadb" \
    --socket="$STATE/run/mariadb.sock" --pid-file="$STATE/run/mariadbd.own.pid" \
    --bind-address="$HOST" --port="${PORT[mariadb]}" --skip-name-resolve --skip-log-bin \
    --innodb-flush-log-at-trx-commit=0 --innodb-doublewrite=0 --sync-binlog=0 \
    --innodb-buffer-pool-size=128M --innodb-log-file-size=64M --max-connections=500 \
    --character-set-server=utf8mb3 --performance-schema=OFF
  wait_port mariadb "${PORT[mariadb]}"
}

sql() { mariadb --no-defaults --socket="$STATE/run/mariadb.sock" -uroot -N "$1"; }   # sql DATABASE; statements on stdin

make_db() {   # make_db DATABASE USER
  sql mysql <<END
CREATE DATABASE IF NOT EXISTS $1 CHARACTER SET utf8mb3;
CREATE USER IF NOT EXISTS '$2'@'127.0.0.1' IDENTIFIED BY '$DB_PASSWORD';
GRANT ALL ON $1.* TO '$2'@'127.0.0.1';
END
}

db_url() { echo "mysql+pymysql://$1:$DB_PASSWORD@$HOST:${PORT[mariadb]}/${2:-$1}?charset=utf8"; }   # USER [DATABASE]

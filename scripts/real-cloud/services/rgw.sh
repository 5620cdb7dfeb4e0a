# Ceph: one monitor, one OSD in memory, no manager, and the RADOS gateway. It
# authenticates S3 users only: cephx is off on loopback.

PACKAGES[rgw]="ceph-mon ceph-osd radosgw"
URL[rgw]="http://$HOST:${PORT[rgw]}"
LISTENS[rgw]="rgw:tcp:${PORT[rgw]} ceph-mon:tcp:${PORT[ceph-mon]} ceph-mon:tcp:${PORT[ceph-mon-v1]}"
CATALOG[rgw]="s3=${URL[rgw]}"

ceph_admin() { ceph -c "$STATE/etc/ceph/ceph.conf" --connect-timeout 20 "$@"; }
rgw_admin() { radosgw-admin -c "$STATE/etc/ceph/ceph.conf" -n client.rgw "$@"; }

rgw_setup() {
  local etc=$STATE/etc/ceph data=$STATE/data/ceph; mkdir -p "$etc" "$data"/{mon,osd,rgw}
  cat >"$etc/ceph.conf" <<END
[global]
fsid = $FSID
mon host = [v2:$HOST:${PORT[ceph-mon]},v1:$HOST:${PORT[ceph-mon-v1]}]
mon initial members = a
public network = $HOST/32
auth cluster required = none
auth service required = none
auth client required = none
run dir = $STATE/run
admin socket = $STATE/run/\$cluster-\$name.asok
log to file = false
log to stderr = true
mon cluster log to file = false
debug rocksdb = 0
mon cluster log to stderr = false
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 4
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
mon allow pool size one = true
mon max pg per osd = 2000
mon data avail warn = 1
mon data avail crit = 1
# radosgw would insist on secure mode, which cephx-less auth cannot do.
ms mon client mode = crc
ms bind ipv6 = false
ms bind port min = ${PORT[ceph-osd-first]}
ms bind port max = ${PORT[ceph-osd-last]}
[mon]
mon data = $data/mon
[osd]
osd data = $data/osd
osd objectstore = memstore
memstore device bytes = 8589934592
# A clean stop makes memstore write its content to disk.
osd fast shutdown = false
[client.rgw]
rgw data = $data/rgw
rgw frontends = beast endpoint=$HOST:${PORT[rgw]}
rgw thread pool size = 32
rgw enable usage log = true
rgw usage log tick interval = 5
rgw run sync thread = false
END
  # memstore lives in memory: after a crash, Ceph starts again from nothing.
  if [[ -e $data/unclean ]] && ! alive ceph-osd; then
    rm -f "$STATE/done/ceph" "$STATE/done/rgw-user" "$data/unclean"
  fi
  once ceph || return 0
  stop rgw ceph-osd ceph-mon
  rm -rf "$data/mon" "$data/osd"; mkdir -p "$data"/{mon,osd}
  monmaptool --create --clobber --fsid "$FSID" \
    --addv a "[v2:$HOST:${PORT[ceph-mon]},v1:$HOST:${PORT[ceph-mon-v1]}]" "$data/monmap"
  ceph-mon -c "$etc/ceph.conf" -i a --mkfs --monmap "$data/monmap"
  ceph-osd -c "$etc/ceph.conf" -i 0 --mkfs --no-mon-config --osd-uuid "$OSD_UUID"
}

rgw_start() {
  local conf=$STATE/etc/ceph/ceph.conf
  start ceph-mon ceph-mon -f -c "$conf" -i a
  wait_port ceph-mon "${PORT[ceph-mon]}"
  if once ceph; then ceph_admin osd new "$OSD_UUID" 0 >"$STATE/log/ceph-osd-new.log" 2>&1; mark ceph; fi
  touch "$STATE/data/ceph/unclean"
  start ceph-osd ceph-osd -f -c "$conf" -i 0
  start rgw radosgw -f -c "$conf" -n client.rgw
}

rgw_finish() {   # the gateway's own account for the admin operations
  local pool
  once rgw-user || return 0
  # Made now, so that the first bucket and object do not take 2 s each.
  for pool in default.rgw.buckets.index default.rgw.buckets.data; do
    ceph_admin osd pool create $pool 4; ceph_admin osd pool application enable $pool rgw
  done
  rgw_admin user info --uid=gateway-admin || rgw_make_admin
  mark rgw-user
}

rgw_make_admin() {
  CEPH_ARGS="--access-key=$RGW_ACCESS_KEY --secret-key=$RGW_SECRET_KEY" \
    rgw_admin user create --uid=gateway-admin --display-name="gateway admin" \
    --caps="users=*;buckets=*;usage=*;metadata=*"
}

# Throw-away secrets, made once. They reach programs in files that only root can
# read, in the environment or on standard input: arguments are for all to see.

make_secrets() {
  local key
  [[ ! -e $STATE/secrets.env ]] || return 0
  {
    for key in ADMIN_PASSWORD SERVICE_PASSWORD DB_PASSWORD RABBIT_PASSWORD METADATA_SECRET \
               RGW_ACCESS_KEY RGW_SECRET_KEY HEARTBEAT_KEY; do
      echo "$key=$(openssl rand -hex 16)"
    done
    for key in BARBICAN_KEK RNDC_SECRET; do echo "$key=$(openssl rand -base64 32)"; done
    for key in FSID OSD_UUID; do echo "$key=$(cat /proc/sys/kernel/random/uuid)"; done
  } >"$STATE/secrets.env.new"
  # In one step: half a file would be taken for all of it the next time.
  mv "$STATE/secrets.env.new" "$STATE/secrets.env"
}

load_secrets() {
  [[ -e $STATE/secrets.env ]] || die "there is no cloud in $STATE; this makes one: npm run real-cloud -- up"
  . "$STATE/secrets.env"
}

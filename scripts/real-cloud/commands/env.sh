# env: the cloud's addresses and accounts, as lines for a shell.

cmd_env() {
  load_secrets
  print_env
}

print_env() {
  local service
  if has keystone; then
    shell_line OS_AUTH_URL "${URL[keystone]}"
    shell_line OS_IDENTITY_API_VERSION 3
    shell_line OS_USERNAME admin
    shell_line OS_PASSWORD "$ADMIN_PASSWORD"
    shell_line OS_PROJECT_NAME admin
    shell_line OS_USER_DOMAIN_NAME Default
    shell_line OS_PROJECT_DOMAIN_NAME Default
    shell_line OS_REGION_NAME "$REGION"
    shell_line OS_INTERFACE public
    shell_line REAL_CLOUD_EXTERNAL_NETWORK public
    shell_line REAL_CLOUD_FLAVOR m1.tiny
    shell_line REAL_CLOUD_IMAGE test-image
    shell_line REAL_CLOUD_DNS "$HOST:${PORT[dns]}"
  fi
  for service in $SELECTED; do shell_line "REAL_CLOUD_URL_${service^^}" "${URL[$service]}"; done
  if has rgw; then
    shell_line REAL_CLOUD_RGW_ADMIN_UID gateway-admin
    shell_line REAL_CLOUD_RGW_ACCESS_KEY "$RGW_ACCESS_KEY"
    shell_line REAL_CLOUD_RGW_SECRET_KEY "$RGW_SECRET_KEY"
  fi
}

# Only values that need no quotes, so that a program can read the lines as well as a shell.
shell_line() {
  [[ $2 =~ ^[A-Za-z0-9_./:@%+,=-]+$ ]] || die "the value of $1 would need quotes"
  echo "export $1=$2"
}

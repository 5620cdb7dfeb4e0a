# env: the cloud's addresses and accounts, as lines for a shell, and the same as the gateway's settings name them.

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
  print_gateway_settings
}

declare -A SETTING=(
  [keystone]=IAAS_IDENTITY_URL [nova]=IAAS_COMPUTE_URL [neutron]=IAAS_NETWORK_URL [cinder]=IAAS_VOLUME_URL
  [glance]=IAAS_IMAGE_URL [octavia]=IAAS_LOAD_BALANCER_URL [designate]=IAAS_DNS_URL [barbican]=IAAS_KEY_MANAGER_URL
)
declare -A VERSION=([neutron]=/v2.0 [glance]=/v2 [octavia]=/v2 [designate]=/v2)

print_gateway_settings() {
  local service
  for service in $SELECTED; do
    [[ -z ${SETTING[$service]:-} ]] || shell_line "${SETTING[$service]}" "${URL[$service]}${VERSION[$service]:-}"
  done
  if has keystone; then
    shell_line KEYSTONE_USER admin
    shell_line KEYSTONE_PASSWORD "$ADMIN_PASSWORD"
    shell_line KEYSTONE_PROJECT admin
  fi
  if has rgw; then
    shell_line RGW_URL "${URL[rgw]}"
    shell_line RGW_ACCESS_KEY "$RGW_ACCESS_KEY"
    shell_line RGW_SECRET_KEY "$RGW_SECRET_KEY"
    shell_line OBJECT_STORAGE_PUBLIC_URL "${URL[rgw]}"
  fi
}

# Only values that need no quotes, so that a program can read the lines as well as a shell.
shell_line() {
  [[ $2 =~ ^[A-Za-z0-9_./:@%+,=-]+$ ]] || die "the value of $1 would need quotes"
  echo "export $1=$2"
}

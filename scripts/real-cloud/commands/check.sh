# check: an end-to-end pass through every selected service.

cmd_check() {
  local name pids=
  load_secrets
  for name in $(cat "$STATE/run/order" 2>/dev/null || true); do pids+=" $(members "$name" | tr '\n' ' ')"; done
  CLOUD_PROCESSES=$pids python check.py "$SELECTED"
}

import type { DevFile } from "./DevFile.ts"

/** The first commands to try, ready to paste. */
export const banner = (dev: DevFile, file: string): string => {
  const [first] = dev.tenants
  return `
Portico is up, in front of a simulated cloud.

  customer plane   ${dev.customer_url}   (reference: ${dev.customer_url}/docs)
  operator plane   ${dev.operator_url}   (reference: ${dev.operator_url}/docs)
  identity         ${dev.auth_url}
  cloud            ${dev.cloud_url}   (state, calls, faults)
  tokens           ${file}

Try it:

  # who is this credential?
  curl -s ${dev.customer_url}/v1/whoami -H 'Authorization: Bearer ${first?.tokens.tier0 ?? ""}'

  # the tenant's servers, straight from the compute service
  curl -s ${dev.customer_url}/v1/iaas/compute/servers -H 'Authorization: Bearer ${first?.tokens.tier0 ?? ""}'

  # one more tenant, whole or not at all
  curl -s ${dev.operator_url}/v1/tenants -H 'Authorization: Bearer ${dev.operator.token}' \\
    -H 'Content-Type: application/json' -d '{"name": "Initech", "tier": "discovery"}'

Ctrl-C stops all of it; the next start finds everything as it was.
`
}

import type { DevFile } from "./DevFile.ts"

/** The first commands to try, ready to paste. */
export const banner = (dev: DevFile, file: string, hasConsole: boolean): string => {
  const [first] = dev.tenants
  const curl = dev.ca_file === undefined ? "curl -s" : `curl -s --cacert '${dev.ca_file}'`
  const authority =
    dev.ca_file === undefined ? "" : `\n  authority        ${dev.ca_file}   (for clients that check certificates)`
  const consoles = hasConsole ? consolesOf(dev) : ""
  return `
Portico is up${first === undefined ? "" : ", in front of a simulated cloud"}.

  customer plane   ${dev.customer_url}   (reference: ${dev.customer_url}/docs)
  operator plane   ${dev.operator_url}   (reference: ${dev.operator_url}/docs)
  agents (MCP)     ${dev.agent_url}
  identity         ${dev.auth_url}
  cloud            ${dev.cloud_url}   (state, calls, faults)
  object storage   ${dev.s3_url}   (S3, path style)
  tokens           ${file}${authority}
${consoles}
Try it:
${first === undefined ? "" : reads(curl, dev.customer_url, first.tokens.tier0)}
  # a new tenant, whole or not at all
  ${curl} ${dev.operator_url}/v1/tenants -H 'Authorization: Bearer ${dev.operator.token}' \\
    -H 'Content-Type: application/json' -d '{"name": "Initech", "tier": "discovery"}'

Ctrl-C stops all of it; the next start finds everything as it was.
`
}

/** What a credential of tier 0 reads. */
const reads = (curl: string, url: string, token: string): string => `
  # who is this credential?
  ${curl} ${url}/v1/whoami -H 'Authorization: Bearer ${token}'

  # the tenant's servers, straight from the compute service
  ${curl} ${url}/v1/iaas/compute/servers -H 'Authorization: Bearer ${token}'
`

/** The consoles, with the people of the identity provider's page. Without tenants nobody signs in to the customers' one. */
const consolesOf = ({ customer_url, operator_url, tenants: [first] }: DevFile): string => {
  const customers = `  ${customer_url}/console/   as owner@${first?.slug}.example, engineer@acme.example or viewer@acme.example\n`
  return `
In a browser (the sign-in page offers the people; there are no passwords):

${first === undefined ? "" : customers}  ${operator_url}/console/   as operator@portico.example
`
}

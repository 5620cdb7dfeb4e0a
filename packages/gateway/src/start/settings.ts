import type { Server } from "@portico/simulator/Server"
import { gatewaySettings } from "@portico/simulator/settings"
import type { CertificateFiles } from "./certificates.ts"

/** The capacity of the demo cloud: a handful of tenants of every tier. */
const budget = {
  SELLABLE_CORES: "1024",
  SELLABLE_RAM_GIB: "2048",
  SELLABLE_BLOCK_GIB: "10000",
  SELLABLE_OBJECT_GIB: "4000",
  SELLABLE_FLOATING_IPS: "200"
}

/** Every setting that a gateway in front of the simulated cloud needs. The environment takes precedence. */
export const demoSettings = (
  { s3Url, url }: Server["Service"],
  certificate?: CertificateFiles
): Readonly<Record<string, string>> => ({
  ...gatewaySettings(url),
  OBJECT_STORAGE_PUBLIC_URL: s3Url,
  OPENSTACK_COMPATIBILITY: "true",
  PLATFORM_DNS_ZONES: "dns.simulated.",
  // Ctrl-C does not wait for the connections of a browser.
  STOP_KEEP_ALIVE_SECONDS: "0",
  ...(certificate === undefined ? {} : certificateSettings(certificate)),
  ...budget
})

const certificateSettings = ({ cert, key }: CertificateFiles) => ({
  CUSTOMER_TLS_CERT_FILE: cert,
  CUSTOMER_TLS_KEY_FILE: key,
  OPERATOR_TLS_CERT_FILE: cert,
  OPERATOR_TLS_KEY_FILE: key,
  AGENT_TLS_CERT_FILE: cert,
  AGENT_TLS_KEY_FILE: key
})

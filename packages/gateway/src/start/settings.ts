import { gatewaySettings } from "@portico/simulator/settings"

/** The capacity of the demo cloud: a handful of tenants of every tier. */
const budget = {
  SELLABLE_CORES: "1024",
  SELLABLE_RAM_GIB: "2048",
  SELLABLE_BLOCK_GIB: "10000",
  SELLABLE_OBJECT_GIB: "4000",
  SELLABLE_FLOATING_IPS: "200"
}

/** Every setting that a gateway in front of the simulated cloud needs. The environment takes precedence. */
export const demoSettings = (cloudUrl: string): Readonly<Record<string, string>> => ({
  ...gatewaySettings(cloudUrl),
  PLATFORM_DNS_ZONES: "dns.simulated.",
  ...budget
})

import { Server } from "@portico/simulator/Server"
import { gatewaySettings } from "@portico/simulator/settings"
import { Effect, Layer } from "effect"
import { TestGateway } from "../harness/TestGateway.ts"

/** What the tests were told of the real cloud. */
export const told = (name: string): string => {
  const value = process.env[name]
  if (value === undefined) throw new Error(`${name} is not set: is the real cloud up?`)
  return value
}

/** The addresses of the real services, and the accounts on them, as the gateway's settings name them. */
export const realSettings = (): Readonly<Record<string, string>> => ({
  IAAS_IDENTITY_URL: told("REAL_CLOUD_URL_KEYSTONE"),
  IAAS_COMPUTE_URL: told("REAL_CLOUD_URL_NOVA"),
  IAAS_NETWORK_URL: `${told("REAL_CLOUD_URL_NEUTRON")}/v2.0`,
  IAAS_VOLUME_URL: told("REAL_CLOUD_URL_CINDER"),
  IAAS_IMAGE_URL: `${told("REAL_CLOUD_URL_GLANCE")}/v2`,
  IAAS_LOAD_BALANCER_URL: `${told("REAL_CLOUD_URL_OCTAVIA")}/v2`,
  IAAS_DNS_URL: `${told("REAL_CLOUD_URL_DESIGNATE")}/v2`,
  IAAS_KEY_MANAGER_URL: told("REAL_CLOUD_URL_BARBICAN"),
  KEYSTONE_USER: told("OS_USERNAME"),
  KEYSTONE_PASSWORD: told("OS_PASSWORD"),
  KEYSTONE_PROJECT: told("OS_PROJECT_NAME"),
  RGW_URL: told("REAL_CLOUD_URL_RGW"),
  RGW_ACCESS_KEY: told("REAL_CLOUD_RGW_ACCESS_KEY"),
  RGW_SECRET_KEY: told("REAL_CLOUD_RGW_SECRET_KEY")
})

/** Identity provider, Kubernetes and billing stay simulated; everything else is the real thing. */
export const realGateway = TestGateway.layerOf(
  Effect.map(Server, ({ url }) => ({ ...gatewaySettings(url), ...realSettings() }))
).pipe(Layer.provideMerge(TestGateway.cloud))

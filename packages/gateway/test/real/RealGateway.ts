import { Server } from "@portico/simulator/Server"
import { gatewaySettings } from "@portico/simulator/settings"
import { TimeLimit } from "@portico/upstream/System"
import { Duration, Effect, Layer } from "effect"
import { TestGateway } from "../harness/TestGateway.ts"
import { Administrator } from "./Administrator.ts"
import { told } from "./told.ts"

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

/** A service has one worker here, beside whatever else the machine does: no call is given up that does not hang. */
export const longTimeLimit = Layer.succeed(TimeLimit, Duration.minutes(5))

/**
 * The gateway in front of the real services, and their administrator. Identity provider, Kubernetes and billing stay
 * simulated.
 */
export const realCloudWith = <R>(own: Effect.Effect<Readonly<Record<string, string>>, never, R>) =>
  TestGateway.layerOf(
    Effect.gen(function* () {
      const { url } = yield* Server
      return { ...gatewaySettings(url), ...realSettings(), ...(yield* own) }
    })
  ).pipe(Layer.provide(longTimeLimit), Layer.provideMerge(TestGateway.cloud), Layer.provideMerge(Administrator.layer))

export const realCloud = realCloudWith(Effect.succeed({}))

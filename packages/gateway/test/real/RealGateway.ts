import { Server } from "@portico/simulator/Server"
import { gatewaySettings } from "@portico/simulator/settings"
import { TimeLimit } from "@portico/upstream/System"
import { Duration, Effect, Layer } from "effect"
import { TestGateway } from "../harness/TestGateway.ts"
import { Administrator } from "./Administrator.ts"
import { realSettings } from "./told.ts"

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

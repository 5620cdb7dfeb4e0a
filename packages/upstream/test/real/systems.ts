import { NodeHttpClient } from "@effect/platform-node"
import { gatewaySettings } from "@portico/simulator/settings"
import { memoryUrl } from "@portico/simulator/transport"
import * as Upstreams from "@portico/upstream/Upstreams"
import { ConfigProvider, Effect, Layer } from "effect"
import { randomInt } from "node:crypto"
import { Systems } from "../contract/Systems.ts"
import { longTimeLimit } from "../../../gateway/test/real/RealGateway.ts"
import { realSettings } from "../../../gateway/test/real/told.ts"

const prefix = `ct-${randomInt(36 ** 4, 36 ** 5).toString(36)}`

/** The clients over the real services. What is not there (Kubernetes, the identity provider) is never asked. */
export const Real = Systems.layerOf(prefix, Effect.sleep("300 millis")).pipe(
  Layer.provideMerge(Upstreams.layer),
  Layer.provideMerge(NodeHttpClient.layerUndici),
  Layer.provideMerge(longTimeLimit),
  Layer.provide(
    Layer.unwrap(
      Effect.sync(() =>
        ConfigProvider.layer(ConfigProvider.fromUnknown({ ...gatewaySettings(memoryUrl), ...realSettings() }))
      )
    )
  )
)

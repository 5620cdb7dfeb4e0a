import { Config, Effect } from "effect"
import { rendered } from "../../middleware/respond.ts"
import type { Exchange } from "../Exchange.ts"
import { iaasProxy } from "../iaas.ts"
import { stockClients } from "./stockClients.ts"

/**
 * What stands in front of the platform proxy: nothing, or with the setting
 * `OPENSTACK_COMPATIBILITY` what clients of OpenStack expect to find there.
 */
export const iaasEntrance = Effect.gen(function* () {
  const proxy = yield* iaasProxy
  const compatible = yield* Config.Boolean("OPENSTACK_COMPATIBILITY").pipe(Config.withDefault(false))
  return compatible ? yield* stockClients(proxy) : { serve: proxy, renderedFor: (_: Exchange) => rendered }
})

import { Config, Effect } from "effect"
import { rendered } from "../../middleware/respond.ts"
import type { Exchange } from "../Exchange.ts"
import { iaasProxy } from "../iaas.ts"
import { stockClients } from "./stockClients.ts"

/** The platform proxy, with compatibility for OpenStack clients when `OPENSTACK_COMPATIBILITY` is set. */
export const platformProxy = Effect.gen(function* () {
  const proxy = yield* iaasProxy
  const compatible = yield* Config.Boolean("OPENSTACK_COMPATIBILITY").pipe(Config.withDefault(false))
  return compatible
    ? { ...(yield* stockClients(proxy.serve)), begin: undefined, compatible }
    : { ...proxy, renderedFor: (_: Exchange) => rendered, compatible }
})

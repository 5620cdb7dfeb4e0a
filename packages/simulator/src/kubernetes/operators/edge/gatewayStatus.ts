import { objectAt } from "../../../Json.ts"
import { containersIn } from "../../pods.ts"
import type { JsonObject, Thing } from "../../state.ts"
import { withCondition } from "../conditions.ts"

/** Where the gateway is reached from outside. */
export const edgeAddress = "203.0.113.80"

interface Told {
  readonly observedGeneration: number
  readonly now: number
}

const conditioned = (status: JsonObject, types: ReadonlyArray<readonly [string, string]>, { now, ...more }: Told) =>
  types.reduce(
    (so, [type, message]) => withCondition(so, { type, status: "True", reason: type, message }, now, { ...more }),
    status
  )

/** The status of a gateway that everything went well with: nothing goes wrong at the edge by itself. */
export const gatewayStatus = (gateway: Thing, attached: (listener: string) => number, now: number): JsonObject => {
  const told = { observedGeneration: gateway.metadata.generation ?? 1, now }
  const before = objectAt(gateway, "status")
  const known = Array.isArray(before["listeners"]) ? before["listeners"].map((_) => objectAt(_)) : []
  const listeners = listenersOf(gateway).map((listener) => {
    const name = String(listener["name"])
    const { conditions } = conditioned(
      known.find((_) => _["name"] === name) ?? {},
      [
        ["Programmed", "Sending translated listener configuration to the data plane"],
        ["Accepted", "Listener has been successfully translated"],
        ["ResolvedRefs", "Listener references have been resolved"]
      ],
      told
    )
    return {
      name,
      attachedRoutes: attached(name),
      supportedKinds: [
        { group: "gateway.networking.k8s.io", kind: "HTTPRoute" },
        { group: "gateway.networking.k8s.io", kind: "GRPCRoute" }
      ],
      conditions
    }
  })
  const { conditions } = conditioned(
    { conditions: before["conditions"] },
    [
      ["Accepted", "The Gateway has been scheduled by Envoy Gateway"],
      ["Programmed", "Address assigned to the Gateway, 1/1 envoy replicas available"]
    ],
    told
  )
  return { addresses: [{ type: "IPAddress", value: edgeAddress }], conditions, listeners }
}

export const listenersOf = (gateway: Thing): ReadonlyArray<JsonObject> =>
  containersIn(objectAt(gateway, "spec"), "listeners")

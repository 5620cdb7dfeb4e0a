import { type JsonObject, objectAt, objectsAt } from "../../../Json.ts"
import type { Thing } from "../../state.ts"
import { withCondition } from "../conditions.ts"

/** The external address of the gateway. */
const edgeAddress = "203.0.113.80"

interface Observed {
  readonly observedGeneration: number
  readonly now: number
}

const conditioned = (status: JsonObject, types: ReadonlyArray<readonly [string, string]>, { now, ...more }: Observed) =>
  types.reduce(
    (so, [type, message]) => withCondition(so, { type, status: "True", reason: type, message }, now, { ...more }),
    status
  )

/** The status of a programmed gateway; the edge has no faults. */
export const gatewayStatus = (gateway: Thing, attached: (listener: string) => number, now: number): JsonObject => {
  const observed = { observedGeneration: gateway.metadata.generation ?? 1, now }
  const before = objectAt(gateway, "status")
  const known = objectsAt(before, "listeners")
  const listeners = listenersOf(gateway).map((listener) => {
    const name = String(listener["name"])
    const { conditions } = conditioned(
      known.find((_) => _["name"] === name) ?? {},
      [
        ["Programmed", "Sending translated listener configuration to the data plane"],
        ["Accepted", "Listener has been successfully translated"],
        ["ResolvedRefs", "Listener references have been resolved"]
      ],
      observed
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
    observed
  )
  return { addresses: [{ type: "IPAddress", value: edgeAddress }], conditions, listeners }
}

export const listenersOf = (gateway: Thing): ReadonlyArray<JsonObject> => objectsAt(gateway, "spec", "listeners")

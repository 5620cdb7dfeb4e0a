import { crdResource } from "./customResources.ts"
import { gatewayClasses, gateways, publicGateway } from "./operators/edge/names.ts"
import { kubernetes } from "./seeds.ts"
import type { KubernetesState, Thing } from "./state.ts"
import { allOf, keyOfThing, put } from "./store.ts"
import { canonicalJson } from "./canonicalJson.ts"

/** What the operators of this release bring along, and the platform's edge with it. */
const brought = (resource: string, { metadata }: Thing): boolean =>
  [crdResource, gatewayClasses, gateways].includes(resource) ||
  metadata.namespace === publicGateway.namespace ||
  (resource === "namespaces" && metadata.name === publicGateway.namespace)

/**
 * A cluster that was saved by an earlier release gets this one's operators:
 * definitions and the edge where they lack, and definitions that say something
 * else as they are now. Everything that tenants have stays.
 */
export const upgradeCluster = (state: KubernetesState): void => {
  const { objects } = kubernetes()
  const at = state.history.at(-1)?.at ?? 0
  for (const resource of Object.keys(objects)) {
    for (const thing of allOf({ ...state, objects }, resource).filter((_) => brought(resource, _))) {
      const known = state.objects[resource]?.[keyOfThing(thing)]
      const isOld = resource === crdResource && canonicalJson(known?.["spec"]) !== canonicalJson(thing["spec"])
      if (known === undefined || isOld) put(state, resource, thing, at)
    }
  }
}

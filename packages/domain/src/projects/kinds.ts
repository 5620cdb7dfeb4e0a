import type { Kind } from "@portico/upstream/belongings/Kind"
import { Belongings } from "@portico/upstream/belongings/Belongings"
import { kinds } from "@portico/upstream/kubernetes/kinds"
import { Kubernetes } from "@portico/upstream/kubernetes/Kubernetes"
import { Effect } from "effect"
import { alarmsOfProjects } from "../alarms/belongings.ts"
import { groupsOfProjects } from "../autoscaling/belongings.ts"
import { exposuresOfProjects } from "../edge/belongings.ts"
import { namespacesOf } from "../kubernetes/ownership.ts"
import { targetsOfProjects } from "../webhooks/belongings.ts"

/** A service that this cloud lacks. */
export interface Absent {
  readonly service: string
  readonly kind: string
}

/**
 * Every kind of resource that a project can have, in the order of removal, and
 * the services that this cloud lacks. The cluster comes before the
 * infrastructure services: what runs there holds volumes and load balancers.
 */
export const allKinds = Effect.gen(function* () {
  const belongings = yield* Belongings
  const kubernetes = yield* Kubernetes
  const absent = [...(kubernetes.present ? [] : ["kubernetes"]), ...belongings.absent]
  return {
    kinds: [
      yield* targetsOfProjects,
      // Alarms go before the groups that they would scale out.
      yield* alarmsOfProjects,
      // Groups go before the servers that they would create again.
      yield* groupsOfProjects,
      // Exposures go before the services that their routes lead to.
      ...(kubernetes.present ? [yield* exposuresOfProjects, namespaces(kubernetes)] : []),
      ...belongings.kinds
    ],
    absent: absent.map((service): Absent => ({ service, kind: "*" }))
  }
})

/** A tenant's namespaces are identified by their names alone. */
const namespaces = ({ find, remove }: Kubernetes["Service"]): Kind => ({
  service: "kubernetes",
  name: "namespaces",
  list: Effect.fnUntraced(function* (projectId) {
    const found = yield* Effect.forEach(namespacesOf(projectId), (name) =>
      Effect.map(find(kinds.namespace, { name }), (there) => ({ name, there }))
    )
    return found.flatMap(({ name, there }) => {
      if (there === undefined) return []
      // Kubernetes deletes the content first, which takes time.
      const busy = there.metadata["deletionTimestamp"] !== undefined
      return [{ id: name, name, busy, guarded: undefined, weight: 1 }]
    })
  }),
  remove: (_, name) => remove(kinds.namespace, { name })
})

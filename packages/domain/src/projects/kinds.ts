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
 * Every kind of thing that a project can have, in the order in which it can be
 * removed, and the services that this cloud lacks. The cluster comes first:
 * what runs there holds volumes and load balancers.
 */
export const allKinds = Effect.gen(function* () {
  const belongings = yield* Belongings
  const kubernetes = yield* Kubernetes
  const absent = [...(kubernetes.present ? [] : ["kubernetes"]), ...belongings.absent]
  return {
    kinds: [
      yield* targetsOfProjects,
      // Before the groups that they would make larger.
      yield* alarmsOfProjects,
      // Before the servers that it would make again.
      yield* groupsOfProjects,
      // Before what their routes lead to.
      ...(kubernetes.present ? [yield* exposuresOfProjects, namespaces(kubernetes)] : []),
      ...belongings.kinds
    ],
    absent: absent.map((service): Absent => ({ service, kind: "*" }))
  }
})

/** A tenant's are known by their names, and by nothing else. */
const namespaces = ({ find, remove }: Kubernetes["Service"]): Kind => ({
  service: "kubernetes",
  name: "namespaces",
  list: Effect.fnUntraced(function* (projectId) {
    const found = yield* Effect.forEach(namespacesOf(projectId), (name) =>
      Effect.map(find(kinds.namespace, { name }), (there) => ({ name, there }))
    )
    return found.flatMap(({ name, there }) => {
      if (there === undefined) return []
      // What is in it goes first, and takes its time.
      const busy = there.metadata["deletionTimestamp"] !== undefined
      return [{ id: name, name, busy, guarded: undefined, weight: 1 }]
    })
  }),
  remove: (_, name) => remove(kinds.namespace, { name })
})

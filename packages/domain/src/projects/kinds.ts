import { Alarms } from "@portico/store/Alarms"
import { AutoscalingGroups } from "@portico/store/AutoscalingGroups"
import { Targets } from "@portico/store/Targets"
import { type Kind, resource } from "@portico/upstream/projectResources/Kind"
import { ProjectResources } from "@portico/upstream/projectResources/ProjectResources"
import { kinds } from "@portico/upstream/kubernetes/kinds"
import { Kubernetes } from "@portico/upstream/kubernetes/Kubernetes"
import { UpstreamError } from "@portico/upstream/UpstreamError"
import { Effect } from "effect"
import { exposuresOfProjects } from "../edge/projectResources.ts"
import { namespacesOf } from "../kubernetes/ownership.ts"

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
  const resources = yield* ProjectResources
  const kubernetes = yield* Kubernetes
  const absent = [...(kubernetes.present ? [] : ["kubernetes"]), ...resources.absent]
  return {
    kinds: [
      yield* targetsOfProjects,
      // Alarms go before the groups that they would scale out.
      yield* alarmsOfProjects,
      // Groups go before the servers that they would create again.
      yield* groupsOfProjects,
      // Exposures go before the services that their routes lead to.
      ...(kubernetes.present ? [yield* exposuresOfProjects, namespaces(kubernetes)] : []),
      ...resources.kinds
    ],
    absent: absent.map((service): Absent => ({ service, kind: "*" }))
  }
})

/**
 * Webhooks and notification integrations. A removal takes the pending
 * deliveries with it.
 */
const targetsOfProjects = Effect.map(Targets, ({ list, remove }): Kind => ({
  service: "events",
  name: "webhooks",
  list: (projectId) =>
    Effect.map(list(projectId), (found) => found.map((_) => resource(_.target_id, _.name ?? _.kind))),
  remove: (projectId, id) => Effect.asVoid(remove(projectId, id))
}))

/** An alarm may be removed while it is evaluated: its events are then no longer published. */
const alarmsOfProjects = Effect.map(Alarms, ({ list, remove }): Kind => ({
  service: "monitoring",
  name: "alarms",
  list: (projectId) => Effect.map(list(projectId), (found) => found.map((_) => resource(_.alarm_id, _.name))),
  remove: (projectId, id) => Effect.asVoid(remove(projectId, id))
}))

/**
 * Removing a group's row stops the creation of servers; Nova lists the servers
 * themselves. The removal fails while a process works on the group, so no
 * server appears afterwards.
 */
const groupsOfProjects = Effect.map(AutoscalingGroups, ({ list, removeIdle }): Kind => ({
  service: "autoscaling",
  name: "groups",
  list: (projectId) => Effect.map(list(projectId), (found) => found.map((_) => resource(_.group_id, _.name))),
  remove: Effect.fnUntraced(function* (projectId, id) {
    if (yield* removeIdle(projectId, id)) return
    const detail = "a process is at work on the group"
    return yield* new UpstreamError({ upstream: "portico", call: "remove groups", status: 409, detail })
  })
}))

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
      return [resource(name, name, { busy })]
    })
  }),
  remove: (_, name) => remove(kinds.namespace, { name })
})

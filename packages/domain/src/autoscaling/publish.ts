import { type AsgEvent, type AsgKind, asgTopic, type LifecycleKind } from "@portico/contract/Events"
import type { GroupEntry, Member } from "@portico/store/AutoscalingGroups"
import { DateTime, Effect } from "effect"
import { Bus } from "../events/Bus.ts"
import { lifecycleEvent } from "../events/Lifecycle.ts"
import { eventIdOf } from "../events/eventId.ts"

/** A server that joined or left a group. */
interface Server {
  readonly id: string
  readonly slot: string
}

export const serversOf = (members: ReadonlyArray<Member>): ReadonlyArray<Server> =>
  members.flatMap(({ server_id, slot }) => (server_id === null ? [] : [{ id: server_id, slot }]))

const groupEvent = (
  entry: GroupEntry,
  kind: AsgKind,
  about: { readonly once: string; readonly server: string | null; readonly reason: string | null },
  at: DateTime.Utc
): AsgEvent => ({
  id: eventIdOf(`portico/autoscaling/${entry.group_id}/${kind}/${about.once}`),
  topic: asgTopic,
  kind,
  at: DateTime.formatIso(at),
  key: entry.group_id,
  project_id: entry.project_id,
  data: {
    group_id: entry.group_id,
    group_name: entry.name,
    server_id: about.server,
    desired: entry.desired,
    reason: about.reason
  }
})

/** The billing ledger's event, the same as for a server that a client creates or deletes through the proxy. */
const billed = (entry: GroupEntry, kind: LifecycleKind, { id, slot }: Server, at: DateTime.Utc) =>
  lifecycleEvent(
    eventIdOf(`portico/autoscaling/${kind}/${id}`),
    {
      kind,
      projectId: entry.project_id,
      data: {
        resource_type: "server",
        resource_id: id,
        detail: kind === "server.create" ? { flavor: entry.template.flavor_id } : {},
        user_id: entry.created_by,
        credential_id: null,
        request_id: slot.replaceAll("-", "")
      }
    },
    at
  )

/**
 * Publishes that servers joined. Events are published before the change is stored. Their ids derive
 * from what happened, so a repeated step publishes the same events again, and each counts once.
 */
export const publishScaledOut = Effect.fnUntraced(function* (entry: GroupEntry, servers: ReadonlyArray<Server>) {
  const at = yield* DateTime.now
  yield* (yield* Bus).publish(
    servers.flatMap((server) => [
      billed(entry, "server.create", server, at),
      groupEvent(entry, "group.scaled_out", { once: server.id, server: server.id, reason: null }, at)
    ])
  )
})

/** Nova has accepted the deletion of these servers. */
export const publishServerDeleted = Effect.fnUntraced(function* (entry: GroupEntry, servers: ReadonlyArray<Server>) {
  const at = yield* DateTime.now
  yield* (yield* Bus).publish(servers.map((_) => billed(entry, "server.delete", _, at)))
})

/** These servers are gone, as planned. */
export const publishScaledIn = Effect.fnUntraced(function* (
  entry: GroupEntry,
  servers: ReadonlyArray<Server>,
  why: string
) {
  const at = yield* DateTime.now
  yield* (yield* Bus).publish(
    servers.map((_) => groupEvent(entry, "group.scaled_in", { once: _.id, server: _.id, reason: why }, at))
  )
})

export const publishReplaced = Effect.fnUntraced(function* (entry: GroupEntry, serverId: string, why: string) {
  const at = yield* DateTime.now
  const about = { once: serverId, server: serverId, reason: why }
  yield* (yield* Bus).publish([groupEvent(entry, "group.server_replaced", about, at)])
})

/** Once for each time that the group reaches a quota. */
export const publishLimited = Effect.fnUntraced(function* (entry: GroupEntry, words: string) {
  const at = yield* DateTime.now
  const about = { once: String(entry.limits + 1), server: null, reason: words }
  yield* (yield* Bus).publish([groupEvent(entry, "group.limited", about, at)])
})

import { type AsgEvent, type AsgKind, asgTopic, type LifecycleKind } from "@portico/contract/Events"
import type { GroupEntry, Member } from "@portico/store/AutoscalingGroups"
import { DateTime, Effect } from "effect"
import { Bus } from "../events/Bus.ts"
import { eventIdOf } from "../events/eventId.ts"
import { lifecycleEvent } from "../events/Lifecycle.ts"

/** A server of a group that came or went. */
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

/** What the billing ledger hears of a server that is asked for through the proxy, or asked to go. */
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
 * What happens is told before it is written down, with ids that follow from
 * what happened: whoever has to do a step again tells the same again, and it
 * is one event.
 */
export const tellCame = Effect.fnUntraced(function* (entry: GroupEntry, servers: ReadonlyArray<Server>) {
  const at = yield* DateTime.now
  yield* (yield* Bus).publish(
    servers.flatMap((server) => [
      billed(entry, "server.create", server, at),
      groupEvent(entry, "group.scaled_out", { once: server.id, server: server.id, reason: null }, at)
    ])
  )
})

/** They were asked to go, and will. */
export const tellGoing = Effect.fnUntraced(function* (entry: GroupEntry, servers: ReadonlyArray<Server>) {
  const at = yield* DateTime.now
  yield* (yield* Bus).publish(servers.map((_) => billed(entry, "server.delete", _, at)))
})

/** They are no longer there, as was wanted. */
export const tellGone = Effect.fnUntraced(function* (entry: GroupEntry, servers: ReadonlyArray<Server>, why: string) {
  const at = yield* DateTime.now
  yield* (yield* Bus).publish(
    servers.map((_) => groupEvent(entry, "group.scaled_in", { once: _.id, server: _.id, reason: why }, at))
  )
})

export const tellReplaced = Effect.fnUntraced(function* (entry: GroupEntry, serverId: string, why: string) {
  const at = yield* DateTime.now
  const about = { once: serverId, server: serverId, reason: why }
  yield* (yield* Bus).publish([groupEvent(entry, "group.server_replaced", about, at)])
})

/** Once each time that it comes up against a quota. */
export const tellLimited = Effect.fnUntraced(function* (entry: GroupEntry, words: string) {
  const at = yield* DateTime.now
  const about = { once: String(entry.limits + 1), server: null, reason: words }
  yield* (yield* Bus).publish([groupEvent(entry, "group.limited", about, at)])
})

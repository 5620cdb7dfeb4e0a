import type { GroupEntry, Member } from "@portico/store/AutoscalingGroups"
import { Servers } from "@portico/upstream/nova/Servers"
import { Clock, Duration, Effect } from "effect"
import { afterErrors, isLive, matched, vacated } from "./members.ts"
import { publishReplaced, publishScaledIn, publishScaledOut, publishServerDeleted, serversOf } from "./publish.ts"

const concurrency = 4

/** The observed state of a group, with its events already published. */
export interface Observed {
  readonly members: ReadonlyArray<Member>
  /** How many times in a row servers ended in ERROR. */
  readonly errors: number
  /** Why a server failed, in Nova's words. */
  readonly trouble: string | undefined
  /** The ids of servers that Nova is deleting already. */
  readonly deleting: ReadonlySet<string>
}

/**
 * Observes the group's servers: adopts servers whose creation response was lost, drops members
 * whose server is gone, and marks broken ones. A server that is missing in the list is looked up by
 * its id before it counts as gone.
 *
 * @param suspended in a suspended tenant a broken server stays, because none could replace it
 *
 * Errors: UpstreamError.
 */
export const observe = Effect.fn("autoscaling.observe")(function* (entry: GroupEntry, suspended: boolean) {
  const servers = yield* Servers
  const seen = yield* servers.list(entry.project_id)
  const now = yield* Clock.currentTimeMillis
  const { found, members, missing } = matched(entry, seen)
  yield* publishScaledOut(entry, serversOf(found))

  const gone = yield* Effect.filter(
    missing,
    ({ server_id }) =>
      Effect.map(servers.find(entry.project_id, server_id ?? ""), (there) => there === undefined || there.deleting),
    { concurrency }
  )
  yield* Effect.forEach(gone, (_) => publishEnd(entry, _), { discard: true })

  const deleting = new Set(seen.flatMap((_) => (_.deleting ? [_.id] : [])))
  const left = members.filter((_) => !gone.includes(_))
  const taken = left.filter((_) => isLive(_) && deleting.has(_.server_id ?? ""))
  yield* Effect.forEach(taken, (_) => publishReplaced(entry, _.server_id ?? "", byOthers), { discard: true })

  const faults = new Map(seen.map((_) => [_.id, _.fault]))
  const broken = suspended ? [] : left.filter((_) => isLive(_) && _.status === "ERROR" && !taken.includes(_))
  const errors = errorsIn(entry, members, broken)
  const until = now + Duration.toMillis(afterErrors(errors))
  const troubles = broken.map((_) => troubleOf(_, faults.get(_.server_id ?? "") ?? null))
  yield* Effect.forEach(broken, (_, at) => publishReplaced(entry, _.server_id ?? "", troubles[at] ?? ""), {
    discard: true
  })

  const marked = (member: Member): Member => {
    if (taken.includes(member)) return { ...member, leaving: "gone" }
    if (!broken.includes(member)) return settled(member, now)
    return { ...member, leaving: "error", retry_at: until }
  }
  return {
    members: members.flatMap((_) => (gone.includes(_) ? vacated(_, now) : [marked(_)])),
    errors,
    trouble: troubles[0],
    deleting
  } satisfies Observed
})

const byOthers = "it was deleted"

const publishEnd = Effect.fnUntraced(function* (entry: GroupEntry, member: Member) {
  const { leaving, server_id } = member
  if (leaving === null) return yield* publishReplaced(entry, server_id ?? "", byOthers)
  // The client that deleted it caused the ledger's event, and the replacement was published when the deletion was seen.
  if (leaving === "gone") return
  yield* publishServerDeleted(entry, serversOf([member]))
  if (leaving !== "error") yield* publishScaledIn(entry, serversOf([member]), leaving)
})

/**
 * Increases when this observation finds broken servers; starts again from zero when a server has
 * come up since the last one.
 */
const errorsIn = (entry: GroupEntry, members: ReadonlyArray<Member>, broken: ReadonlyArray<Member>): number => {
  const before = recovered(entry, members) ? 0 : entry.errors
  return broken.length > 0 ? before + 1 : before
}

/** Whether a server has become active since the last observation. */
const recovered = ({ members: before }: GroupEntry, members: ReadonlyArray<Member>): boolean => {
  const statuses = new Map(before.map((_) => [_.server_id, _.status]))
  return members.some((_) => _.status === "ACTIVE" && isLive(_) && statuses.get(_.server_id) !== "ACTIVE")
}

const troubleOf = ({ server_id }: Member, fault: string | null): string =>
  `server ${server_id} ended in ERROR${fault === null ? "" : `: ${fault}`}`

/** Clears the doubt once the member's server is known and no other can appear. */
const settled = (member: Member, now: number): Member =>
  member.server_id !== null && member.doubt_until !== null && member.doubt_until <= now && member.leaving === null
    ? { ...member, doubt_until: null }
    : member

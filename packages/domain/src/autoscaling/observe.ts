import type { GroupEntry, Member } from "@portico/store/AutoscalingGroups"
import { Servers } from "@portico/upstream/nova/Servers"
import { Clock, Duration, Effect } from "effect"
import { isLive, matched, vacated } from "./members.ts"
import { afterErrors } from "./pauses.ts"
import { serversOf, tellCame, tellGoing, tellGone, tellReplaced } from "./tell.ts"

const concurrency = 4

/** What was found of a group, and told of. */
export interface Observed {
  readonly members: ReadonlyArray<Member>
  /** How often in a row servers have ended in ERROR. */
  readonly errors: number
  /** What is wrong with a server, in Nova's words. */
  readonly trouble: string | undefined
  /** The ids of servers that are on their way out already. */
  readonly deleting: ReadonlySet<string>
}

/**
 * Looks at the group's servers: finds those whose creation was never answered,
 * lets go of those that are gone, and marks those that are broken. A server
 * that is not in the list is asked for by its id before it counts as gone.
 *
 * @param suspended then a broken server stays, since none would come in its place
 *
 * Errors: UpstreamError.
 */
export const observe = Effect.fn("autoscaling.observe")(function* (entry: GroupEntry, suspended: boolean) {
  const servers = yield* Servers
  const seen = yield* servers.list(entry.project_id)
  const now = yield* Clock.currentTimeMillis
  const { found, members, missing } = matched(entry, seen)
  yield* tellCame(entry, serversOf(found))

  const gone = yield* Effect.filter(
    missing,
    ({ server_id }) =>
      Effect.map(servers.find(entry.project_id, server_id ?? ""), (there) => there === undefined || there.deleting),
    { concurrency }
  )
  yield* Effect.forEach(gone, (_) => tellEnd(entry, _), { discard: true })

  const deleting = new Set(seen.flatMap((_) => (_.deleting ? [_.id] : [])))
  const left = members.filter((_) => !gone.includes(_))
  const taken = left.filter((_) => isLive(_) && deleting.has(_.server_id ?? ""))
  yield* Effect.forEach(taken, (_) => tellReplaced(entry, _.server_id ?? "", byOthers), { discard: true })

  const faults = new Map(seen.map((_) => [_.id, _.fault]))
  const broken = suspended ? [] : left.filter((_) => isLive(_) && _.status === "ERROR" && !taken.includes(_))
  const errors = errorsIn(entry, members, broken)
  const until = now + Duration.toMillis(afterErrors(errors))
  const troubles = broken.map((_) => troubleOf(_, faults.get(_.server_id ?? "") ?? null))
  yield* Effect.forEach(broken, (_, at) => tellReplaced(entry, _.server_id ?? "", troubles[at] ?? ""), {
    discard: true
  })

  const marked = (member: Member): Member => {
    if (taken.includes(member)) return { ...member, leaving: "gone" }
    if (!broken.includes(member)) return settled(member, now)
    return { ...member, leaving: "error", doubt_until: Math.max(member.doubt_until ?? 0, until) }
  }
  return {
    members: members.flatMap((_) => (gone.includes(_) ? vacated(_, now) : [marked(_)])),
    errors,
    trouble: troubles[0],
    deleting
  } satisfies Observed
})

const byOthers = "it was deleted"

const tellEnd = Effect.fnUntraced(function* (entry: GroupEntry, member: Member) {
  const { leaving, server_id } = member
  if (leaving === null) return yield* tellReplaced(entry, server_id ?? "", byOthers)
  // Whoever deleted it has told the ledger, and that it is replaced was told when it was seen.
  if (leaving === "gone") return
  yield* tellGoing(entry, serversOf([member]))
  if (leaving !== "error") yield* tellGone(entry, serversOf([member]), leaving)
})

/** One more for a look that finds broken ones; none any more when a server has come up since the last look. */
const errorsIn = (entry: GroupEntry, members: ReadonlyArray<Member>, broken: ReadonlyArray<Member>): number => {
  const before = recovered(entry, members) ? 0 : entry.errors
  return broken.length > 0 ? before + 1 : before
}

/** A server has come up since the last look. */
const recovered = ({ members: before }: GroupEntry, members: ReadonlyArray<Member>): boolean => {
  const statuses = new Map(before.map((_) => [_.server_id, _.status]))
  return members.some((_) => _.status === "ACTIVE" && isLive(_) && statuses.get(_.server_id) !== "ACTIVE")
}

const troubleOf = ({ server_id }: Member, fault: string | null): string =>
  `server ${server_id} ended in ERROR${fault === null ? "" : `: ${fault}`}`

/** Its server is known, and no other one can come any more. */
const settled = (member: Member, now: number): Member =>
  member.server_id !== null && member.doubt_until !== null && member.doubt_until <= now && member.leaving === null
    ? { ...member, doubt_until: null }
    : member

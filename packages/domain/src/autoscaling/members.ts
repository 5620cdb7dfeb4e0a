import type { GroupEntry, Member } from "@portico/store/AutoscalingGroups"
import { growingPause } from "@portico/store/leased"
import type { Seen } from "@portico/upstream/nova/Servers"
import { Duration } from "effect"
import { randomUUID } from "node:crypto"

/** The metadata keys of a group's server: its group, and its slot in it. */
export const groupKey = "portico-autoscaling-group"
export const slotKey = "portico-autoscaling-slot"

/** How long a server may still appear after the response to its creation was lost, in milliseconds. */
export const doubtTime = 60_000

/**
 * How far Nova's time of a server's creation may be from the last request for it, in milliseconds: a request before that
 * one may have been on its way for a minute, and the clocks may differ by half of one.
 */
const nearTime = 2 * doubtTime

/** The most servers that one step creates or deletes, and the most that may be leaving at once. */
export const batch = 5

/** A slot for which no server has been requested yet. */
export const newMember = (): Member => ({
  slot: randomUUID(),
  server_id: null,
  status: null,
  leaving: null,
  doubt_until: null
})

/** Whether the member stays in the group. */
export const isLive = (member: Member): boolean => member.leaving === null

/** Whether a server may still appear for the slot. */
export const inDoubt = (member: Member, now: number): boolean => member.doubt_until !== null && member.doubt_until > now

/** Whether the slot stays empty after a server that ended in ERROR. */
const isPaused = ({ retry_at = 0 }: Member, now: number): boolean => retry_at > now

/** Until when a slot without a server is kept, in epoch milliseconds; undefined when it need not be. */
export const keptUntil = (member: Member, now: number): number | undefined =>
  inDoubt(member, now) || isPaused(member, now) ? Math.max(member.doubt_until ?? 0, member.retry_at ?? 0) : undefined

/** Whether a server can be requested for the slot. */
export const isVacant = (member: Member, now: number): boolean =>
  member.server_id === null && member.leaving === null && !inDoubt(member, now)

/** A group's members after its servers were listed. */
export interface Observed {
  readonly members: ReadonlyArray<Member>
  /** Members whose server was found by its metadata, because the response to its creation was lost. */
  readonly found: ReadonlyArray<Member>
  /** Members whose server is not in the list. */
  readonly missing: ReadonlyArray<Member>
}

/**
 * Matches the listed servers to the group's members. The stored id assigns a server to the group.
 * The metadata assigns it only where a creation is or was in doubt, and only a server that Nova
 * created at that time. No tenant sets these keys, but an administrator can put any metadata on any
 * server. If several servers match one slot, the first stays and the others leave.
 */
export const matched = (entry: GroupEntry, seen: ReadonlyArray<Seen>): Observed => {
  const byId = new Map(seen.map((_) => [_.id, _]))
  const known = new Set(entry.members.flatMap((_) => _.server_id ?? []))
  const matchesOf = ({ doubt_until, slot }: Member) => {
    if (doubt_until === null) return []
    return seen.filter(
      (_) =>
        _.metadata[groupKey] === entry.group_id &&
        _.metadata[slotKey] === slot &&
        Math.abs(_.created - (doubt_until - doubtTime)) <= nearTime &&
        !known.has(_.id) &&
        !_.deleting
    )
  }

  const members: Array<Member> = []
  const found: Array<Member> = []
  for (const member of entry.members) {
    const [first, ...others] = matchesOf(member)
    const extra = member.server_id === null ? others : [...(first === undefined ? [] : [first]), ...others]
    const adopted: Member = member.server_id === null && first !== undefined ? adoptedBy(member, first) : member
    const seenNow = adopted.server_id === null ? undefined : byId.get(adopted.server_id)
    members.push(seenNow === undefined ? adopted : { ...adopted, status: seenNow.status })
    if (adopted !== member) found.push(adopted)
    for (const { id, status } of extra) {
      const second: Member = { ...newMember(), slot: member.slot, server_id: id, status, leaving: "duplicate" }
      members.push(second)
      found.push(second)
    }
  }
  return { members, found, missing: members.filter((_) => _.server_id !== null && !byId.has(_.server_id)) }
}

/** A slot that was kept only because a server might still appear takes the server as a duplicate, which leaves. */
const adoptedBy = (member: Member, { id, status }: Seen): Member => ({
  ...member,
  server_id: id,
  status,
  leaving: member.leaving === "gone" ? "duplicate" : member.leaving
})

/**
 * The slot of a server that is gone. It is kept while another server may still appear for it, or
 * until the next attempt is due.
 */
export const vacated = (member: Member, now: number): ReadonlyArray<Member> =>
  keptUntil(member, now) !== undefined
    ? [{ ...member, server_id: null, status: null, leaving: member.leaving === "error" ? "error" : "gone" }]
    : []

/** Drops the slots whose reason to be kept has passed. */
export const withoutOver = (members: ReadonlyArray<Member>, errors: number, now: number): ReadonlyArray<Member> =>
  members.filter(
    (_) => _.server_id !== null || _.leaving === null || inDoubt(_, now) || (errors > 0 && isPaused(_, now))
  )

/** Marks the servers that leave a group that is too large or being deleted: newest first, at most a batch at once. */
export const shrunk = (entry: GroupEntry, members: ReadonlyArray<Member>): ReadonlyArray<Member> => {
  const live = members.filter(isLive)
  const surplus = entry.deleting ? live.length : live.length - entry.desired
  const room = batch - (members.length - live.length)
  const victims = new Set(live.toReversed().slice(0, Math.max(0, Math.min(surplus, room))))
  return members.map((_) => (victims.has(_) ? { ..._, leaving: entry.deleting ? "deletion" : "scale_in" } : _))
}

/** Adds slots for missing servers, at most a batch. Leaving servers keep their slots until they are gone. */
export const grown = (entry: GroupEntry, members: ReadonlyArray<Member>, now: number): ReadonlyArray<Member> => {
  const vacant = members.filter((_) => isVacant(_, now)).length
  const shortage = entry.deleting ? 0 : Math.min(entry.desired - members.length, batch - vacant)
  return [...members, ...Array.from({ length: Math.max(0, shortage) }, newMember)]
}

/** For a group in its desired state, to notice servers that were deleted outside of it. */
export const idle = Duration.seconds(60)

/** While servers are being built or deleted. */
export const busy = Duration.seconds(3)

/** For a tenant that is being deleted, closed or suspended: its groups do not change. */
export const standstill = Duration.seconds(30)

export const afterFailures = growingPause({ first: Duration.seconds(5), longest: Duration.minutes(5) })

/** After this many servers in a row end in ERROR, the group tries once an hour. */
export const mostErrors = 5

/** How long the slot of a server that ended in ERROR stays empty. */
export const afterErrors = (errors: number): Duration.Duration =>
  errors < mostErrors ? afterFailures(errors) : Duration.hours(1)

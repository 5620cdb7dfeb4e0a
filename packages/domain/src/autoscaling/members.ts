import type { GroupEntry, Member } from "@portico/store/AutoscalingGroups"
import type { Seen } from "@portico/upstream/nova/Servers"
import { randomUUID } from "node:crypto"

/** What a server of a group carries in its metadata: whose it is, and which place it has. */
export const groupKey = "portico-autoscaling-group"
export const slotKey = "portico-autoscaling-slot"

/** So long may a server come into being behind an answer that was lost. */
export const doubtTime = 60_000

/** How many servers of a group are asked for, or asked to go, in one step; and how many may be on their way out at once. */
export const batch = 5

/** A place for a server that nobody has asked for yet. */
export const newMember = (): Member => ({
  slot: randomUUID(),
  server_id: null,
  status: null,
  leaving: null,
  doubt_until: null
})

/** A server that is there and stays. */
export const isLive = (member: Member): boolean => member.leaving === null

/** A server may yet come into being for it. */
export const inDoubt = (member: Member, now: number): boolean => member.doubt_until !== null && member.doubt_until > now

/** A place for which a server can be asked for. */
export const isVacant = (member: Member, now: number): boolean =>
  member.server_id === null && member.leaving === null && !inDoubt(member, now)

/** A group's places, after a look at all servers of the tenant. */
export interface Observed {
  readonly members: ReadonlyArray<Member>
  /** Those whose server was found by what it carries: its creation was never answered. */
  readonly found: ReadonlyArray<Member>
  /** Those whose server is not among what was seen. */
  readonly missing: ReadonlyArray<Member>
}

/**
 * Puts what was seen into the places. A server belongs to the group by its id,
 * which is written down. By what it carries it belongs to it only where a
 * creation is or was in doubt: a tenant can give any server any metadata. Of
 * several servers for one place the first stays, and the others go.
 */
export const matched = (entry: GroupEntry, seen: ReadonlyArray<Seen>): Observed => {
  const byId = new Map(seen.map((_) => [_.id, _]))
  const known = new Set(entry.members.flatMap((_) => _.server_id ?? []))
  const strays = (slot: string) =>
    seen.filter(
      (_) => _.metadata[groupKey] === entry.group_id && _.metadata[slotKey] === slot && !known.has(_.id) && !_.deleting
    )

  const members: Array<Member> = []
  const found: Array<Member> = []
  for (const member of entry.members) {
    const [first, ...others] = member.doubt_until === null ? [] : strays(member.slot)
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

/** A place that is only kept because a server may still come takes it, and it goes. */
const adoptedBy = (member: Member, { id, status }: Seen): Member => ({
  ...member,
  server_id: id,
  status,
  leaving: member.leaving === "gone" ? "duplicate" : member.leaving
})

/** The place of a server that is gone: kept while another one may come for it, or until it is time for the next one. */
export const vacated = (member: Member, now: number): ReadonlyArray<Member> =>
  inDoubt(member, now)
    ? [{ ...member, server_id: null, status: null, leaving: member.leaving === "error" ? "error" : "gone" }]
    : []

/** Which of the places are no longer needed for what they were kept for. */
export const withoutOver = (members: ReadonlyArray<Member>, errors: number, now: number): ReadonlyArray<Member> =>
  members.filter(
    (_) => _.server_id !== null || _.leaving === null || (inDoubt(_, now) && !(_.leaving === "error" && errors === 0))
  )

/**
 * Which servers go, the newest first, and never more at once than a batch: of
 * a group that has too many, or that is being deleted.
 */
export const shrunk = (entry: GroupEntry, members: ReadonlyArray<Member>): ReadonlyArray<Member> => {
  const live = members.filter(isLive)
  const surplus = entry.deleting ? live.length : live.length - entry.desired
  const room = batch - (members.length - live.length)
  const victims = new Set(live.toReversed().slice(0, Math.max(0, Math.min(surplus, room))))
  return members.map((_) => (victims.has(_) ? { ..._, leaving: entry.deleting ? "deletion" : "scale_in" } : _))
}

/** Places for what is missing, a batch at most. Servers that are on their way out have theirs until they are gone. */
export const grown = (entry: GroupEntry, members: ReadonlyArray<Member>, now: number): ReadonlyArray<Member> => {
  const vacant = members.filter((_) => isVacant(_, now)).length
  const shortage = entry.deleting ? 0 : Math.min(entry.desired - members.length, batch - vacant)
  return [...members, ...Array.from({ length: Math.max(0, shortage) }, newMember)]
}

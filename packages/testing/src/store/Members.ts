import { type CredentialRow, Credentials } from "@portico/store/Credentials"
import { Members } from "@portico/store/Members"
import { pageIn } from "./Pages.ts"
import { madeBelowIn } from "./makers.ts"
import { isOwner, memberLease, memberTiers, recordOf } from "@portico/store/memberRows"
import { Clock, DateTime, Duration, Effect, Layer } from "effect"
import { randomUUID } from "node:crypto"
import { layer as credentials } from "./Credentials.ts"
import { Memory, MemoryChanges } from "./Memory.ts"
import { within } from "./within.ts"

/** Members in memory. */
const make = Effect.gen(function* () {
  const memory = yield* Memory
  const changes = yield* MemoryChanges
  const credentials = yield* Credentials
  const all = () => [...memory.credentials.values()]
  const members = () => all().filter((_) => _.kind === "member")
  const now = Clock.currentTimeMillis
  const leaseEnds = (at: number) => DateTime.makeUnsafe(at + Duration.toMillis(memberLease))
  const put = (row: CredentialRow) => {
    memory.credentials.set(row.credential_id, row)
    return row
  }
  const notify = (row: CredentialRow) => Effect.as(changes.tell(row.user_id), row)
  const own = ({ attempt, credential_id }: CredentialRow) => {
    const held = memory.credentials.get(credential_id)
    return attempt !== null && held?.attempt === attempt ? held : undefined
  }
  const take = (row: CredentialRow, at: number, change: Partial<CredentialRow> = {}) =>
    put({ ...row, ...change, attempt: randomUUID(), mint_ends: leaseEnds(at) })
  const withAddress = (email: string) =>
    members().find((_) => _.email !== "" && _.email.toLowerCase() === email.toLowerCase())
  const owners = (projectId: string) => members().filter((_) => _.project_id === projectId && isOwner(_))
  const isLastOwner = ({ credential_id, project_id }: CredentialRow) =>
    owners(project_id).length === 1 && owners(project_id)[0]?.credential_id === credential_id
  const current = (row: CredentialRow) => {
    const held = memory.credentials.get(row.credential_id)
    return held?.user_id === row.user_id && held.state !== "minting" ? held : undefined
  }

  return {
    begin: Effect.fnUntraced(function* (invitation, allowance) {
      const at = yield* now
      const held = withAddress(invitation.email)
      if (held !== undefined && held.project_id !== invitation.projectId) return { _tag: "elsewhere" }
      if (held?.state === "revoked") return { _tag: "busy" }
      if (held !== undefined && held.state !== "minting") return { _tag: "member", row: held }
      if (held !== undefined && held.attempt !== null && !ended(held, at)) return { _tag: "busy" }
      const row = held ?? (yield* credentials.insertWithin(recordOf(invitation, "minting"), allowance))
      if (row === undefined) return { _tag: "full" }
      const { created_by, display_name, email, label, ou, role, tier } = recordOf(invitation, "minting")
      return { _tag: "begun", row: take(row, at, { created_by, display_name, email, label, ou, role, tier }) }
    }),
    complete: Effect.fnUntraced(function* (row, userId) {
      const held = own(row)
      if (held?.state !== "minting" || ended(held, yield* now)) return undefined
      return yield* notify(put({ ...held, user_id: userId, state: "active", attempt: null, mint_ends: null }))
    }),
    renew: (row) =>
      Effect.map(now, (at) => {
        const held = own(row)
        if (held?.state !== "minting") return false
        put({ ...held, mint_ends: leaseEnds(at) })
        return true
      }),
    rest: (row) =>
      Effect.sync(() => {
        const held = own(row)
        if (held?.state === "minting") put({ ...held, attempt: null })
      }),
    drop: Effect.fnUntraced(function* (row) {
      const held = own(row)
      if (held === undefined) return false
      memory.credentials.delete(held.credential_id)
      for (const [hash, token] of memory.workloadTokens) {
        if (token.made_by === held.credential_id) memory.workloadTokens.delete(hash)
      }
      yield* notify(held)
      return true
    }),
    insert: Effect.fnUntraced(function* (invitation, userId) {
      if (withAddress(invitation.email) !== undefined) return undefined
      return yield* notify(yield* credentials.insert({ ...recordOf(invitation, "active"), user_id: userId }))
    }),
    find: (userId, projectId) =>
      Effect.sync(() =>
        within(
          members().find((_) => _.user_id === userId && _.state !== "minting"),
          projectId
        )
      ),
    findByEmail: (email) => Effect.sync(() => withAddress(email)),
    page: (projectId, page) =>
      Effect.sync(() =>
        pageIn(
          members()
            .filter((_) => _.state === "active" && (projectId === undefined || _.project_id === projectId))
            .map((_) => {
              const tenant = memory.tenants.get(_.project_id)
              return { ..._, project_name: tenant?.slug ?? "", tenant_name: tenant?.name ?? "" }
            }),
          (_) => _.credential_id,
          page
        )
      ),
    ofProject: (projectId) => Effect.sync(() => members().filter((_) => _.project_id === projectId)),
    countOwners: (projectId) => Effect.sync(() => owners(projectId).length),
    setRole: Effect.fnUntraced(function* (row, role) {
      const held = current(row)
      if (held?.state !== "active") return undefined
      if (role !== "customer-owner" && isLastOwner(held)) return "last owner"
      return yield* notify(put({ ...held, role, tier: memberTiers[role] }))
    }),
    setBilling: Effect.fnUntraced(function* (userId, access) {
      const held = members().find((_) => _.user_id === userId && _.state === "active")
      return held && (yield* notify(put({ ...held, billing_access: access })))
    }),
    beginRemoval: Effect.fnUntraced(function* (row) {
      const held = current(row)
      if (held === undefined) return undefined
      if (isLastOwner(held)) return "last owner"
      const at = yield* now
      const revoked_at = held.revoked_at ?? DateTime.makeUnsafe(at)
      return yield* notify(take(held, at, { state: "revoked", revoked_at }))
    }),
    credentialsOf: ({ credential_id, project_id, revoked_at }) =>
      Effect.sync(() => {
        const below = madeBelowIn(memory, credential_id)
        const wanted = all().filter(
          (_) =>
            _.kind !== "member" &&
            _.project_id === project_id &&
            below.has(_.credential_id) &&
            (_.state !== "revoked" || atLeast(_.revoked_at, revoked_at))
        )
        return pageIn(wanted, (_) => _.credential_id, { limit: wanted.length, after: undefined }).rows
      }),
    claimAbandoned: Effect.map(now, (at) =>
      members()
        .filter((_) => _.mint_ends !== null && ended(_, at))
        .map((_) => take(_, at))
    )
  } satisfies Members["Service"]
})

export const layer = Layer.effect(Members, make).pipe(Layer.provide(credentials))

const ended = ({ mint_ends }: CredentialRow, now: number): boolean =>
  mint_ends === null || DateTime.toEpochMillis(mint_ends) <= now

const atLeast = (a: DateTime.Utc | null, b: DateTime.Utc | null): boolean =>
  a !== null && b !== null && DateTime.toEpochMillis(a) >= DateTime.toEpochMillis(b)

import {
  type CredentialRow,
  Credentials,
  everybodyIn,
  mintLease,
  type NewCredential,
  projectMeant,
  unless
} from "@portico/store/Credentials"
import { madeBelowIn, makersIn } from "./makers.ts"
import { Clock, DateTime, Duration, Effect, Layer, Stream } from "effect"
import { Memory, MemoryChanges } from "./Memory.ts"
import { within } from "./within.ts"

export const layer = Layer.effect(
  Credentials,
  Effect.gen(function* () {
    const memory = yield* Memory
    const { credentials, tenants } = memory
    const changed = yield* MemoryChanges
    const now = Clock.currentTimeMillis
    const all = () => [...credentials.values()]
    const mintEnds = (now: number) => DateTime.makeUnsafe(now + Duration.toMillis(mintLease))
    const countLive = (projectId: string, now: number) =>
      all().filter((_) => _.project_id === projectId && isLive(_, now)).length

    const put = (row: CredentialRow) => {
      credentials.set(row.credential_id, row)
      return row
    }
    const insert = (credential: NewCredential, now: number) =>
      all().some((_) => _.credential_id === credential.credential_id || _.user_id === credential.user_id)
        ? Effect.die(new Error(`there is a record of ${credential.credential_id} or of ${credential.user_id}`))
        : Effect.succeed(
            put({
              ...unless,
              ...credential,
              held: credential.kind === "member" ? [] : (tenants.get(credential.project_id)?.closing ?? []),
              created_at: DateTime.makeUnsafe(now),
              revoked_at: null,
              mint_ends: credential.state === "minting" ? mintEnds(now) : null
            })
          )
    /** Publishes after the change is visible, or a subscriber would read the old row. */
    const notify = (row: CredentialRow) => Effect.as(changed.tell(row.user_id), row)

    return Credentials.of({
      insert: (credential) => Effect.flatMap(now, (at) => insert(credential, at)),
      insertWithin: (credential, allowance) =>
        Effect.flatMap(now, (at) =>
          countLive(credential.project_id, at) >= allowance ? Effect.undefined : insert(credential, at)
        ),
      activate: Effect.fnUntraced(function* (credentialId, patHash) {
        const at = yield* now
        const row = credentials.get(credentialId)
        if (row === undefined || !isMinting(row) || mintEnded(row, at)) return undefined
        const state = row.held.length === 0 ? "active" : "suspended"
        return yield* notify(put({ ...row, state, pat_hash: patHash, mint_ends: null }))
      }),
      remove: Effect.fnUntraced(function* (credentialId) {
        const row = credentials.get(credentialId)
        if (row === undefined) return
        credentials.delete(credentialId)
        yield* notify(row)
      }),
      find: (credentialId, projectId) => Effect.sync(() => within(credentials.get(credentialId), projectId)),
      findByUser: (userId) => Effect.sync(() => all().find((_) => _.user_id === userId)),
      derived: (by, projectId) =>
        Effect.sync(() => {
          const named =
            "id" in by
              ? credentials.get(by.id)
              : all().find((_) => ("userId" in by ? _.user_id === by.userId : _.pat_hash === by.patHash))
          const row = within(named, projectId)
          return row && { ...row, makers: makersIn(memory, row.made_by) }
        }),
      countLive: (projectId) => Effect.map(now, (at) => countLive(projectId, at)),
      revoke: Effect.fnUntraced(function* (credentialId) {
        const at = yield* DateTime.now
        const row = credentials.get(credentialId)
        if (row === undefined) return undefined
        const ended = row.revokes_at === null ? at : DateTime.min(row.revokes_at, at)
        for (const id of madeBelowIn(memory, credentialId)) {
          const made = credentials.get(id)
          if (made === undefined || made.kind === "member" || made.state === "revoked") continue
          put({ ...made, revokes_at: made.revokes_at === null ? at : DateTime.min(made.revokes_at, at) })
        }
        return yield* notify(put({ ...row, state: "revoked", revoked_at: row.revoked_at ?? ended }))
      }),
      madeBelow: (id) =>
        Effect.sync(() => {
          const below = madeBelowIn(memory, id)
          return all()
            .filter((_) => _.kind !== "member" && below.has(_.credential_id))
            .toSorted(oldestFirst)
        }),
      claimAbandonedMints: Effect.map(now, (at) =>
        all()
          .filter((_) => _.kind !== "member" && _.mint_ends !== null && mintEnded(_, at))
          .map((_) => put({ ..._, mint_ends: mintEnds(at) }))
      ),
      // Like the database's trigger: a change of a maker is also a change of everything that it made.
      changes: Effect.map(changed.heard, (subscription) =>
        Stream.flatMap(Stream.fromSubscription(subscription), (change) => {
          const maker = projectMeant(change) === undefined ? all().find((_) => _.user_id === change) : undefined
          const made = maker !== undefined && madeBelowIn(memory, maker.credential_id).size > 0
          return Stream.fromIterable(made ? [change, everybodyIn(maker.project_id)] : [change])
        })
      )
    })
  })
)

const oldestFirst = (a: CredentialRow, b: CredentialRow): number =>
  DateTime.toEpochMillis(a.created_at) - DateTime.toEpochMillis(b.created_at) ||
  (a.credential_id < b.credential_id ? -1 : 1)

const isMinting = (row: CredentialRow): boolean => row.state === "minting"

const mintEnded = (row: CredentialRow, now: number): boolean =>
  row.mint_ends === null || DateTime.toEpochMillis(row.mint_ends) <= now

const isLive = (row: CredentialRow, now: number): boolean =>
  row.state !== "revoked" &&
  row.rotated_to === null &&
  !(row.state === "minting" && row.rotates !== null) &&
  (row.expires_at === null || DateTime.toEpochMillis(row.expires_at) > now)

import { type CredentialRow, Credentials, everybodyIn } from "@portico/store/Credentials"
import { claimed, retireLease, Rotations, successorOf, takesPlaceOf } from "@portico/store/Rotations"
import { Transactions } from "@portico/store/Transactions"
import { earlier, unitsOf } from "@portico/store/makers"
import { Clock, DateTime, Duration, Effect, Layer } from "effect"
import { layer as credentials } from "./Credentials.ts"
import { Memory, MemoryChanges } from "./Memory.ts"
import { layer as transactions } from "./Transactions.ts"
import { Table } from "./transaction.ts"

export const layer = Layer.effect(
  Rotations,
  Effect.gen(function* () {
    const { credentials: table, workloadTokens } = yield* Memory
    const changes = yield* MemoryChanges
    const credentials = yield* Credentials
    const { atomically } = yield* Transactions
    const leases = new Table<string, number>()
    const all = () => [...table.values()]

    const handOn = (old: CredentialRow, successor: CredentialRow) => {
      const made = all().filter((_) => _.made_by === old.credential_id)
      if (!takesPlaceOf(successor, old)) {
        const { expires_at, kind, made_by, tier } = old
        for (const row of made) {
          const bound = { made_by, tier: row.tier < tier ? row.tier : tier, kind: kind === "mcp" ? kind : row.kind }
          const former_units = [...row.former_units, ...unitsOf(old)]
          table.set(row.credential_id, {
            ...row,
            ...bound,
            former_units,
            expires_at: earlier(row.expires_at, expires_at)
          })
        }
        return
      }
      const made_by = successor.credential_id
      for (const row of made) table.set(row.credential_id, { ...row, made_by })
      for (const [hash, token] of workloadTokens) {
        if (token.made_by === old.credential_id) workloadTokens.set(hash, { ...token, made_by })
      }
    }

    return Rotations.of({
      begin: Effect.fnUntraced(function* (successor) {
        const now = yield* Clock.currentTimeMillis
        const old = table.get(successor.rotates)
        if (old === undefined || !isReplaceable(old, now)) return undefined
        if (all().some((_) => _.rotates === old.credential_id)) return undefined
        const before = old.rotates === null ? undefined : table.get(old.rotates)
        if (before !== undefined && before.state !== "revoked" && !isOver(before, now)) return undefined
        return yield* credentials.insert(successorOf(successor, old))
      }),
      complete: Effect.fnUntraced(function* (id, patHash, overlap) {
        const now = yield* Clock.currentTimeMillis
        const old = table.get(table.get(id)?.rotates ?? "")
        if (old === undefined || !isReplaceable(old, now)) return undefined
        const successor = yield* credentials.activate(id, patHash)
        if (successor === undefined) return undefined
        const revokes_at = DateTime.makeUnsafe(now + Duration.toMillis(overlap))
        const predecessor = { ...old, rotated_to: id, revokes_at }
        table.set(old.credential_id, predecessor)
        handOn(old, successor)
        yield* changes.tell(old.user_id)
        yield* changes.tell(everybodyIn(old.project_id))
        return { successor, predecessor }
      }, atomically),
      claimOverdue: Effect.map(Clock.currentTimeMillis, (now) =>
        all()
          .filter((_) => _.state !== "revoked" && isOver(_, now) && (leases.get(_.credential_id) ?? 0) <= now)
          .slice(0, claimed)
          .map((row) => {
            leases.set(row.credential_id, now + Duration.toMillis(retireLease))
            return row
          })
      )
    })
  })
).pipe(Layer.provide([credentials, transactions]))

const isReplaceable = (row: CredentialRow, now: number): boolean =>
  row.state === "active" &&
  row.rotated_to === null &&
  (row.expires_at === null || DateTime.toEpochMillis(row.expires_at) > now) &&
  !isOver(row, now)

const isOver = ({ revokes_at }: CredentialRow, now: number): boolean =>
  revokes_at !== null && DateTime.toEpochMillis(revokes_at) <= now

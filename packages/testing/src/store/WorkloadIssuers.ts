import { everybodyIn } from "@portico/store/Credentials"
import { type WorkloadIssuer, WorkloadIssuers } from "@portico/store/WorkloadIssuers"
import { DateTime, Effect, Layer } from "effect"
import { Memory, MemoryChanges } from "./Memory.ts"
import { within } from "./within.ts"

export const layer = Layer.effect(
  WorkloadIssuers,
  Effect.gen(function* () {
    const { workloadIssuers: issuers, workloadTokens: tokens } = yield* Memory
    const changes = yield* MemoryChanges
    const all = () => [...issuers.values()]
    const notify = (row: WorkloadIssuer) => Effect.as(changes.tell(everybodyIn(row.project_id)), row)
    const remove = Effect.fnUntraced(function* (row: WorkloadIssuer) {
      issuers.delete(row.issuer_id)
      for (const token of tokens.values()) if (token.issuer_id === row.issuer_id) tokens.delete(token.token_hash)
      return yield* notify(row)
    })

    return WorkloadIssuers.of({
      insert: Effect.fnUntraced(function* (issuer) {
        if (all().some((_) => _.issuer === issuer.issuer)) return undefined
        const created_at = yield* DateTime.now
        const row = { ...issuer, revision: 1, created_at, changed_at: created_at }
        issuers.set(row.issuer_id, row)
        return row
      }),
      find: (issuerId) => Effect.sync(() => issuers.get(issuerId)),
      findByIssuer: (issuer, projectId) =>
        Effect.sync(() =>
          within(
            all().find((_) => _.issuer === issuer),
            projectId
          )
        ),
      page: ({ after, limit }) =>
        Effect.sync(() => {
          const ordered = all().toSorted(inOrder)
          const behind = ordered.filter(
            (_) =>
              after === undefined ||
              DateTime.toEpochMillis(_.created_at) > after.at ||
              (DateTime.toEpochMillis(_.created_at) === after.at && _.issuer_id > after.id)
          )
          return { count: ordered.length, rows: behind.slice(0, limit + 1) }
        }),
      change: Effect.fnUntraced(function* (issuerId, change) {
        const held = issuers.get(issuerId)
        if (held === undefined) return undefined
        const row = { ...held, ...change, revision: held.revision + 1, changed_at: yield* DateTime.now }
        issuers.set(issuerId, row)
        return yield* notify(row)
      }),
      remove: (issuerId) =>
        Effect.suspend(() => {
          const row = issuers.get(issuerId)
          return row === undefined ? Effect.undefined : remove(row)
        }),
      removeOfProject: (projectId) =>
        Effect.suspend(() =>
          Effect.forEach(
            all().filter((_) => _.project_id === projectId),
            remove,
            { discard: true }
          )
        )
    })
  })
)

const inOrder = (a: WorkloadIssuer, b: WorkloadIssuer): number =>
  DateTime.toEpochMillis(a.created_at) - DateTime.toEpochMillis(b.created_at) || (a.issuer_id < b.issuer_id ? -1 : 1)

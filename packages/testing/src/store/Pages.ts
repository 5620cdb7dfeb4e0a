import type { PageRequest } from "@portico/contract/Page"
import type { CredentialRow } from "@portico/store/Credentials"
import { type Found, type Listed, type ListedRow, Pages } from "@portico/store/Pages"
import { DateTime, Effect, Layer } from "effect"
import { makersIn } from "./makers.ts"
import { Memory } from "./Memory.ts"

export const layer = Layer.effect(
  Pages,
  Effect.map(Memory, (memory) => {
    const { credentials, tenants } = memory
    return Pages.of({
      credentials: Effect.fnUntraced(function* (listed, page) {
        const isListed = isIn(listed, memory, yield* DateTime.now)
        const all = [...credentials.values()].filter(isListed).map((row): ListedRow => {
          const tenant = tenants.get(row.project_id)
          return {
            ...row,
            makers: makersIn(memory, row.made_by),
            idle_since: DateTime.startOf(lastSignOf(row), "day"),
            tenant_slug: tenant?.slug ?? null,
            tenant_name: tenant?.name ?? null
          }
        })
        const time = (row: ListedRow) => (listed.unusedDays === undefined ? row.created_at : row.idle_since)
        return pageIn(all, (_) => _.credential_id, page, time)
      }),
      tenants: (page) => Effect.sync(() => pageIn([...tenants.values()], (_) => _.project_id, page))
    })
  })
)

/** Whether a list contains a credential, by the conditions of the SQL query. */
export const isIn =
  (
    { includeRevoked, kind, label, madeBy, projectId, unusedDays }: Listed,
    memory: Memory["Service"],
    now: DateTime.Utc
  ) =>
  (row: CredentialRow): boolean =>
    (kind === undefined ? row.kind !== "member" : row.kind === kind) &&
    row.state !== "minting" &&
    ((includeRevoked && unusedDays === undefined) || row.state !== "revoked") &&
    (projectId === undefined || row.project_id === projectId) &&
    (label === undefined || row.label === label) &&
    (madeBy === undefined || makersIn(memory, row.made_by)[0]?.public_id === madeBy) &&
    (unusedDays === undefined || DateTime.isLessThan(lastSignOf(row), DateTime.subtract(now, { days: unusedDays })))

const lastSignOf = ({ created_at, last_used_at }: CredentialRow) => last_used_at ?? created_at

/** The {@link Found} page of rows in memory. */
export const pageIn = <Row extends { readonly created_at: DateTime.Utc }>(
  all: ReadonlyArray<Row>,
  id: (row: Row) => string,
  { after, limit }: PageRequest,
  time: (row: Row) => DateTime.Utc = (_) => _.created_at
): Found<Row> => {
  const at = (row: Row) => DateTime.toEpochMillis(time(row))
  const rows = all
    .toSorted((a, b) => at(a) - at(b) || (id(a) < id(b) ? -1 : 1))
    .filter((_) => after === undefined || at(_) > after.at || (at(_) === after.at && id(_) > after.id))
  return { count: all.length, rows: rows.slice(0, limit + 1) }
}

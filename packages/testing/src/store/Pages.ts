import type { PageRequest } from "@portico/contract/Page"
import type { CredentialRow } from "@portico/store/Credentials"
import { type Found, type Listed, Pages } from "@portico/store/Pages"
import { DateTime, Effect, Layer } from "effect"
import { makersIn } from "./makers.ts"
import { Memory } from "./Memory.ts"

export const layer = Layer.effect(
  Pages,
  Effect.map(Memory, (memory) => {
    const { credentials, tenants } = memory
    return Pages.of({
      credentials: (listed, page) =>
        Effect.sync(() => {
          const { count, rows } = pageIn([...credentials.values()].filter(isIn(listed)), (_) => _.credential_id, page)
          return { count, rows: rows.map((row) => ({ ...row, makers: makersIn(memory, row.made_by) })) }
        }),
      tenants: (page) => Effect.sync(() => pageIn([...tenants.values()], (_) => _.project_id, page))
    })
  })
)

/** Whether a list contains a credential, by the conditions of the SQL query. */
export const isIn =
  ({ agents, includeRevoked, label, projectId }: Listed) =>
  (row: CredentialRow): boolean =>
    (agents === true ? row.kind === "mcp" : row.kind !== "member") &&
    row.state !== "minting" &&
    (includeRevoked || row.state !== "revoked") &&
    (projectId === undefined || row.project_id === projectId) &&
    (label === undefined || row.label === label)

/** The {@link Found} page of rows in memory. */
export const pageIn = <Row extends { readonly created_at: DateTime.Utc }>(
  all: ReadonlyArray<Row>,
  id: (row: Row) => string,
  { after, limit }: PageRequest
): Found<Row> => {
  const at = (row: Row) => DateTime.toEpochMillis(row.created_at)
  const rows = all
    .toSorted((a, b) => at(a) - at(b) || (id(a) < id(b) ? -1 : 1))
    .filter((_) => after === undefined || at(_) > after.at || (at(_) === after.at && id(_) > after.id))
  return { count: all.length, rows: rows.slice(0, limit + 1) }
}

import { fixtures } from "../Fixtures.ts"
import { type Answer, type Handler, type Incoming, json } from "../Wire.ts"

export const refuse = (status: number, code: string, message: string): Answer =>
  json(status, { error: { code, message } })

/** The projects that a call is about. */
export type Scope = { readonly projectId: string } | "all"

export type Scoped = (incoming: Incoming, scope: Scope) => Answer

/** An authenticated call: the only token is the gateway's. */
export const authorized =
  (handler: Handler): Handler =>
  (incoming) =>
    incoming.headers["authorization"] === `Bearer ${fixtures.billing.token}`
      ? handler(incoming)
      : refuse(401, "unauthorized", "The token is not accepted")

/** A call with exactly one of `project_id` and `scope=all`. */
export const scoped = (handler: Scoped): Handler =>
  authorized((incoming) => {
    const [projects, scopes] = [incoming.query.getAll("project_id"), incoming.query.getAll("scope")]
    const [projectId] = projects
    if (scopes.length === 1 && scopes[0] === "all" && projects.length === 0) return handler(incoming, "all")
    if (projects.length === 1 && projectId !== undefined && projectId !== "" && scopes.length === 0) {
      return handler(incoming, { projectId })
    }
    return refuse(400, "filter_required", "Send either project_id or scope=all")
  })

/** {@link scoped}, for one project. */
export const ofTenant = (handler: (incoming: Incoming, projectId: string) => Answer): Handler =>
  scoped((incoming, scope) =>
    scope === "all"
      ? refuse(400, "filter_required", "This call is about one project: send project_id")
      : handler(incoming, scope.projectId)
  )

export const isIn = (scope: Scope, projectId: string): boolean => scope === "all" || scope.projectId === projectId

/** The page of rows that a query asks for; undefined when the query is invalid. */
export const pageOf = <Row>(
  rows: ReadonlyArray<Row>,
  { query }: Incoming,
  position: (row: Row) => { readonly at: number; readonly id: string }
): ReadonlyArray<Row> | undefined => {
  const limit = Number(query.get("limit") ?? "100")
  const [afterAt, afterId] = [query.get("after_at"), query.get("after_id")]
  if (!Number.isInteger(limit) || limit < 1 || limit > 1001 || (afterAt === null) !== (afterId === null))
    return undefined
  const at = afterAt === null ? -Infinity : Date.parse(afterAt)
  if (Number.isNaN(at)) return undefined
  const behind = rows.filter((row) => {
    const here = position(row)
    return here.at > at || (here.at === at && here.id > (afterId ?? ""))
  })
  return behind.slice(0, limit)
}

export const wrongPage = (): Answer =>
  refuse(400, "invalid_page", "limit is 1 to 1001; after_at and after_id stand together")

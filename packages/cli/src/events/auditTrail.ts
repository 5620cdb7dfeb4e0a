import { mayPass } from "@portico/client/failure"
import type { PorticoOperator } from "@portico/client/operator"
import type { PorticoError } from "@portico/client/PorticoError"
import { Clock, Effect, Option, Stream } from "effect"
import type { Portico } from "../Portico.ts"

type Query = NonNullable<Parameters<PorticoOperator["audit"]["list"]>[0]>
export type AuditQuery = Omit<Query, "cursor" | "limit" | "order">
type Page = Awaited<ReturnType<PorticoOperator["audit"]["list"]>>
export type AuditRecord = Page["records"][number]

/** Some records, and the place behind them. */
export interface AuditPage {
  readonly records: ReadonlyArray<AuditRecord>
  readonly cursor: string | undefined
}

/** Between two looks at the end of the log, which has no stream of calls: 30 calls a minute. */
const lookSeconds = 2
const longestSeconds = 30

/** The end of the log. */
export const endOfAudit = ({ use }: Portico, { project_id }: AuditQuery) =>
  Effect.map(
    use((_, signal) => _.audit.list({ project_id, order: "desc", limit: 1 }, { signal })),
    (_) => _.last_cursor ?? undefined
  )

interface Looking {
  readonly cursor: string | undefined
  /** Looks that failed in a row. */
  readonly failures: number
  readonly pause: number
}

/**
 * The audit as it grows, from a cursor or from the oldest record on. It goes on while the gateway is away, once it has
 * answered.
 *
 * @param timeout in seconds; with 0 it ends at the end of the log
 */
export const auditTrail = ({ use }: Portico, query: AuditQuery, cursor: string | undefined, timeout?: number) =>
  Effect.gen(function* () {
    const end = timeout === undefined ? Infinity : (yield* Clock.currentTimeMillis) + timeout * 1000
    let hasAnswered = false

    const look = Effect.fnUntraced(function* ({ cursor, failures, pause }: Looking) {
      yield* Effect.sleep(`${pause} seconds`)
      const page = yield* use((_, signal) =>
        _.audit.list({ ...query, cursor, order: "asc", limit: 1000 }, { signal })
      ).pipe(
        Effect.catchIf(
          (error) => hasAnswered && mayPass(error),
          () => Effect.succeed(undefined)
        )
      )
      if (page === undefined) {
        const longer = Math.min(longestSeconds, lookSeconds * 2 ** failures)
        return [[], Option.some({ cursor, failures: failures + 1, pause: longer })] as const
      }
      hasAnswered = true
      const behind = page.last_cursor ?? cursor
      const isOver = page.next_cursor === null && (yield* Clock.currentTimeMillis) >= end
      const next = { cursor: behind, failures: 0, pause: page.next_cursor === null ? lookSeconds : 0 }
      return [[{ records: page.records, cursor: behind }], isOver ? Option.none() : Option.some(next)] as const
    })

    return Stream.paginate<Looking, AuditPage, PorticoError>({ cursor, failures: 0, pause: 0 }, look)
  }).pipe(Stream.unwrap)

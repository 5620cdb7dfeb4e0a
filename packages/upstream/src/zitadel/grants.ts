import { Effect, Schedule, Schema } from "effect"
import { allPages } from "../paging.ts"
import { postJson, putJson } from "../requests.ts"
import type { System } from "../System.ts"
import type { UpstreamError } from "../UpstreamError.ts"

const Grant = Schema.Struct({
  id: Schema.String,
  userId: Schema.String,
  userType: Schema.optionalKey(Schema.String),
  roleKeys: Schema.optionalKey(Schema.Array(Schema.String))
})

const Grants = Schema.Struct({ result: Schema.optionalKey(Schema.Array(Grant)) })

/** The maximum page size of a search. */
export const maxPageSize = 1000

/**
 * The retries of a search for a recent write: the first after half a second,
 * then with growing pauses. Searches read projections, which lag behind.
 */
export const projectionRetry = { times: 3, schedule: Schedule.exponential("500 millis") } as const

/** The roles of one project. A user has at most one Zitadel user grant per project, which only a search can find. */
export const grantsOf = (management: System, projectId: string) => {
  const search = (call: string, offset: number, query: object) =>
    Effect.map(
      management.read(
        call,
        postJson("/users/grants/_search", {
          query: { offset: String(offset), limit: maxPageSize, asc: true },
          queries: [query, { projectIdQuery: { projectId } }]
        }),
        Grants
      ),
      ({ result = [] }) => result
    )

  const ofUser = (userId: string) => Effect.map(search("find grant", 0, { userIdQuery: { userId } }), (_) => _[0])

  const pathOf = (userId: string) => `/users/${encodeURIComponent(userId)}/grants`

  const give = (userId: string, role: string) =>
    management.send("grant role", postJson(pathOf(userId), { projectId, roleKeys: [role] }))

  const replace = (userId: string, grantId: string, role: string) =>
    management.send("replace role", putJson(`${pathOf(userId)}/${encodeURIComponent(grantId)}`, { roleKeys: [role] }))

  /**
   * Searches until the user's grant is visible and has the wanted roles.
   * Otherwise it fails with the original error.
   */
  const awaitGrant = (userId: string, refusal: UpstreamError, wanted: (roles: ReadonlyArray<string>) => boolean) =>
    ofUser(userId).pipe(
      Effect.flatMap((_) => (_ !== undefined && wanted(_.roleKeys ?? []) ? Effect.succeed(_) : Effect.fail(refusal))),
      Effect.retry({ ...projectionRetry, while: (_) => _ === refusal })
    )

  return {
    /** Gives the user this role, which has none yet. Repeatable: a 409 is no failure once the user holds the role. */
    addRole: Effect.fn("Zitadel.grantRole")(function* (userId: string, role: string) {
      yield* Effect.catchIf(
        give(userId, role),
        (error) => error.status === 409,
        (refusal) => awaitGrant(userId, refusal, (roles) => roles.includes(role))
      )
    }),

    /** Replaces the user's roles by this one. Repeatable. */
    setRole: Effect.fn("Humans.setRole")(function* (userId: string, role: string) {
      yield* Effect.catchIf(
        give(userId, role),
        (error) => error.status === 409,
        Effect.fnUntraced(function* (refusal) {
          const { id } = yield* awaitGrant(userId, refusal, () => true)
          // A 400 is a failed precondition: the roles are already the same, or the role does not exist.
          yield* Effect.catchIf(
            replace(userId, id, role),
            (error) => error.status === 400,
            (unchanged) => awaitGrant(userId, unchanged, (roles) => roles.length === 1 && roles[0] === role)
          )
        })
      )
    }),

    rolesOf: Effect.fn("Humans.rolesOf")(function* (userId: string) {
      return (yield* ofUser(userId))?.roleKeys ?? []
    }),

    /** The people who hold the role, without machine users. */
    holders: Effect.fn("Humans.holders")(function* (roleKey: string) {
      const query = { roleKeyQuery: { roleKey, method: "TEXT_QUERY_METHOD_EQUALS" } }
      const found = yield* allPages<typeof Grant.Type, UpstreamError>(
        { upstream: management.upstream, call: "list grants" },
        ({ length }) =>
          Effect.map(search("list grants", length, query), (items) => ({ items, more: items.length === maxPageSize }))
      )
      return found.filter((_) => _.userType === "TYPE_HUMAN").map((_) => _.userId)
    })
  }
}

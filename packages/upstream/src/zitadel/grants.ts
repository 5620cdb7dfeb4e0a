import { Effect, Schedule, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
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
const maxPageSize = 1000

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
        HttpClientRequest.post("/users/grants/_search").pipe(
          HttpClientRequest.bodyJsonUnsafe({
            query: { offset: String(offset), limit: maxPageSize, asc: true },
            queries: [query, { projectIdQuery: { projectId } }]
          })
        ),
        Grants
      ),
      ({ result = [] }) => result
    )

  const ofUser = (userId: string) => Effect.map(search("findGrant", 0, { userIdQuery: { userId } }), (_) => _[0])

  const pathOf = (userId: string) => `/users/${encodeURIComponent(userId)}/grants`

  const give = (userId: string, role: string) =>
    management.send(
      "grantRole",
      HttpClientRequest.post(pathOf(userId)).pipe(HttpClientRequest.bodyJsonUnsafe({ projectId, roleKeys: [role] }))
    )

  const replace = (userId: string, grantId: string, role: string) =>
    management.send(
      "replaceRole",
      HttpClientRequest.put(`${pathOf(userId)}/${encodeURIComponent(grantId)}`).pipe(
        HttpClientRequest.bodyJsonUnsafe({ roleKeys: [role] })
      )
    )

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
      const found: Array<typeof Grant.Type> = []
      for (let page = 0; found.length === page * maxPageSize; page++) {
        found.push(...(yield* search("listGrants", found.length, query)))
      }
      return found.filter((_) => _.userType === "TYPE_HUMAN").map((_) => _.userId)
    })
  }
}

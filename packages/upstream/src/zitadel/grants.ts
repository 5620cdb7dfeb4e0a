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

/** No search answers with more. */
const largestPage = 1000

/**
 * How often what was just written is looked for, half a second later and then
 * with growing pauses: searches read projections, which lag behind.
 */
export const patience = { times: 3, schedule: Schedule.exponential("500 millis") } as const

/**
 * Roles of one project: of Zitadel's user grants there is at most one for a
 * user, and it is found by search alone.
 */
export const grantsOf = (management: System, projectId: string) => {
  const search = (call: string, offset: number, query: object) =>
    Effect.map(
      management.read(
        call,
        HttpClientRequest.post("/users/grants/_search").pipe(
          HttpClientRequest.bodyJsonUnsafe({
            query: { offset: String(offset), limit: largestPage, asc: true },
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

  /** Asks until the user's grant is seen, and seen as wanted; otherwise the refusal stands. */
  const seen = (userId: string, refusal: UpstreamError, wanted: (roles: ReadonlyArray<string>) => boolean) =>
    ofUser(userId).pipe(
      Effect.flatMap((_) => (_ !== undefined && wanted(_.roleKeys ?? []) ? Effect.succeed(_) : Effect.fail(refusal))),
      Effect.retry({ ...patience, while: (_) => _ === refusal })
    )

  return {
    /** Gives the role in place of those that the user holds; it holds it already after a repeat. */
    setRole: Effect.fn("Humans.setRole")(function* (userId: string, role: string) {
      yield* Effect.catchIf(
        give(userId, role),
        (error) => error.status === 409,
        Effect.fnUntraced(function* (refusal) {
          const { id } = yield* seen(userId, refusal, () => true)
          // A 400 is a precondition that does not hold: that the set is what it was, or that there is no such role.
          yield* Effect.catchIf(
            replace(userId, id, role),
            (error) => error.status === 400,
            (unchanged) => seen(userId, unchanged, (roles) => roles.length === 1 && roles[0] === role)
          )
        })
      )
    }),

    rolesOf: Effect.fn("Humans.rolesOf")(function* (userId: string) {
      return (yield* ofUser(userId))?.roleKeys ?? []
    }),

    /** The people who hold the role; machines are left out. */
    holders: Effect.fn("Humans.holders")(function* (roleKey: string) {
      const query = { roleKeyQuery: { roleKey, method: "TEXT_QUERY_METHOD_EQUALS" } }
      const found: Array<typeof Grant.Type> = []
      for (let page = 0; found.length === page * largestPage; page++) {
        found.push(...(yield* search("listGrants", found.length, query)))
      }
      return found.filter((_) => _.userType === "TYPE_HUMAN").map((_) => _.userId)
    })
  }
}

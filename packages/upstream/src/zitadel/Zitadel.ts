import { Clock, Config, Context, DateTime, Effect, Layer, Option, Redacted, Schema } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { isBearer } from "../oidc/bearer.ts"
import { allPages } from "../paging.ts"
import { postJson, putJson } from "../requests.ts"
import { exchange, inTime } from "../System.ts"
import { orOwn, type Taken, UpstreamError } from "../UpstreamError.ts"
import { baseOf } from "../webAddress.ts"
import { basic } from "./basic.ts"
import { grantsOf, maxPageSize } from "./grants.ts"
import { management as managementApi } from "./management.ts"

/** The introspection result of an active token. */
export interface Introspected {
  readonly userId: string
  readonly userName: string
  readonly userEmail: string
  readonly roles: ReadonlyArray<string>
  /** Seconds since the epoch. */
  readonly exp: number
  /** When the user logged in, or else when the token was issued; in milliseconds since the epoch. */
  readonly issuedAt?: number
}

export interface NewMachineUser {
  readonly userId: string
  readonly userName: string
  readonly name: string
  readonly stamp: string
}

/** A renewed token keeps its `auth_time`, so a login counts once. Zero is a time that the provider does not know. */
const issuedAtOf = ({ auth_time, iat }: { readonly auth_time?: number; readonly iat?: number }) => {
  const at = auth_time || iat
  return at === undefined || at === 0 ? {} : { issuedAt: at * 1000 }
}

const RoleMap = Schema.Record(Schema.String, Schema.Unknown)

const Introspection = Schema.Union([
  Schema.Struct({
    active: Schema.Literal(true),
    sub: Schema.NonEmptyString,
    exp: Schema.Finite,
    iat: Schema.optionalKey(Schema.Finite),
    auth_time: Schema.optionalKey(Schema.Finite),
    username: Schema.optionalKey(Schema.String),
    email: Schema.optionalKey(Schema.String)
  }),
  Schema.Struct({ active: Schema.Literal(false) })
])

const decodeIntrospection = Schema.decodeUnknownEffect(Schema.fromJsonString(Introspection))
const decodeClaims = Schema.decodeUnknownEffect(Schema.fromJsonString(RoleMap))
const isRoleMap = Schema.is(RoleMap)
const isRoleList = Schema.is(Schema.Array(Schema.String))

const User = Schema.Struct({
  id: Schema.String,
  state: Schema.optionalKey(Schema.String),
  machine: Schema.optionalKey(Schema.Struct({ description: Schema.optionalKey(Schema.String) }))
})
const MachineUser = Schema.Struct({ user: User })
const Search = Schema.Struct({ result: Schema.optionalKey(Schema.Array(User)) })

/** A machine user with the mark of what created it. */
export interface StampedUser {
  readonly stamp: string
  /** Whether its tokens work. */
  readonly active: boolean
}

/**
 * Zitadel: introspection of tokens (RFC 7662), and the machine users of
 * credentials. The gateway chooses the user ids, because a search may not find
 * a user that was just created.
 */
export class Zitadel extends Context.Service<
  Zitadel,
  {
    /**
     * Undefined for a token that is not active, is no access token, or is not for `TOKEN_AUDIENCE`, if that is set. A
     * provider that cannot be reached is an error without a status.
     */
    introspect(token: Redacted.Redacted): Effect.Effect<Introspected | undefined, UpstreamError>
    /** Creates the user, or finds the one with this id and stamp. */
    createMachineUser(options: NewMachineUser): Effect.Effect<void, UpstreamError | Taken>
    /** Grants the user the role. Repeatable. */
    grantRole(userId: string, role: string): Effect.Effect<void, UpstreamError>
    /** Creates a new client secret. The previous one stops working. */
    createSecret(userId: string): Effect.Effect<Redacted.Redacted, UpstreamError>
    createToken(userId: string, expires: DateTime.Utc | undefined): Effect.Effect<Redacted.Redacted, UpstreamError>
    /** The machine users that carry any stamp, by their ids. Users of the last second or so may be missing. */
    readonly machineUsers: Effect.Effect<ReadonlyMap<string, StampedUser>, UpstreamError>
    /** A user who is inactive or gone is no error. */
    deactivateUser(userId: string): Effect.Effect<void, UpstreamError>
    /** Removes the user with all its grants and tokens, only if it carries the stamp. */
    removeUser(userId: string, stamp: string): Effect.Effect<void, UpstreamError>
  }
>()("portico/upstream/zitadel/Zitadel") {
  static readonly layer = Layer.effect(
    Zitadel,
    Effect.gen(function* () {
      const auth = baseOf(yield* Config.URL("AUTH_URL"))
      const projectId = yield* Config.String("ZITADEL_PROJECT_ID")
      const rolesClaims = yield* rolesClaimsOf(projectId)
      const audience = Option.getOrUndefined(yield* Config.option(Config.NonEmptyString("TOKEN_AUDIENCE")))
      const clientId = yield* Config.String("INTROSPECTION_CLIENT_ID")
      const clientSecret = yield* Config.Redacted("INTROSPECTION_CLIENT_SECRET")
      const client = yield* HttpClient.HttpClient
      const management = yield* managementApi

      const authorization = basic(clientId, clientSecret)

      const introspect = Effect.fn("Zitadel.introspect")(
        function* (token: Redacted.Redacted) {
          const request = HttpClientRequest.post(`${auth}/oauth/v2/introspect`).pipe(
            HttpClientRequest.acceptJson,
            HttpClientRequest.setHeader("authorization", authorization),
            HttpClientRequest.bodyUrlParams({ token: Redacted.value(token) })
          )
          const { status, text } = yield* exchange(client, { upstream: "zitadel", call: "introspect" }, request)
          if (status !== 200) return yield* unusable(status, `answered ${status}`)
          const notUnderstood = () => unusable(200, "answered with a body that is not understood")
          const answer = yield* Effect.mapError(decodeIntrospection(text), notUnderstood)
          if (!answer.active) return undefined
          const claims = yield* Effect.mapError(decodeClaims(text), notUnderstood)
          if (!isBearer(claims, yield* Clock.currentTimeMillis)) return undefined
          if (audience !== undefined && !isFor(claims, audience)) return undefined
          return {
            userId: answer.sub,
            userName: answer.username ?? "",
            userEmail: answer.email ?? "",
            roles: rolesOf(claims, rolesClaims),
            exp: answer.exp,
            ...issuedAtOf(answer)
          } satisfies Introspected
        },
        inTime("zitadel", "introspect")
      )

      const user = (userId: string) => `/users/${encodeURIComponent(userId)}`
      const findStamp = (userId: string) =>
        Effect.map(
          management.find("find user", HttpClientRequest.get(user(userId)), MachineUser),
          (_) => _?.user.machine?.description
        )

      const createMachineUser = Effect.fn("Zitadel.createMachineUser")(function* ({
        name,
        stamp,
        userId,
        userName
      }: NewMachineUser) {
        const made = management.send(
          "create machine user",
          postJson("/users/machine", {
            userId,
            userName,
            name,
            description: stamp,
            accessTokenType: "ACCESS_TOKEN_TYPE_BEARER"
          })
        )
        const own = Effect.map(findStamp(userId), (found) => (found === stamp ? stamp : undefined))
        yield* orOwn(made, own, { upstream: "zitadel", what: `user '${userName}'` })
      })

      const machineUsers = allPages<typeof User.Type, UpstreamError>(
        { upstream: "zitadel", call: "list machine users" },
        ({ length }) =>
          Effect.map(
            management.read(
              "list machine users",
              postJson("/users/_search", {
                query: { offset: String(length), limit: maxPageSize, asc: true },
                sortingColumn: "USER_FIELD_NAME_CREATION_DATE",
                queries: [{ typeQuery: { type: "TYPE_MACHINE" } }]
              }),
              Search
            ),
            ({ result = [] }) => ({ items: result, more: result.length === maxPageSize })
          )
      ).pipe(
        Effect.map(
          (users) =>
            new Map(
              users.flatMap(({ id, machine, state }) => {
                const stamp = machine?.description ?? ""
                return stamp.startsWith("portico-") ? [[id, { stamp, active: state === "USER_STATE_ACTIVE" }]] : []
              })
            )
        ),
        Effect.withSpan("Zitadel.machineUsers")
      )

      const deactivateUser = Effect.fn("Zitadel.deactivateUser")(function* (userId: string) {
        const deactivation = management.remove("deactivate user", postJson(`${user(userId)}/_deactivate`, {}))
        // A 400 is a failed precondition: usually, but not always, the user is already inactive.
        yield* Effect.catchIf(
          deactivation,
          (error) => error.status === 400,
          (refusal) =>
            Effect.flatMap(management.find("find user", HttpClientRequest.get(user(userId)), MachineUser), (found) =>
              found === undefined || found.user.state === "USER_STATE_INACTIVE" ? Effect.void : Effect.fail(refusal)
            )
        )
      })

      const removeUser = Effect.fn("Zitadel.removeUser")(function* (userId: string, stamp: string) {
        if ((yield* findStamp(userId)) === stamp) {
          yield* management.remove("remove user", HttpClientRequest.delete(user(userId)))
        }
      })

      return Zitadel.of({
        introspect,
        createMachineUser,
        grantRole: grantsOf(management, projectId).addRole,
        createSecret: (userId) =>
          Effect.map(
            management.write(
              "create secret",
              putJson(`${user(userId)}/secret`, {}),
              Schema.Struct({ clientSecret: Schema.String })
            ),
            (_) => Redacted.make(_.clientSecret)
          ),
        createToken: (userId, expires) =>
          Effect.map(
            management.write(
              "create token",
              postJson(
                `${user(userId)}/pats`,
                expires === undefined ? {} : { expirationDate: DateTime.formatIso(expires) }
              ),
              Schema.Struct({ token: Schema.String })
            ),
            (_) => Redacted.make(_.token)
          ),
        machineUsers,
        deactivateUser,
        removeUser
      })
    })
  )
}

const unusable = (status: number, detail: string): UpstreamError =>
  new UpstreamError({ upstream: "zitadel", call: "introspect", status, detail })

/** A token is for one audience or for several (RFC 7662, section 2.2). */
const isFor = ({ aud }: Readonly<Record<string, unknown>>, audience: string): boolean =>
  aud === audience || (Array.isArray(aud) && aud.includes(audience))

/** The names of the claim that counts: `ROLES_CLAIM`, or those under which Zitadel gives the roles of the API's project. */
const rolesClaimsOf = (projectId: string) =>
  Effect.map(
    Config.option(Config.NonEmptyString("ROLES_CLAIM")),
    Option.match({
      onNone: () => [`urn:zitadel:iam:org:project:${projectId}:roles`, "urn:zitadel:iam:org:project:roles"],
      onSome: (name) => [name]
    })
  )

/** The claim is a list of roles, or a map from each role, as Zitadel's is from a role to the organisations that granted it. */
const rolesOf = (claims: Readonly<Record<string, unknown>>, names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const named = names.map((_) => claims[_]).find((_) => _ !== undefined && _ !== null)
  if (isRoleList(named)) return named
  return isRoleMap(named) && !Array.isArray(named) ? Object.keys(named) : []
}

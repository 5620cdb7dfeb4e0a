import { Cache, Clock, Config, Context, Duration, Effect, Exit, Layer, Redacted, Schema } from "effect"
import { HttpClient } from "effect/http"
import { createHmac } from "node:crypto"
import { tenantKeys } from "../tenantKeys.ts"
import { TtlCache } from "../TtlCache.ts"
import { postJson } from "../requests.ts"
import { exchange, inTime } from "../System.ts"
import { UpstreamError } from "../UpstreamError.ts"
import { detailOf } from "../errorDetail.ts"
import { Catalog } from "./Catalog.ts"

/** A Keystone token with its project scope. */
export interface Session {
  readonly userId: string
  readonly projectId: string
  readonly token: Redacted.Redacted
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
}

/** The most tenants' sessions in the cache. */
const capacity = 10_000

/**
 * A rejected login is not repeated for this time. Keystone answers 401 to a
 * wrong password and to a disabled project alike.
 */
const refusedFor = Duration.seconds(10)

/** A token is replaced after this share of its lifetime, or this long before its expiry, whichever comes first. */
const share = 0.8
const floor = Duration.minutes(2)

/** The name of a tenant's Keystone user. */
export const tenantUserName = (projectId: string): string => `gw-${projectId}`

/**
 * The two identities of the gateway. The control session is an administrator,
 * scoped to a project: for onboarding, quotas and platform callers. A tenant
 * session is `member` on that tenant's project only: for every request of a
 * customer to the platform. They are never mixed, because `admin` on any
 * project is admin everywhere, and a stock service ignores a stamped project
 * header.
 */
export class Sessions extends Context.Service<
  Sessions,
  {
    readonly control: Effect.Effect<Session, UpstreamError>
    tenant(projectId: string): Effect.Effect<Session, UpstreamError>
    /**
     * A session of the control identity inside a tenant's project, in which it
     * must already hold a role. It is for a service that goes by the token's
     * project alone. Each call makes a new session, which is not cached.
     */
    controlWithin(projectId: string): Effect.Effect<Session, UpstreamError>
    /** Removes a session that a service rejected from the cache. A session that has already replaced it stays. */
    drop(session: Session): Effect.Effect<void>
    /** The password of a tenant's user. It is derived, so it is not stored. */
    tenantPassword(projectId: string): Redacted.Redacted
    /** Whether Keystone accepts that password. A tenant session also begins with one of another accepted key. */
    hasTenantPassword(projectId: string): Effect.Effect<boolean, UpstreamError>
    readonly controlProjectId: Effect.Effect<string, UpstreamError>
  }
>()("portico/upstream/openstack/Sessions") {
  static readonly layer = Layer.effect(
    Sessions,
    Effect.gen(function* () {
      const catalog = yield* Catalog
      const client = yield* HttpClient.HttpClient
      const clock = yield* Clock.Clock
      const user = yield* Config.String("KEYSTONE_USER")
      const password = yield* Config.Redacted("KEYSTONE_PASSWORD")
      const project = yield* Config.String("KEYSTONE_PROJECT")
      const domain = yield* Config.String("KEYSTONE_DOMAIN_ID").pipe(Config.withDefault("default"))
      const [firstKey, ...otherKeys] = yield* tenantKeys

      const tenantPassword = (projectId: string) => passwordOf(firstKey, projectId)

      const login = Effect.fn("Sessions.login")(
        function* (credentials: Login) {
          const user = {
            name: credentials.name,
            domain: { id: domain },
            password: Redacted.value(credentials.password)
          }
          const identity = { methods: ["password"], password: { user } }
          const request = postJson(
            `${catalog.required.identity}/auth/tokens`,
            { auth: { identity, scope: { project: credentials.scope } } },
            { acceptJson: true }
          )
          const { headers, status, text } = yield* exchange(client, loginCall, request)
          // Only an error response's message may be shown. Another response may contain a token's roles and endpoints.
          if (status >= 400) return yield* failed(status, detailOf(status, text))
          const notUnderstood = () => failed(status, `answered ${status} with a body that is not understood`)
          const token = headers["x-subject-token"]
          if (status !== 201 || token === undefined) return yield* notUnderstood()
          const body = yield* Effect.mapError(decodeToken(text), notUnderstood)
          const expiresAt = Date.parse(body.token.expires_at)
          if (Number.isNaN(expiresAt)) return yield* notUnderstood()
          const { project: scope, user: who } = body.token
          // Every request with the session acts in this project, so it has to be the one that was asked for.
          if ("id" in credentials.scope && scope.id !== credentials.scope.id) {
            return yield* failed(status, `answered ${status} with a token for another project`)
          }
          return { userId: who.id, projectId: scope.id, token: Redacted.make(token), expiresAt } satisfies Session
        },
        inTime("keystone", "login")
      )

      const tenantLogin = (projectId: string, key: Redacted.Redacted) =>
        login({ name: tenantUserName(projectId), password: passwordOf(key, projectId), scope: { id: projectId } })

      /** While keys are rotated, some users have the password of another key. */
      const anyTenantLogin = (projectId: string) =>
        otherKeys.reduce(
          (earlier, key) =>
            Effect.catchIf(
              earlier,
              (error) => error.status === 401,
              () => tenantLogin(projectId, key)
            ),
          tenantLogin(projectId, firstKey)
        )

      const loginOf = (key: string) =>
        key === control
          ? login({ name: user, password, scope: { name: project, domain: { id: domain } } })
          : anyTenantLogin(key)

      const cached = new TtlCache<Session>(capacity)
      const cachedLogin = Effect.fnUntraced(function* (key: string) {
        // Failures of the control session are not logged here, because the readiness probes repeat them and log them.
        const session = yield* Effect.tapError(loginOf(key), (error) =>
          key === control
            ? Effect.void
            : Effect.annotateLogs(Effect.logError("Keystone login failed", error.summary), {
                project: key
              })
        )
        const now = clock.currentTimeMillisUnsafe()
        cached.keep(key, session, now + usableFor(session, now))
        return session
      })

      /** Shares one login between concurrent callers, and caches refusals. */
      const logins = yield* Cache.makeWith(cachedLogin, {
        capacity,
        timeToLive: (exit) => (isRefusal(exit) ? refusedFor : Duration.zero)
      })

      const sessionOf = (key: string) => {
        const session = cached.get(key, clock.currentTimeMillisUnsafe())
        return session === undefined ? Cache.get(logins, key) : Effect.succeed(session)
      }
      const controlSession = Effect.suspend(() => sessionOf(control))

      return Sessions.of({
        control: controlSession,
        tenant: sessionOf,
        controlWithin: (projectId) => login({ name: user, password, scope: { id: projectId } }),
        drop: ({ projectId, token }) =>
          Effect.sync(() => {
            const isIt = (held: Session) => Redacted.value(held.token) === Redacted.value(token)
            for (const key of [control, projectId]) cached.forget(key, isIt)
          }),
        tenantPassword,
        hasTenantPassword: (projectId) =>
          tenantLogin(projectId, firstKey).pipe(
            Effect.as(true),
            Effect.catchIf(
              (error) => error.status === 401,
              () => Effect.succeed(false)
            )
          ),
        controlProjectId: Effect.map(controlSession, (_) => _.projectId)
      })
    })
  )
}

interface Login {
  readonly name: string
  readonly password: Redacted.Redacted
  readonly scope: { readonly id: string } | { readonly name: string; readonly domain: { readonly id: string } }
}

/**
 * The suffix satisfies password rules that require mixed classes of characters. The prefix is the version of this
 * derivation.
 */
const passwordOf = (key: Redacted.Redacted, projectId: string): Redacted.Redacted =>
  Redacted.make(`${createHmac("sha256", Redacted.value(key)).update(`v1:${projectId}`).digest("base64url")}.Aa1`)

/** The cache key of the control session. A project id is never empty. */
const control = ""

const loginCall = {
  upstream: "keystone",
  call: "login",
  noAnswer: "no answer",
  brokenOff: "the answer broke off"
}

const decodeToken = Schema.decodeUnknownEffect(
  Schema.fromJsonString(
    Schema.Struct({
      token: Schema.Struct({
        expires_at: Schema.String,
        project: Schema.Struct({ id: Schema.String }),
        user: Schema.Struct({ id: Schema.String })
      })
    })
  )
)

const failed = (status: number, detail: string): UpstreamError =>
  new UpstreamError({ upstream: "keystone", call: "login", status, detail })

/** Milliseconds. */
const usableFor = (session: Session, now: number): number => {
  const life = Math.max(0, session.expiresAt - now)
  return Math.max(0, Math.min(life * share, life - Duration.toMillis(floor)))
}

const isRefusal = (exit: Exit.Exit<Session, UpstreamError>): boolean =>
  Exit.isFailure(exit) && exit.cause.reasons.some((_) => _._tag === "Fail" && _.error.status === 401)

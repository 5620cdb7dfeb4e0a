import { Cache, Clock, Config, Context, Duration, Effect, Exit, Layer, Redacted, Schema } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { createHmac } from "node:crypto"
import { TtlCache } from "../TtlCache.ts"
import { observed, traced } from "../observed.ts"
import { timeLimit } from "../System.ts"
import { UpstreamError } from "../UpstreamError.ts"
import { wordsOf } from "../words.ts"
import { Catalog } from "./Catalog.ts"

/** A Keystone token with the project that it is scoped to. */
export interface Session {
  readonly userId: string
  readonly projectId: string
  readonly token: Redacted.Redacted
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
}

/** How many tenants' tokens are kept at once. */
const capacity = 10_000

/** A refused login is not repeated for this long: Keystone says 401 to a wrong password and to a disabled project alike. */
const refusedFor = Duration.seconds(10)

/** A token is given up after this share of its life, or this long before its end, whichever comes first. */
const share = 0.8
const floor = Duration.minutes(2)

/** The name of the Keystone user that acts for a tenant. */
export const tenantUserName = (projectId: string): string => `gw-${projectId}`

/**
 * The two identities of the gateway. The control session is an administrator,
 * project-scoped: onboarding, quotas, platform callers. A tenant session is
 * `member` on that tenant's project only, and is used for everything that a
 * customer asks of the platform. They are never mixed, because `admin` on any
 * project is admin everywhere and a stamped project header means nothing to a
 * stock service.
 */
export class Sessions extends Context.Service<
  Sessions,
  {
    readonly control: Effect.Effect<Session, UpstreamError>
    tenant(projectId: string): Effect.Effect<Session, UpstreamError>
    /**
     * The control identity inside a tenant's project, where it has to hold its
     * role first: for a service that looks at the token's project alone. New
     * with every call, and kept by nobody.
     */
    controlWithin(projectId: string): Effect.Effect<Session, UpstreamError>
    /** Forgets a session that a service did not accept. A session that replaced it already is kept. */
    drop(session: Session): Effect.Effect<void>
    /** The password of a tenant's user: derived, so nothing is stored. */
    tenantPassword(projectId: string): Redacted.Redacted
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
      const masterKey = yield* Config.Redacted("TENANT_PASSWORD_KEY")

      // The version in front lets a rotated key overlap with its predecessor. The tail
      // satisfies password rules that ask for mixed classes of characters.
      const tenantPassword = (projectId: string) =>
        Redacted.make(
          `${createHmac("sha256", Redacted.value(masterKey)).update(`v1:${projectId}`).digest("base64url")}.Aa1`
        )

      const loginOf = (key: string): Login =>
        key === control
          ? { name: user, password, scope: { name: project, domain: { id: domain } } }
          : { name: tenantUserName(key), password: tenantPassword(key), scope: { id: key } }

      const login = Effect.fn("Sessions.login")(
        function* (credentials: Login) {
          const request = HttpClientRequest.post(`${catalog.required.identity}/auth/tokens`).pipe(
            HttpClientRequest.acceptJson,
            HttpClientRequest.bodyJsonUnsafe({
              auth: {
                identity: {
                  methods: ["password"],
                  password: {
                    user: {
                      name: credentials.name,
                      domain: { id: domain },
                      password: Redacted.value(credentials.password)
                    }
                  }
                },
                scope: { project: credentials.scope }
              }
            })
          )
          const { headers, status, text } = yield* observed(
            { system: "keystone", name: "login", method: request.method },
            Effect.fnUntraced(function* (traceparent) {
              const sent = client.execute(traced(request, traceparent))
              const { headers, status, text } = yield* Effect.mapError(sent, () => failed(null, "no answer"))
              return {
                headers,
                status,
                text: yield* Effect.mapError(text, () => failed(null, "the answer broke off"))
              }
            })
          )
          // Only a refusal has words for others: whatever else came may hold what a token may do, and where.
          if (status >= 400) return yield* failed(status, wordsOf(status, text))
          const notUnderstood = () => failed(status, `answered ${status} with a body that is not understood`)
          const token = headers["x-subject-token"]
          if (status !== 201 || token === undefined) return yield* notUnderstood()
          const body = yield* Effect.mapError(decodeToken(text), notUnderstood)
          const expiresAt = Date.parse(body.token.expires_at)
          if (Number.isNaN(expiresAt)) return yield* notUnderstood()
          const { project: scope, user: who } = body.token
          return { userId: who.id, projectId: scope.id, token: Redacted.make(token), expiresAt } satisfies Session
        },
        Effect.timeoutOrElse({
          duration: timeLimit,
          orElse: () => failed(null, `no answer within ${Duration.format(timeLimit)}`)
        })
      )

      const kept = new TtlCache<Session>(capacity)
      const keptLogin = Effect.fnUntraced(function* (key: string) {
        // The control session is asked for again and again, by the probes of readiness, too, which log its failures.
        const session = yield* Effect.tapError(login(loginOf(key)), (error) =>
          key === control
            ? Effect.void
            : Effect.annotateLogs(Effect.logError("no session: the platform refused the gateway", error.sentence), {
                project: key
              })
        )
        const now = clock.currentTimeMillisUnsafe()
        kept.keep(key, session, now + usefulFor(session, now))
        return session
      })

      /** For those who ask at the same time, and for refusals. */
      const asked = yield* Cache.makeWith(keptLogin, {
        capacity,
        timeToLive: (exit) => (isRefusal(exit) ? refusedFor : Duration.zero)
      })

      const sessionOf = (key: string) => {
        const session = kept.get(key, clock.currentTimeMillisUnsafe())
        return session === undefined ? Cache.get(asked, key) : Effect.succeed(session)
      }
      const controlSession = Effect.suspend(() => sessionOf(control))

      return Sessions.of({
        control: controlSession,
        tenant: sessionOf,
        controlWithin: (projectId) => login({ name: user, password, scope: { id: projectId } }),
        drop: ({ projectId, token }) =>
          Effect.sync(() => {
            const isIt = (held: Session) => Redacted.value(held.token) === Redacted.value(token)
            for (const key of [control, projectId]) kept.forget(key, isIt)
          }),
        tenantPassword,
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

/** The key of the control session; a project id is never empty. */
const control = ""

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

const failed = (status: number | null, words: string): UpstreamError =>
  new UpstreamError({ upstream: "keystone", call: "login", status, words })

/** Milliseconds. */
const usefulFor = (session: Session, now: number): number => {
  const life = Math.max(0, session.expiresAt - now)
  return Math.max(0, Math.min(life * share, life - Duration.toMillis(floor)))
}

const isRefusal = (exit: Exit.Exit<Session, UpstreamError>): boolean =>
  Exit.isFailure(exit) && exit.cause.reasons.some((_) => _._tag === "Fail" && _.error.status === 401)

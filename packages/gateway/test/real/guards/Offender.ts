import { Context, Effect, Layer } from "effect"
import type { Tenant } from "../../harness/Cast.ts"
import { type Answer, type Asked, send } from "../../harness/http.ts"
import { jsonOf } from "../../harness/TestGateway.ts"
import { type Service, urlsOf } from "../Administrator.ts"
import { guest, unique } from "../Guests.ts"
import { person, roles } from "../Person.ts"
import { realCloud } from "../RealGateway.ts"
import { realSettings } from "../told.ts"

/**
 * A tenant, and somebody who is a member of its project without the gateway:
 * what this one can do is what the rules are there for.
 */
export class Offender extends Context.Service<
  Offender,
  {
    readonly tenant: Tenant
    /** Asks a service itself; `path` goes out letter by letter, below the service's version. */
    directly(method: string, service: string, path: string, asked?: Asked): Effect.Effect<Answer>
    /** The JSON of a good answer to the member; any other is a defect. */
    done(
      method: string,
      service: Service,
      path: string,
      body?: object
    ): Effect.Effect<ReturnType<typeof jsonOf> | undefined>
    readonly publicNetworkId: string
  }
>()("portico/gateway/test/real/guards/Offender") {
  static readonly layer = Layer.effect(
    Offender,
    Effect.gen(function* () {
      const tenant = yield* guest("guards", "extension")
      const token = yield* memberOf(tenant.projectId)
      const urls: Readonly<Record<string, string>> = urlsOf(realSettings())
      const directly = Effect.fnUntraced(function* (
        method: string,
        service: string,
        path: string,
        { headers, ...asked }: Asked = {}
      ) {
        const base = new URL(urls[service] ?? service)
        const root = base.pathname === "/" ? "" : base.pathname
        const below = service === "volume" ? `/${tenant.projectId}` : ""
        return yield* send(base.href, method, `${root}${below}${path}`, {
          ...asked,
          headers: { "x-auth-token": token, ...headers }
        }).pipe(Effect.catchDefect(() => Effect.succeed(hungUp)))
      })
      const done = Effect.fnUntraced(function* (method: string, service: Service, path: string, body?: object) {
        const answer = yield* directly(method, service, path, body === undefined ? {} : { body })
        if (answer.status >= 300) return yield* Effect.die(`${method} ${service}${path}: ${answer.text}`)
        return answer.text === "" ? undefined : jsonOf(answer)
      })
      const { networks } = yield* done("GET", "network", "/networks?router:external=true")
      return Offender.of({ tenant, directly, done, publicNetworkId: String(networks[0].id) })
    })
  ).pipe(Layer.provideMerge(realCloud))
}

/** An exception that nobody caught ends a connection without a word. */
const hungUp: Answer = { status: 599, rawHeaders: [], headers: {}, bytes: Buffer.alloc(0), text: "" }

/** The token of a new member of the project, who goes at the end of the scope. */
const memberOf = Effect.fnUntraced(function* (projectId: string) {
  const { id, password } = yield* person(projectId, unique("guards-member"), roles.member)
  const identity = { methods: ["password"], password: { user: { id, password } } }
  const url = urlsOf(realSettings()).identity
  const answer = yield* send(url, "POST", `${new URL(url).pathname}/auth/tokens`, {
    body: { auth: { identity, scope: { project: { id: projectId } } } }
  })
  return answer.headers["x-subject-token"] ?? (yield* Effect.die(`the member cannot log in: ${answer.text}`))
})

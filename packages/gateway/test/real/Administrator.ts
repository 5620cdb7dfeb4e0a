import { Context, Data, Effect, Layer, Schedule } from "effect"
import { type Answer, type Asked, send } from "../http.ts"
import { jsonOf } from "../TestGateway.ts"
import { told } from "./RealGateway.ts"

/** The services by the gateway's words for them, at the versions that its settings name. */
const bases = {
  identity: () => told("REAL_CLOUD_URL_KEYSTONE"),
  compute: () => told("REAL_CLOUD_URL_NOVA"),
  network: () => `${told("REAL_CLOUD_URL_NEUTRON")}/v2.0`,
  volume: () => told("REAL_CLOUD_URL_CINDER"),
  image: () => `${told("REAL_CLOUD_URL_GLANCE")}/v2`,
  "load-balancer": () => `${told("REAL_CLOUD_URL_OCTAVIA")}/v2`,
  dns: () => `${told("REAL_CLOUD_URL_DESIGNATE")}/v2`,
  "key-manager": () => told("REAL_CLOUD_URL_BARBICAN")
} as const
export type Service = keyof typeof bases

/** Somebody who is logged in to a project, without the gateway in between. */
export interface Account {
  readonly projectId: string
  readonly userId: string
  /** @param path below the service's version, and of volume below the project: `/volumes` */
  ask(method: string, service: Service, path: string, asked?: Asked): Effect.Effect<Answer>
  /** The body of a good answer; any other is a defect. */
  read(service: Service, path: string, headers?: Asked["headers"]): Effect.Effect<ReturnType<typeof jsonOf>>
}

/** The administrator of the real cloud, who sees and may do everything, in whichever project. */
export class Administrator extends Context.Service<
  Administrator,
  Account & {
    /** The same person in another project: some services show nothing but the token's own. */
    in(projectId: string): Effect.Effect<Account>
  }
>()("portico/gateway/test/real/Administrator") {
  static readonly layer = Layer.effect(
    Administrator,
    Effect.gen(function* () {
      const project = { name: told("OS_PROJECT_NAME"), domain: { name: told("OS_PROJECT_DOMAIN_NAME") } }
      const home = yield* login({ project })
      const { roles } = yield* home.read("identity", "/roles?name=admin")
      return Administrator.of({
        ...home,
        in: Effect.fnUntraced(function* (projectId) {
          const grant = `/projects/${projectId}/users/${home.userId}/roles/${roles[0].id}`
          yield* home.ask("PUT", "identity", grant)
          return yield* login({ project: { id: projectId } })
        })
      })
    })
  )
}

const login = Effect.fnUntraced(function* (scope: object) {
  const user = {
    name: told("OS_USERNAME"),
    domain: { name: told("OS_USER_DOMAIN_NAME") },
    password: told("OS_PASSWORD")
  }
  const body = { auth: { identity: { methods: ["password"], password: { user } }, scope } }
  const url = bases.identity()
  const answer = yield* send(url, "POST", `${new URL(url).pathname}/auth/tokens`, { body })
  if (answer.status !== 201) return yield* Effect.die(`the administrator cannot log in: ${answer.text}`)
  const { token } = jsonOf(answer)
  const projectId = String(token.project.id)
  const ask: Account["ask"] = (method, service, path, { headers, ...asked } = {}) => {
    const base = new URL(bases[service]())
    const root = base.pathname === "/" ? "" : base.pathname
    return send(base.href, method, `${root}${service === "volume" ? `/${projectId}` : ""}${path}`, {
      ...asked,
      headers: {
        accept: "application/json",
        "x-auth-token": answer.headers["x-subject-token"] ?? "",
        ...headers
      }
    })
  }
  const read: Account["read"] = (service, path, headers) =>
    Effect.flatMap(ask("GET", service, path, headers === undefined ? {} : { headers }), (answer) =>
      answer.status < 300
        ? Effect.succeed(jsonOf(answer))
        : Effect.die(`${service}${path} answered ${answer.status}: ${answer.text}`)
    )
  return { projectId, userId: String(token.user.id), ask, read } satisfies Account
})

class NotYet extends Data.TaggedError("NotYet")<{ readonly last: unknown }> {}

/** Looks every quarter of a second until it is so, half a minute at most. */
export const polled = <A, R>(
  look: Effect.Effect<A, never, R>,
  isSo: (seen: A) => boolean
): Effect.Effect<A, never, R> =>
  look.pipe(
    Effect.flatMap((last) => (isSo(last) ? Effect.succeed(last) : new NotYet({ last }))),
    Effect.retry({ schedule: Schedule.spaced("250 millis"), times: 120 }),
    Effect.catchTag("NotYet", ({ last }) => Effect.die(new Error(`it has not come: ${JSON.stringify(last)}`)))
  )

import { fixtures } from "@portico/simulator/Fixtures"
import { Server } from "@portico/simulator/Server"
import { gatewaySettings } from "@portico/simulator/settings"
import { Context, Data, Effect, Layer, Schedule } from "effect"
import { type Answer, type Asked, send } from "../harness/http.ts"
import { jsonOf } from "../harness/TestGateway.ts"
import { realSettings, told } from "./told.ts"

/** The services by the gateway's words for them. */
export type Service = "identity" | "compute" | "network" | "volume" | "image" | "load-balancer" | "dns" | "key-manager"

/** A cloud and its administrator: where its services are, at the versions that the gateway's settings name. */
interface Cloud {
  readonly urls: Readonly<Record<Service, string>>
  readonly user: string
  readonly password: string
  readonly project: string
  /** Names of domains. */
  readonly userDomain: string
  readonly projectDomain: string
  /** The names of what servers are made of. */
  readonly image: string
  readonly flavor: string
}

const realCloud = (): Cloud => ({
  urls: urlsOf(realSettings()),
  user: told("OS_USERNAME"),
  password: told("OS_PASSWORD"),
  project: told("OS_PROJECT_NAME"),
  userDomain: told("OS_USER_DOMAIN_NAME"),
  projectDomain: told("OS_PROJECT_DOMAIN_NAME"),
  image: told("REAL_CLOUD_IMAGE"),
  flavor: told("REAL_CLOUD_FLAVOR")
})

const simulatedCloud = (url: string): Cloud => ({
  urls: urlsOf(gatewaySettings(url)),
  user: fixtures.control.name,
  password: fixtures.control.password,
  project: "admin",
  userDomain: "Default",
  projectDomain: "Default",
  image: "debian-13",
  flavor: "m1.small"
})

/** Where the gateway's settings say that the services are. */
export const urlsOf = (settings: Readonly<Record<string, string>>): Cloud["urls"] => {
  const of = (name: string) => settings[`IAAS_${name}_URL`] ?? ""
  return {
    identity: of("IDENTITY"),
    compute: of("COMPUTE"),
    network: of("NETWORK"),
    volume: of("VOLUME"),
    image: of("IMAGE"),
    "load-balancer": of("LOAD_BALANCER"),
    dns: of("DNS"),
    "key-manager": of("KEY_MANAGER")
  }
}

/** Somebody who is logged in to a project, without the gateway in between. */
export interface Account {
  readonly projectId: string
  readonly userId: string
  /** @param path below the service's version, and of volume below the project: `/volumes` */
  ask(method: string, service: Service, path: string, asked?: Asked): Effect.Effect<Answer>
  /** The body of a good answer; any other is a defect. */
  read(service: Service, path: string, headers?: Asked["headers"]): Effect.Effect<ReturnType<typeof jsonOf>>
}

/** The administrator of a cloud, who sees and may do everything, in whichever project. */
export class Administrator extends Context.Service<
  Administrator,
  Account & {
    /** The same person in another project: some services show nothing but the token's own. */
    in(projectId: string): Effect.Effect<Account>
    /** The names of what servers are made of. */
    readonly image: string
    readonly flavor: string
  }
>()("portico/gateway/test/real/Administrator") {
  static readonly layer = Layer.effect(
    Administrator,
    Effect.suspend(() => administratorOf(realCloud()))
  )

  /** Of the simulated cloud. */
  static readonly simulated = Layer.effect(
    Administrator,
    Effect.flatMap(Server, ({ url }) => administratorOf(simulatedCloud(url)))
  )
}

const administratorOf = Effect.fnUntraced(function* (cloud: Cloud) {
  const home = yield* login(cloud, { project: { name: cloud.project, domain: { name: cloud.projectDomain } } })
  const { roles } = yield* home.read("identity", "/roles?name=admin")
  return Administrator.of({
    ...home,
    image: cloud.image,
    flavor: cloud.flavor,
    in: Effect.fnUntraced(function* (projectId) {
      const grant = `/projects/${projectId}/users/${home.userId}/roles/${roles[0].id}`
      yield* home.ask("PUT", "identity", grant)
      return yield* login(cloud, { project: { id: projectId } })
    })
  })
})

const login = Effect.fnUntraced(function* (cloud: Cloud, scope: object) {
  const user = { name: cloud.user, domain: { name: cloud.userDomain }, password: cloud.password }
  const body = { auth: { identity: { methods: ["password"], password: { user } }, scope } }
  const url = cloud.urls.identity
  const issued = Effect.gen(function* () {
    const answer = yield* send(url, "POST", `${new URL(url).pathname}/auth/tokens`, { body })
    if (answer.status !== 201) return yield* Effect.die(`the administrator cannot log in: ${answer.text}`)
    return { text: answer.headers["x-subject-token"] ?? "", ...jsonOf(answer) }
  })
  const { text, token } = yield* issued
  let current = text
  const projectId = String(token.project.id)
  const ask: Account["ask"] = (method, service, path, { headers, ...asked } = {}) => {
    const base = new URL(cloud.urls[service])
    const root = base.pathname === "/" ? "" : base.pathname
    const sent = Effect.suspend(() =>
      send(base.href, method, `${root}${service === "volume" ? `/${projectId}` : ""}${path}`, {
        ...asked,
        headers: { accept: "application/json", "x-auth-token": current, ...headers }
      })
    )
    // A suite may run for longer than a token.
    const renewed = Effect.tap(issued, ({ text }) => Effect.sync(() => (current = text)))
    return Effect.flatMap(sent, (answer) =>
      answer.status === 401 ? Effect.andThen(renewed, sent) : Effect.succeed(answer)
    )
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

/** Looks every quarter of a second until it is so, ten minutes at most. */
export const polled = <A, R>(
  look: Effect.Effect<A, never, R>,
  isSo: (seen: A) => boolean
): Effect.Effect<A, never, R> =>
  look.pipe(
    Effect.flatMap((last) => (isSo(last) ? Effect.succeed(last) : new NotYet({ last }))),
    Effect.retry({ schedule: Schedule.spaced("250 millis"), times: 2400 }),
    Effect.catchTag("NotYet", ({ last }) => Effect.die(new Error(`it has not come: ${JSON.stringify(last)}`)))
  )

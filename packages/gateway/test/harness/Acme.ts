import { fixtures } from "@portico/simulator/Fixtures"
import { Server } from "@portico/simulator/Server"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Sessions } from "@portico/upstream/openstack/Sessions"
import { Context, Effect, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { type Tenant, tenant } from "./Cast.ts"
import type { Answer } from "./http.ts"
import { Logs } from "./Logs.ts"
import { TestGateway } from "./TestGateway.ts"

/** The gateway uses a token until two minutes before its end: for one minute. */
export const tokenSeconds = 180

/** The only tenant of a gateway. */
export class Acme extends Context.Service<Acme, Tenant>()("portico/gateway/test/Acme") {
  static readonly layer = Layer.effect(
    Acme,
    Effect.gen(function* () {
      ;(yield* SimulatedCloud).world.keystone.tokenSeconds = tokenSeconds
      return yield* tenant("Acme")
    })
  )
}

/** A gateway on the test clock in front of a simulated cloud, with one tenant, and with its log. */
export const AcmeAlone = Acme.layer.pipe(Layer.provideMerge(TestGateway.layer), Layer.provideMerge(Logs.layer))

/** A way to call a platform service, and how that takes it. */
export interface Ask {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly body?: object
  /** The service's answer when nothing goes wrong. */
  readonly status: number
  readonly upstream: { readonly service: "barbican" | "glance"; readonly path: string }
  /** Whether the body passes while it comes, so that it cannot be sent again. */
  readonly streamed?: boolean
}

const secrets = {
  path: "/v1/iaas/key-manager/v1/secrets",
  upstream: { service: "barbican", path: "/v1/secrets" }
} as const

export const read: Ask = { ...secrets, name: "GET", method: "GET", status: 200 }

export const asks: ReadonlyArray<Ask> = [
  read,
  { ...secrets, name: "GET with a body", method: "GET", body: { odd: true }, status: 200, streamed: true },
  // Barbican wants one, and says so.
  { ...secrets, name: "POST", method: "POST", status: 415 },
  { ...secrets, name: "POST with a body", method: "POST", body: { name: "a" }, status: 201, streamed: true },
  {
    name: "POST with a body that a rule reads",
    method: "POST",
    path: "/v1/iaas/image/images",
    body: { name: "a", disk_format: "raw", container_format: "bare" },
    status: 201,
    upstream: { service: "glance", path: "/v2/images" }
  }
]

/** One call of the tenant. */
export const asked = Effect.fnUntraced(function* ({ body, method, path }: Ask) {
  const { tokens } = yield* Acme
  return yield* (yield* TestGateway).call("customer", method, path, { token: tokens[2], body })
})

/**
 * Whatever the gateway remembers is forgotten: tokens, who holds them, and the platform's tokens. None of it for more
 * than a minute, because each second of the clock wakes what the gateway repeats every second.
 */
export const cold = Effect.andThen(
  TestClock.adjust("61 seconds"),
  Effect.flatMap(SimulatedCloud, (_) => _.clearCalls)
)

/** What the cloud was asked, in the order of arrival. */
export const calls = Effect.map(
  Effect.flatMap(SimulatedCloud, (_) => _.calls),
  (all) => all.map(({ method, path, service }) => `${service} ${method} ${path}`)
)

/** Everything that neither an answer nor the log may hold: every secret, and where and who the upstreams' parties are. */
export const internals = Effect.gen(function* () {
  const { projectId, tokens } = yield* Acme
  const { keystone } = (yield* SimulatedCloud).world
  const password = (yield* Sessions).tenantPassword(projectId)
  const { clientId, clientSecret } = fixtures.idp.introspection
  return [
    ...tokens,
    ...Object.keys(keystone.tokens),
    Redacted.value(password),
    fixtures.control.password,
    clientSecret,
    encodeURIComponent(clientSecret),
    Buffer.from(`${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`).toString("base64"),
    fixtures.idp.serviceToken,
    new URL((yield* Server).url).host,
    "internal:",
    `gw-${projectId}`
  ]
})

/** Those that stand in an answer, or in the log. */
export const leaked = Effect.fnUntraced(function* (answers: ReadonlyArray<Answer>) {
  const told = [...answers.flatMap((_) => [..._.rawHeaders, _.text]), ...(yield* (yield* Logs).lines)].join("\n")
  return (yield* internals).filter((_) => told.includes(_))
})

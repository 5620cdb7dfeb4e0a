import { Config, Context, Effect, Layer, Redacted, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import { Billing } from "./billing/Billing.ts"
import { kinds } from "./kubernetes/kinds.ts"
import { Kubernetes } from "./kubernetes/Kubernetes.ts"
import { Catalog } from "./openstack/Catalog.ts"
import { underSession } from "./openstack/openstack.ts"
import { Sessions } from "./openstack/Sessions.ts"
import { Prometheus } from "./prometheus/Prometheus.ts"
import { selector } from "./prometheus/promql.ts"
import { serviceSeries } from "./prometheus/recorded.ts"
import { adminOf } from "./rgw/admin.ts"
import { AnswerLimit, type System } from "./System.ts"
import type { UpstreamError } from "./UpstreamError.ts"
import { management } from "./zitadel/management.ts"
import { Zitadel } from "./zitadel/Zitadel.ts"

/** A read that shows whether the gateway can use a system with one of its identities. */
export interface Probe {
  /** The settings with the credentials that the system rejects when it answers 401 or 403. */
  readonly credentials: ReadonlyArray<string>
  readonly read: Effect.Effect<unknown, UpstreamError>
}

/** One upstream, by its component name in readiness. */
export interface Probed {
  readonly component: string
  /** The component is ready when all probes succeed. */
  readonly probes: ReadonlyArray<Probe>
}

/** The available share of each service, from 0 to 1, or null. Undefined when the monitoring cannot be read. */
export type Availability = ReadonlyMap<string, number | null> | undefined

/**
 * The readiness probes of the upstreams. Each makes one or two reads with the
 * gateway's own client and credentials. The caller decides when they run.
 */
export class Probes extends Context.Service<
  Probes,
  {
    readonly systems: ReadonlyArray<Probed>
    /** The components that this cloud lacks. */
    readonly absent: ReadonlyArray<string>
    /** The result of the last read of the monitoring. */
    availability(): Availability
  }
>()("portico/upstream/Probes") {
  static readonly layer = Layer.effect(
    Probes,
    Effect.gen(function* () {
      const platform = yield* platformProbes
      const monitoring = yield* monitoringProbes
      const found = [
        ...platform,
        yield* objectStorage,
        yield* identityProvider,
        ["kubernetes", yield* cluster] as const,
        ["billing", yield* billing] as const,
        ["monitoring", monitoring.probes] as const
      ]
      return Probes.of({
        systems: found.flatMap(([component, probes]) =>
          probes === undefined ? [] : [{ component, probes: probes.map(withAnswerLimit) }]
        ),
        absent: found.flatMap(([component, probes]) => (probes === undefined ? [component] : [])),
        availability: monitoring.availability
      })
    })
  )
}

/** Probes run often and their responses are short, so a smaller limit applies. */
const withAnswerLimit = (probe: Probe): Probe => ({
  ...probe,
  read: Effect.provideService(probe.read, AnswerLimit, 1024 * 1024)
})

type Found = readonly [component: string, probes: ReadonlyArray<Probe> | undefined]

const control = ["KEYSTONE_USER", "KEYSTONE_PASSWORD", "KEYSTONE_PROJECT", "KEYSTONE_DOMAIN_ID"]

const get = (path: string, urlParams: Readonly<Record<string, string>> = {}) =>
  HttpClientRequest.get(path, { urlParams })

/** The platform's services under the control identity. The paths name the control identity's own project. */
const platformProbes = Effect.gen(function* () {
  const catalog = yield* Catalog
  const sessions = yield* Sessions
  const project = yield* Config.String("KEYSTONE_PROJECT")
  const domain = yield* Config.String("KEYSTONE_DOMAIN_ID").pipe(Config.withDefault("default"))
  const own = Effect.map(sessions.controlProjectId, encodeURIComponent)
  const quotaSet = Effect.map(own, (_) => get(`/os-quota-sets/${_}`))

  const reads: Readonly<Record<string, readonly [upstream: string, Effect.Effect<Request, UpstreamError>]>> = {
    identity: ["keystone", Effect.succeed(get("/projects", { name: project, domain_id: domain }))],
    compute: ["nova", quotaSet],
    network: ["neutron", Effect.succeed(get("/networks", { "router:external": "true", fields: "id" }))],
    volume: ["cinder", Effect.map(own, (_) => get(`/${_}/os-quota-sets/${_}`))],
    image: ["glance", Effect.succeed(get("/images", { limit: "1" }))],
    "load-balancer": ["octavia", Effect.map(own, (_) => get(`/lbaas/quotas/${_}`))],
    dns: ["designate", Effect.succeed(get("/zones", { limit: "1" }))],
    "key-manager": ["barbican", Effect.succeed(get("/v1/secrets", { limit: "1" }))]
  }
  const under = yield* underSession
  return Object.entries(reads).map(([component, [upstream, request]]): Found => {
    const url = catalog.find(component)
    if (url === undefined) return [component, undefined]
    const system = under({ upstream, url, session: sessions.control })
    const read = Effect.flatMap(request, (_) => readOnce(system, _))
    return [component, [{ credentials: control, read }]]
  })
})

type Request = HttpClientRequest.HttpClientRequest

/** Reads without retries: the next probe is the retry. */
const readOnce = (system: System, request: Request) => system.write("probe", request, Schema.Unknown)

/** Reads a user that does not exist. RGW answers NoSuchUser only to a key that may read users. */
const objectStorage = Effect.gen(function* () {
  const { get, system, uid } = yield* adminOf
  const read = Effect.catchIf(
    readOnce(system, get({ uid: uid("portico-probe") })),
    (error) => error.status === 404 && error.detail.includes("NoSuchUser"),
    () => Effect.void
  )
  return ["object-storage", [{ credentials: ["RGW_ACCESS_KEY", "RGW_SECRET_KEY"], read }]] satisfies Found
})

/**
 * Two probes: a read of a user that does not exist, with the service user's
 * token, and the introspection of an invalid token, with the introspection
 * client's secret.
 */
const identityProvider = Effect.gen(function* () {
  const system = yield* management
  const zitadel = yield* Zitadel
  const user = Effect.catchIf(
    readOnce(system, get("/users/portico-probe")),
    (error) => error.status === 404,
    () => Effect.void
  )
  return [
    "identity-provider",
    [
      { credentials: ["ZITADEL_SERVICE_TOKEN", "ZITADEL_ORG_ID"], read: user },
      {
        credentials: ["INTROSPECTION_CLIENT_ID", "INTROSPECTION_CLIENT_SECRET"],
        read: zitadel.introspect(Redacted.make("portico-probe"))
      }
    ]
  ] satisfies Found
})

const cluster = Effect.map(Kubernetes, ({ find, present }): ReadonlyArray<Probe> | undefined =>
  present
    ? [
        {
          credentials: ["KUBERNETES_TOKEN", "KUBERNETES_TOKEN_FILE"],
          read: find(kinds.namespace, { name: "kube-system" })
        }
      ]
    : undefined
)

const billing = Effect.map(Billing, ({ api }): ReadonlyArray<Probe> | undefined =>
  api === undefined
    ? undefined
    : [{ credentials: ["BILLING_TOKEN"], read: api.budgets("all", { limit: 1, after: undefined }) }]
)

/** The probe also keeps what it reads: the available share of each service. */
const monitoringProbes = Effect.map(Prometheus, ({ api }) => {
  if (api === undefined) return { probes: undefined, availability: (): Availability => new Map() }
  let last: Availability
  const read = api.query("read services", `min by (service) (${selector(serviceSeries)})`).pipe(
    Effect.map((samples) => new Map(samples.map(({ labels, value }) => [labels["service"] ?? "", value]))),
    // Runs on an interruption by a time-out too.
    Effect.onExit((exit) => Effect.sync(() => (last = exit._tag === "Success" ? exit.value : undefined)))
  )
  return { probes: [{ credentials: ["MONITORING_TOKEN"], read }], availability: (): Availability => last }
})

import { PorticoError } from "@portico/client/PorticoError"
import type { PorticoOperator } from "@portico/client/operator"
import type { EngineInit } from "@portico/client/engine/engine"
import type { Readiness } from "@portico/contract/Health"
import { Effect } from "effect"
import type { CliFailure } from "../../CliFailure.ts"
import { harmless } from "../../output/sanitize.ts"
import type { Portico } from "../../Portico.ts"
import { type Check, failed, type Finding, ok, skipped, warning } from "./Check.ts"
import { type Gateway, once } from "./gateway.ts"

type Component = NonNullable<Readiness["components"]>[string]

/** A read that the gateway passes to a system with its own credentials or the administrator's. */
interface Read {
  /** What is read, as a person can repeat it. */
  readonly path: string
  readonly run: (client: PorticoOperator, signal: AbortSignal) => Promise<void>
}

const bodyOf = (text: string): string => text.replaceAll(/\s+/g, " ").slice(0, 200)

/** Through the proxies for administrators: the answer is the system's own. */
const forwarded = (path: string): Read => ({
  path,
  run: async (client, signal) => {
    const init: EngineInit = { signal, ...once }
    const answer = await client.fetch(path, init)
    const text = await answer.text()
    if (answer.ok) return
    const { headers, status } = answer
    const detail = `${path} answers ${status}: ${bodyOf(text)}`
    throw new PorticoError("upstream_failed", { detail, status, requestId: headers.get("x-request-id") ?? undefined })
  }
})

const operation = (
  path: string,
  call: (client: PorticoOperator, options: { readonly signal: AbortSignal }) => Promise<unknown>
): Read => ({
  path,
  run: async (client, signal) => {
    await call(client, { signal, ...once })
  }
})

/** The quotas of the oldest tenant are read with the credentials for the object gateway. */
const objectStorage: Read = {
  path: "/v1/tenants/drift?limit=1",
  run: async (client, signal) => {
    const { tenants } = await client.drift.show({ limit: 1 }, { signal, ...once })
    const unread = tenants.flatMap((_) => _.dimensions).find((_) => _.service === "rgw" && _.state === "unreadable")
    if (unread === undefined) return
    throw new PorticoError("upstream_failed", { detail: unread.message ?? "The quotas cannot be read", status: 502 })
  }
}

interface Upstream {
  /** Its name in /health/ready. */
  readonly component: string
  readonly words: string
  /** Absent where no route of the API reads it: then the gateway's own probe speaks. */
  readonly read?: Read
  /** The gateway's settings that hold its credentials. */
  readonly settings: string
}

const keystone = "KEYSTONE_USER, KEYSTONE_PASSWORD and KEYSTONE_PROJECT"

/** Every system behind the gateway, with a read that makes it answer now. */
export const upstreams: ReadonlyArray<Upstream> = [
  {
    component: "database",
    words: "PostgreSQL",
    read: operation("/v1/tenants?limit=1", (_, options) => _.tenants.list({ limit: 1 }, options)),
    settings: "DATABASE_URL"
  },
  { component: "identity-provider", words: "Zitadel", settings: "ZITADEL_* and INTROSPECTION_*" },
  {
    component: "identity",
    words: "Keystone",
    read: forwarded("/v1/iaas/identity/projects?limit=1"),
    settings: keystone
  },
  { component: "compute", words: "Nova", read: forwarded("/v1/iaas/compute/flavors?limit=1"), settings: keystone },
  { component: "network", words: "Neutron", read: forwarded("/v1/iaas/network/networks?limit=1"), settings: keystone },
  { component: "volume", words: "Cinder", read: forwarded("/v1/iaas/volume/types?limit=1"), settings: keystone },
  { component: "image", words: "Glance", read: forwarded("/v1/iaas/image/images?limit=1"), settings: keystone },
  {
    component: "load-balancer",
    words: "Octavia",
    read: forwarded("/v1/iaas/load-balancer/lbaas/loadbalancers?limit=1"),
    settings: keystone
  },
  { component: "dns", words: "Designate", read: forwarded("/v1/iaas/dns/zones?limit=1"), settings: keystone },
  {
    component: "key-manager",
    words: "Barbican",
    read: forwarded("/v1/iaas/key-manager/v1/containers?limit=1"),
    settings: keystone
  },
  {
    component: "object-storage",
    words: "Ceph RGW",
    read: objectStorage,
    settings: "RGW_ACCESS_KEY and RGW_SECRET_KEY"
  },
  {
    component: "kubernetes",
    words: "the cluster",
    // Every user of a cluster may read it. What administrators may beyond that is the operator's to bind.
    read: forwarded("/v1/kubernetes/version"),
    settings: "KUBERNETES_TOKEN or KUBERNETES_TOKEN_FILE"
  },
  {
    component: "billing",
    words: "the billing service",
    read: operation("/v1/budgets?limit=1", (_, options) => _.money.budgets({ limit: 1 }, options)),
    settings: "BILLING_TOKEN"
  },
  {
    component: "monitoring",
    words: "Prometheus",
    read: operation("/v1/monitoring/fleet", (_, options) => _.monitoring.fleet({}, options)),
    settings: "MONITORING_TOKEN"
  },
  { component: "bus", words: "Kafka", settings: "KAFKA_USERNAME and KAFKA_PASSWORD" },
  { component: "rate-limits", words: "Redis", settings: "REDIS_URL" },
  { component: "background", words: "jobs of this replica", settings: "" }
]

const fixOf = ({ component, settings, words }: Upstream, state: Component["state"] | undefined): string => {
  if (state === "unauthorized") return `It refuses the gateway's credentials: check ${settings} of the gateway`
  if (component === "background") return "The gateway's log says which job fails"
  return `Check that ${words} works and that the gateway reaches it; its log has the reason`
}

/** What the gateway's background probes last found. */
const probed = (upstream: Upstream, component: Component): Finding => {
  const { message, state, warnings } = component
  const words = `${upstream.words}: the gateway's probe says ${state}${message === null ? "" : `: ${harmless(message)}`}`
  if (state === "ok") {
    return warnings.length === 0 ? ok(words) : warning(`${words}. ${harmless(warnings.join(". "))}`)
  }
  if (state === "down" || state === "unauthorized") return failed(words, fixOf(upstream, state))
  return warning(words, state === "unknown" ? "It was not looked at yet: try again" : fixOf(upstream, state))
}

const judged = (
  upstream: Upstream,
  component: Component | undefined,
  { use }: Portico
): Effect.Effect<Finding, PorticoError | CliFailure> => {
  const { read } = upstream
  if (component?.state === "not configured")
    return Effect.succeed(skipped(`${upstream.words}: this cloud does not have it`))
  if (read === undefined) {
    return Effect.succeed(
      component === undefined ? skipped(`${upstream.words}: not configured`) : probed(upstream, component)
    )
  }
  return use(read.run).pipe(
    Effect.match({
      onFailure: (error) => failed(`${upstream.words}: ${harmless(error.detail)}`, fixOf(upstream, component?.state)),
      onSuccess: () => {
        const words = `${upstream.words} answers GET ${read.path}`
        if (component === undefined || component.state === "ok") {
          const warnings = component?.warnings ?? []
          return warnings.length === 0 ? ok(words) : warning(`${words}. ${harmless(warnings.join(". "))}`)
        }
        return {
          ...probed(upstream, component),
          state: "warning" as const,
          detail: `${words}; ${probed(upstream, component).detail}`
        }
      }
    })
  )
}

/** The checks of the systems behind an operator plane; for other callers one line that says why they are not asked. */
export const upstreamChecks = (gateway: Gateway): Effect.Effect<ReadonlyArray<Check<never>>> =>
  Effect.gen(function* () {
    const ready = yield* Effect.option(gateway.ready)
    const whoami = yield* Effect.option(gateway.whoami)
    const components = ready._tag === "Some" ? ready.value.components : undefined
    if (ready._tag === "Some" && components === undefined)
      return [passed("This is the customer plane; 'portico status' says how its services are")]
    if (whoami._tag === "Some" && !whoami.value.all_projects) {
      return [passed("Only a platform administrator reads them; 'portico status' says how the services are")]
    }
    if (ready._tag === "None") return [passed("Not asked: the gateway does not say what it has")]
    return upstreams.map((upstream): Check<never> => {
      const component = components?.[upstream.component]
      const run =
        whoami._tag === "Some"
          ? Effect.flatMap(gateway.portico, (_) => judged(upstream, component, _))
          : Effect.succeed(component === undefined ? skipped("Not configured") : probed(upstream, component))
      return { name: upstream.component, run }
    })
  })

const passed = (detail: string): Check<never> => ({ name: "upstreams", run: Effect.succeed(skipped(detail)) })

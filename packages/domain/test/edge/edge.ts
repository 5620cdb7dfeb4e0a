import type { ExposureCreate } from "@portico/contract/Edge"
import { createExposure } from "@portico/domain/edge/create"
import { ensureNamespace } from "@portico/domain/kubernetes/ensureNamespace"
import { publish } from "@portico/simulator/dns/state"
import { fixtures } from "@portico/simulator/Fixtures"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect, Predicate } from "effect"
import { everything } from "@portico/testing/cloud/cleanSlate"
import { inTime } from "@portico/testing/clock"
import { kube } from "../workloadIdentity/cluster.ts"
import { tenantOf } from "@portico/testing/tenants/tenant"

/** The namespace of the Gateway, and of the routes. */
export const edgeNamespace = fixtures.edge.namespace

const routes = "httproutes.gateway.networking.k8s.io"

/** Gives the project a floating IP. */
export const floatingIp = Effect.fnUntraced(function* (projectId: string, address: string) {
  const { world } = yield* SimulatedCloud
  world.neutron.floatingips[address] = {
    id: address,
    project_id: projectId,
    name: "",
    description: "",
    tags: [],
    created_at: "2026-01-01T00:00:00Z",
    updated_at: "2026-01-01T00:00:00Z",
    revision_number: 1,
    floating_network_id: fixtures.externalNetworkId,
    floating_ip_address: address,
    fixed_ip_address: null,
    port_id: null,
    router_id: null
  }
})

/** Somebody lets it go. */
export const release = Effect.fnUntraced(function* (address: string) {
  const { world } = yield* SimulatedCloud
  delete world.neutron.floatingips[address]
})

export const ownIp = "203.0.113.200"
export const otherIp = "203.0.113.201"

/** Two tenants, each with a floating IP; acme's namespace has a Service too. */
export const acmeAndGlobex = Effect.gen(function* () {
  const acme = yield* tenantOf("standard")
  const globex = yield* tenantOf("standard", "Globex")
  yield* floatingIp(acme, ownIp)
  yield* floatingIp(globex, otherIp)
  yield* inTime(ensureNamespace(acme, "standard"))
  yield* kube("POST", `/api/v1/namespaces/db-${acme}/services`, {
    metadata: { name: "web" },
    spec: { selector: { app: "web" }, ports: [{ port: 80 }] }
  })
  return { acme, globex }
})

export const atAddress: ExposureCreate = { name: "shop", target: { address: ownIp, port: 8080 } }
export const atService: ExposureCreate = { name: "web", target: { service: "web", port: 80 } }
export const withDomain: ExposureCreate = { ...atAddress, domain: "shop.example" }

export const exposed = (projectId: string, request: ExposureCreate) => inTime(createExposure(projectId, request))

/** What the edge serves: the names of each route, and what it leads to. */
export const served = Effect.map(SimulatedCloud, ({ world }) =>
  Object.values(world.kubernetes.objects[routes] ?? {}).map((route) => {
    const spec = Predicate.isObject(route["spec"]) ? route["spec"] : {}
    return { name: route.metadata.name, namespace: route.metadata.namespace, hostnames: spec["hostnames"], spec }
  })
)

/** The names under which anything is served, in order. */
export const servedNames = Effect.map(served, (all) => all.flatMap((_) => _.hostnames).toSorted())

/** Every object that an exposure has anywhere, by its kind. */
export const objectsOf = Effect.fnUntraced(function* (exposureId: string) {
  const { world } = yield* SimulatedCloud
  return Object.entries(world.kubernetes.objects)
    .flatMap(([resource, all]) =>
      Object.values(all)
        .filter((_) => _.metadata.labels?.["portico/exposure-id"] === exposureId)
        .map((_) => `${resource} ${_.metadata.namespace}`)
    )
    .toSorted()
})

/** All that exists, but for what the Gateway counts and keeps of its own routes. */
export const everythingElse = Effect.map(everything, ({ cloud, tables }) => ({
  cloud: Object.fromEntries(Object.entries(cloud).filter(([kind]) => !kind.includes("gateways."))),
  tables
}))

/** Publishes TXT records at the domain's challenge, in place of those that are there. */
export const publishes = Effect.fnUntraced(function* (domain: string, ...values: ReadonlyArray<string>) {
  const { world } = yield* SimulatedCloud
  publish(
    world.dns,
    `_ig1-challenge.${domain}`,
    "TXT",
    values.map((_) => `"${_}"`)
  )
})

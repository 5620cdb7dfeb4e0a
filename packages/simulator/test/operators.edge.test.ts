import { assert, it } from "@effect/vitest"
import { fixtures } from "@portico/simulator/Fixtures"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { kube, patch } from "./kube.ts"

const Memory = SimulatedCloud.layerMemory

const { gateway, gatewayClass, namespace } = fixtures.edge
const api = "/apis/gateway.networking.k8s.io/v1"
const routes = (of: string = namespace) => `${api}/namespaces/${of}/httproutes`

interface Condition {
  readonly type: string
  readonly status: string
  readonly reason: string
  readonly observedGeneration: number
}

const makeService = (name: string, of: string = namespace) =>
  kube("POST", `/api/v1/namespaces/${of}/services`, {
    json: { metadata: { name }, spec: { ports: [{ port: 80 }] } }
  })

const makeRoute = (name: string, spec: Readonly<Record<string, unknown>> = {}, of: string = namespace) =>
  kube("POST", routes(of), {
    json: {
      apiVersion: "gateway.networking.k8s.io/v1",
      kind: "HTTPRoute",
      metadata: { name },
      spec: {
        parentRefs: [{ name: gateway, namespace }],
        hostnames: ["shop.example.org"],
        rules: [{ backendRefs: [{ name: "shop", port: 80 }] }],
        ...spec
      }
    }
  })

/** What the gateway makes of a route, as `type status reason`. */
const verdict = (name: string, of: string = namespace) =>
  Effect.map(kube("GET", `${routes(of)}/${name}`), (_): ReadonlyArray<string> =>
    (_.json.status?.parents ?? []).flatMap((parent: { readonly conditions: ReadonlyArray<Condition> }) =>
      parent.conditions.map((condition) => `${condition.type} ${condition.status} ${condition.reason}`)
    )
  )

const good = ["Accepted True Accepted", "ResolvedRefs True ResolvedRefs"]

it.effect("there is one gateway from the start, in a class of its own, and it is programmed", () =>
  Effect.gen(function* () {
    const found = (yield* kube("GET", `${api}/namespaces/${namespace}/gateways/${gateway}`)).json
    assert.strictEqual(found.spec.gatewayClassName, gatewayClass)
    assert.deepStrictEqual(
      found.status.conditions.map((_: Condition) => `${_.type} ${_.status}`),
      ["Accepted True", "Programmed True"]
    )
    const { conditions } = (yield* kube("GET", `${api}/gatewayclasses/${gatewayClass}`)).json.status
    assert.deepInclude(conditions[0], { type: "Accepted", status: "True" })
    // The controller finds nothing to change about it.
    yield* TestClock.adjust("1 minute")
    const later = (yield* kube("GET", `${api}/namespaces/${namespace}/gateways/${gateway}`)).json
    assert.strictEqual(later.metadata.resourceVersion, found.metadata.resourceVersion)
  }).pipe(Effect.provide(Memory))
)

it.effect("a route is accepted a moment after its creation, and again after each change", () =>
  Effect.gen(function* () {
    yield* makeService("shop")
    const made = yield* makeRoute("shop")
    assert.deepStrictEqual([made.status, made.json.status], [201, undefined])
    assert.deepStrictEqual(made.json.spec.parentRefs[0], {
      group: "gateway.networking.k8s.io",
      kind: "Gateway",
      name: gateway,
      namespace
    })
    yield* TestClock.adjust("999 millis")
    assert.deepStrictEqual(yield* verdict("shop"), [])
    yield* TestClock.adjust("1 millis")
    assert.deepStrictEqual(yield* verdict("shop"), good)
    const generations = Effect.map(kube("GET", `${routes()}/shop`), (_) =>
      _.json.status.parents[0].conditions.map((condition: Condition) => condition.observedGeneration)
    )
    yield* patch(`${routes()}/shop`, "merge", { spec: { hostnames: ["www.example.org"] } })
    assert.deepStrictEqual(yield* generations, [1, 1])
    yield* TestClock.adjust("1 second")
    assert.deepStrictEqual(yield* generations, [2, 2])
    yield* TestClock.adjust("1 second")
    const listeners = (yield* kube("GET", `${api}/namespaces/${namespace}/gateways/${gateway}`)).json.status.listeners
    assert.deepStrictEqual(
      listeners.map((_: { readonly name: string; readonly attachedRoutes: number }) => [_.name, _.attachedRoutes]),
      [
        ["http", 1],
        ["https", 1]
      ]
    )
  }).pipe(Effect.provide(Memory))
)

it.effect.each([
  {
    what: "a missing listener",
    spec: { parentRefs: [{ name: gateway, sectionName: "tcp" }] },
    reason: "NoMatchingParent"
  },
  {
    what: "a port without a listener",
    spec: { parentRefs: [{ name: gateway, port: 8080 }] },
    reason: "NoMatchingParent"
  }
])("a route to $what is not accepted", ({ reason, spec }) =>
  Effect.gen(function* () {
    yield* makeService("shop")
    yield* makeRoute("shop", spec)
    yield* TestClock.adjust("1 second")
    assert.strictEqual((yield* verdict("shop"))[0], `Accepted False ${reason}`)
  }).pipe(Effect.provide(Memory))
)

it.effect("a missing gateway reports nothing about the routes that name it", () =>
  Effect.gen(function* () {
    yield* makeRoute("lost", { parentRefs: [{ name: "absent" }] })
    yield* TestClock.adjust("1 minute")
    assert.deepStrictEqual(yield* verdict("lost"), [])
  }).pipe(Effect.provide(Memory))
)

const makeNamespace = (name: string, labels: Readonly<Record<string, string>> = {}) =>
  kube("POST", "/api/v1/namespaces", { json: { metadata: { name, labels } } })

const open = (allowedRoutes: unknown, hostname?: string) =>
  patch(`${api}/namespaces/${namespace}/gateways/${gateway}`, "merge", {
    spec: { listeners: [{ name: "http", protocol: "HTTP", port: 80, hostname, allowedRoutes }] }
  })

it.effect("a route of another namespace is accepted only if a listener allows that namespace", () =>
  Effect.gen(function* () {
    yield* makeNamespace("db-acme", { tenant: "acme" })
    yield* makeService("shop", "db-acme")
    yield* makeRoute("shop", {}, "db-acme")
    yield* TestClock.adjust("1 second")
    assert.strictEqual((yield* verdict("shop", "db-acme"))[0], "Accepted False NotAllowedByListeners")
    yield* open({ namespaces: { from: "Selector", selector: { matchLabels: { tenant: "acme" } } } })
    yield* TestClock.adjust("1 second")
    assert.deepStrictEqual(yield* verdict("shop", "db-acme"), good)
    yield* patch("/api/v1/namespaces/db-acme", "merge", { metadata: { labels: { tenant: "other" } } })
    yield* TestClock.adjust("1 second")
    assert.strictEqual((yield* verdict("shop", "db-acme"))[0], "Accepted False NotAllowedByListeners")
    yield* open({ namespaces: { from: "All" } })
    yield* TestClock.adjust("1 second")
    assert.deepStrictEqual(yield* verdict("shop", "db-acme"), good)
  }).pipe(Effect.provide(Memory))
)

it.effect.each([
  { listener: "*.example.org", route: "shop.example.org", met: true },
  { listener: "*.example.org", route: "a.b.example.org", met: true },
  { listener: "*.example.org", route: "example.org", met: false },
  { listener: "shop.example.org", route: "*.example.org", met: true },
  { listener: "shop.example.org", route: "shop.example.com", met: false }
])("a listener for $listener and a route for $route: $met", ({ listener, met, route }) =>
  Effect.gen(function* () {
    yield* makeService("shop")
    yield* open({ namespaces: { from: "Same" } }, listener)
    yield* makeRoute("shop", { hostnames: [route] })
    yield* TestClock.adjust("1 second")
    const expected = met ? "Accepted True Accepted" : "Accepted False NoMatchingListenerHostname"
    assert.strictEqual((yield* verdict("shop"))[0], expected)
  }).pipe(Effect.provide(Memory))
)

it.effect("a route's backend is resolved when it exists, and unresolved when it is removed", () =>
  Effect.gen(function* () {
    yield* makeRoute("shop")
    yield* TestClock.adjust("1 second")
    assert.deepStrictEqual(yield* verdict("shop"), ["Accepted True Accepted", "ResolvedRefs False BackendNotFound"])
    yield* makeService("shop")
    yield* TestClock.adjust("1 second")
    assert.deepStrictEqual(yield* verdict("shop"), good)
    yield* kube("DELETE", `/api/v1/namespaces/${namespace}/services/shop`)
    yield* TestClock.adjust("1 second")
    assert.strictEqual((yield* verdict("shop"))[1], "ResolvedRefs False BackendNotFound")
    yield* makeRoute("odd", { rules: [{ backendRefs: [{ name: "shop", kind: "ConfigMap", port: 80 }] }] })
    yield* makeService("web")
    yield* makeRoute("port", { rules: [{ backendRefs: [{ name: "web", port: 81 }] }] })
    yield* TestClock.adjust("1 second")
    assert.strictEqual((yield* verdict("odd"))[1], "ResolvedRefs False InvalidKind")
    assert.strictEqual((yield* verdict("port"))[1], "ResolvedRefs False PortNotFound")
  }).pipe(Effect.provide(Memory))
)

it.effect("a service of another namespace needs a grant of that namespace", () =>
  Effect.gen(function* () {
    yield* makeNamespace("db-acme")
    yield* makeService("shop", "db-acme")
    yield* makeRoute("shop", { rules: [{ backendRefs: [{ name: "shop", namespace: "db-acme", port: 80 }] }] })
    yield* TestClock.adjust("1 second")
    assert.strictEqual((yield* verdict("shop"))[1], "ResolvedRefs False RefNotPermitted")
    const grants = "/apis/gateway.networking.k8s.io/v1beta1/namespaces/db-acme/referencegrants"
    const grant = (name: string, service: string) =>
      kube("POST", grants, {
        json: {
          apiVersion: "gateway.networking.k8s.io/v1beta1",
          kind: "ReferenceGrant",
          metadata: { name },
          spec: {
            from: [{ group: "gateway.networking.k8s.io", kind: "HTTPRoute", namespace }],
            to: [{ group: "", kind: "Service", name: service }]
          }
        }
      })
    yield* grant("other", "mail")
    yield* TestClock.adjust("1 second")
    assert.strictEqual((yield* verdict("shop"))[1], "ResolvedRefs False RefNotPermitted")
    yield* grant("shop", "shop")
    yield* TestClock.adjust("1 second")
    assert.deepStrictEqual(yield* verdict("shop"), good)
    yield* kube("DELETE", `${grants}/shop`)
    yield* TestClock.adjust("1 second")
    assert.strictEqual((yield* verdict("shop"))[1], "ResolvedRefs False RefNotPermitted")
  }).pipe(Effect.provide(Memory))
)

it.effect("two routes of one host name are both accepted", () =>
  Effect.gen(function* () {
    yield* makeService("shop")
    yield* makeRoute("one")
    yield* TestClock.adjust("1 second")
    yield* makeRoute("two")
    yield* TestClock.adjust("1 second")
    assert.deepStrictEqual([yield* verdict("one"), yield* verdict("two")], [good, good])
  }).pipe(Effect.provide(Memory))
)

it.effect.each(["Shop.example.org", "shop_1.example.org", "*", "shop.example.org.", "10.0.0.1/8"])(
  "the definition refuses the host name %s",
  (hostname) =>
    Effect.gen(function* () {
      const refused = yield* makeRoute("shop", { hostnames: [hostname] })
      assert.deepStrictEqual([refused.status, refused.json.reason], [422, "Invalid"])
    }).pipe(Effect.provide(Memory))
)

it.effect("viewing or editing a namespace grants nothing on the operators' kinds", () =>
  Effect.gen(function* () {
    yield* makeNamespace("db-acme")
    for (const role of ["view", "edit", "admin"]) {
      yield* kube("POST", "/apis/rbac.authorization.k8s.io/v1/namespaces/db-acme/rolebindings", {
        json: {
          metadata: { name: role },
          subjects: [{ kind: "User", name: role }],
          roleRef: { kind: "ClusterRole", name: role }
        }
      })
      for (const path of [
        "/apis/postgresql.cnpg.io/v1/namespaces/db-acme/clusters",
        "/apis/postgresql.cnpg.io/v1/namespaces/db-acme/backups",
        "/apis/kafka.strimzi.io/v1/namespaces/db-acme/kafkas",
        routes("db-acme")
      ]) {
        assert.deepStrictEqual([path, (yield* kube("GET", path, { as: role })).status], [path, 403])
        assert.deepStrictEqual([path, (yield* kube("POST", path, { as: role, json: {} })).status], [path, 403])
      }
    }
  }).pipe(Effect.provide(Memory))
)

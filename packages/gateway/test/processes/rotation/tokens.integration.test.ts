import { NodeFileSystem } from "@effect/platform-node"
import { assert } from "@effect/vitest"
import { fixtures } from "@portico/simulator/Fixtures"
import { addresses } from "@portico/simulator/settings"
import { Effect, FileSystem } from "effect"
import { createServer, request } from "node:http"
import type { AddressInfo } from "node:net"
import { fleetOf, lightLoad } from "../fleet.ts"
import { ask, Cloud, type Gateway, story, tenantOf } from "../harness.ts"
import { judgedAnew, lab, newKey, only, readiness } from "./lab.ts"

/**
 * A reverse proxy in front of a system, as Prometheus needs one to ask for tokens: it admits those that it is told, and
 * goes on with the system's own.
 */
const gate = Effect.fnUntraced(function* (url: string, own?: string) {
  const admitted = new Set<string>()
  const { hostname, origin, port } = new URL(url)
  const server = createServer((from, to) => {
    const { authorization, host: _, ...headers } = from.headers
    if (!admitted.has(authorization ?? "")) return void to.writeHead(401).end()
    const { method, url: path } = from
    const forwarded = own === undefined ? headers : { ...headers, authorization: `Bearer ${own}` }
    const onward = request({ hostname, port, method, path, headers: forwarded }, (answer) => {
      to.writeHead(answer.statusCode ?? 0, answer.headers)
      answer.pipe(to)
    })
    onward.on("error", () => from.socket.destroy())
    from.pipe(onward)
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
    () =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  )
  return {
    url: url.replace(origin, `http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    admit: (token: string) => Effect.sync(() => void admitted.add(`Bearer ${token}`)),
    withdraw: (token: string) => Effect.sync(() => void admitted.delete(`Bearer ${token}`))
  }
})

/** A call to the cluster of its administrator, because the gateway's own account may do less. */
const administrator = Effect.fnUntraced(function* <A>(method: string, path: string, body?: unknown) {
  const { kubernetes } = addresses((yield* Cloud).url)
  return yield* Effect.promise(async () => {
    const response = await fetch(`${kubernetes}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${fixtures.kubernetes.administratorToken}`,
        "content-type": "application/json"
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    assert.isBelow(response.status, 300, `${method} ${path}`)
    const answer: A = await response.json()
    return answer
  })
})

/** A token of the gateway's service account that ends with a secret, as `kubectl create token --bound-object-kind` makes one. */
const clusterToken = Effect.fnUntraced(function* (name: string) {
  const { kubernetes } = addresses((yield* Cloud).url)
  const { namespace, serviceAccount } = fixtures.kubernetes
  const home = `/api/v1/namespaces/${namespace}`
  yield* administrator("POST", `${home}/secrets`, { apiVersion: "v1", kind: "Secret", metadata: { name } })
  const { status } = yield* administrator<{ readonly status: { readonly token: string } }>(
    "POST",
    `${home}/serviceaccounts/${serviceAccount}/token`,
    { spec: { boundObjectRef: { apiVersion: "v1", kind: "Secret", name } } }
  )
  return {
    token: status.token,
    withdraw: Effect.gen(function* () {
      yield* administrator("DELETE", `${home}/secrets/${name}`)
      assert.strictEqual((yield* ask("GET", `${kubernetes}/version`, { token: status.token })).status, 401)
    })
  }
})

/** A tenant with something in its namespace, and what it does there. */
const clusterOf = Effect.fnUntraced(function* (gateway: Gateway) {
  const { projectId, token } = yield* tenantOf(gateway, "Acme GmbH")
  const path = `/v1/kubernetes/api/v1/namespaces/db-${projectId}/configmaps`
  let written = 0
  const write = (_: Gateway) =>
    _.customer(token, "POST", path, {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: `written-${(written += 1)}` }
    })
  assert.strictEqual((yield* write(gateway)).status, 201)
  return { token, write, read: (_: Gateway) => _.customer(token, "GET", path) }
})

story("the tokens of Kubernetes, billing and monitoring are replaced, and no call fails", () =>
  Effect.gen(function* () {
    const { billing, prometheus } = addresses((yield* Cloud).url)
    const [bills, metrics] = [yield* gate(billing, fixtures.billing.token), yield* gate(prometheus)]
    const issued = Effect.fnUntraced(function* (name: string) {
      const cluster = yield* clusterToken(name)
      const [BILLING_TOKEN, MONITORING_TOKEN] = [newKey(), newKey()]
      yield* bills.admit(BILLING_TOKEN)
      yield* metrics.admit(MONITORING_TOKEN)
      const urls = { BILLING_URL: bills.url, MONITORING_URL: metrics.url, BILLING_BUDGET_SECONDS: "1" }
      return {
        settings: { ...lab, ...urls, KUBERNETES_TOKEN: cluster.token, BILLING_TOKEN, MONITORING_TOKEN },
        withdraw: Effect.all([cluster.withdraw, bills.withdraw(BILLING_TOKEN), metrics.withdraw(MONITORING_TOKEN)])
      }
    })

    const former = yield* issued("former")
    const fleet = yield* fleetOf(former.settings)
    const { read, token, write } = yield* clusterOf(only(fleet.members()))
    const load = yield* lightLoad(fleet, [
      { name: "readiness", call: readiness },
      { name: "cluster", call: read },
      // A call whose body has passed cannot be repeated.
      { name: "write to the cluster", call: write },
      { name: "budgets", call: (_) => _.customer(token, "GET", "/v1/budgets") },
      { name: "invoices", call: (_) => _.customer(token, "GET", "/v1/invoices") },
      { name: "fleet", call: (_) => _.operator("GET", "/v1/monitoring/fleet") }
    ])
    yield* load.isFine("before")

    const next = yield* issued("next")
    yield* fleet.roll(next.settings)
    yield* load.isFine("the new ones are in use")

    yield* former.withdraw
    yield* judgedAnew(fleet)
    yield* load.isFine("the former ones are withdrawn")
  })
)

story("a token of Kubernetes in a file is replaced without a roll, and no call that reads fails", () =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const file = `${yield* files.makeTempDirectoryScoped()}/token`
    const former = yield* clusterToken("former")
    yield* files.writeFileString(file, former.token)
    const fleet = yield* fleetOf({ ...lab, KUBERNETES_TOKEN_FILE: file })
    const { read } = yield* clusterOf(only(fleet.members()))
    const load = yield* lightLoad(fleet, [
      { name: "readiness", call: readiness },
      { name: "cluster", call: read }
    ])
    yield* load.isFine("before")

    const next = yield* clusterToken("next")
    yield* files.writeFileString(file, next.token)
    yield* load.isFine("the new one is in the file")
    // The replica believes the former one for up to a minute: it meets the refusal, and reads the file again.
    yield* former.withdraw
    yield* judgedAnew(fleet)
    yield* load.isFine("the former one is withdrawn")
  }).pipe(Effect.provide(NodeFileSystem.layer))
)

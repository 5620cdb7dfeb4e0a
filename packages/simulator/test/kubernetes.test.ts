import { assert, it } from "@effect/vitest"
import { fixtures } from "@portico/simulator/Fixtures"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { ask } from "./ask.ts"
import { configMap, kube, patch, podOf } from "./kube.ts"

const v1 = "/api/v1/namespaces/default"
const Memory = SimulatedCloud.layerMemory

it.effect("discovery lists all kinds, and a new definition is served at once, with its status apart", () =>
  Effect.gen(function* () {
    assert.deepStrictEqual((yield* kube("GET", "/api")).json.versions, ["v1"])
    const core: ReadonlyArray<{ name: string }> = (yield* kube("GET", "/api/v1")).json.resources
    assert.includeMembers(
      core.map((_) => _.name),
      ["pods", "pods/exec", "pods/log", "serviceaccounts/token", "namespaces/status"]
    )
    assert.strictEqual((yield* kube("GET", "/version")).json.gitVersion, "v1.34.3")
    assert.strictEqual((yield* kube("GET", "/readyz")).body, "ok")
    const path = "/apis/example.org/v1/namespaces/default/widgets"
    assert.strictEqual((yield* kube("GET", path)).body, "404 page not found\n")
    const definition = {
      metadata: { name: "widgets.example.org" },
      spec: {
        group: "example.org",
        scope: "Namespaced",
        names: { kind: "Widget", plural: "widgets", singular: "widget" },
        versions: [
          {
            name: "v1",
            served: true,
            storage: true,
            subresources: { status: {} },
            schema: {
              openAPIV3Schema: {
                type: "object",
                properties: {
                  spec: {
                    type: "object",
                    required: ["size"],
                    properties: { size: { type: "integer", minimum: 1 }, color: { type: "string", default: "red" } }
                  },
                  status: { type: "object", "x-kubernetes-preserve-unknown-fields": true }
                }
              }
            }
          }
        ]
      }
    }
    const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
    assert.strictEqual((yield* kube("POST", crds, { json: definition })).status, 201)
    const groups: ReadonlyArray<{ name: string }> = (yield* kube("GET", "/apis")).json.groups
    assert.include(
      groups.map((_) => _.name),
      "example.org"
    )
    const widget = (spec: unknown) => ({
      apiVersion: "example.org/v1",
      kind: "Widget",
      metadata: { name: "w" },
      spec,
      status: { mine: true }
    })
    const bad = yield* kube("POST", path, { json: widget({ size: 0 }) })
    assert.deepStrictEqual(
      [bad.status, bad.json.message],
      [
        422,
        'Widget.example.org "w" is invalid: spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1'
      ]
    )
    const made = yield* kube("POST", path, { json: widget({ size: 2, shape: "round" }) })
    assert.deepStrictEqual([made.status, made.json.spec, made.json.status], [201, { size: 2, color: "red" }, undefined])
    assert.strictEqual(made.headers["warning"], '299 - "unknown field \\"spec.shape\\""')
    const strict = yield* kube("POST", `${path}?fieldValidation=Strict`, { json: widget({ size: 2, shape: "round" }) })
    assert.strictEqual(
      strict.json.message,
      'Widget in version "v1" cannot be handled as a Widget: strict decoding error: unknown field "spec.shape"'
    )
    const status = yield* patch(`${path}/w/status`, "merge", { status: { ready: 1 }, spec: { size: 9 } })
    assert.deepStrictEqual(
      [status.json.status, status.json.spec.size, status.json.metadata.generation],
      [{ ready: 1 }, 2, 1]
    )
    const grown = yield* patch(`${path}/w`, "merge", { spec: { size: 3 }, status: null })
    assert.deepStrictEqual([grown.json.status, grown.json.metadata.generation], [{ ready: 1 }, 2])
    const strategic = yield* patch(`${path}/w`, "strategic", { spec: { size: 4 } })
    assert.deepStrictEqual([strategic.status, strategic.json.reason], [415, "UnsupportedMediaType"])
    assert.strictEqual((yield* kube("DELETE", `${crds}/widgets.example.org`)).status, 200)
    assert.strictEqual((yield* kube("GET", `${path}/w`)).status, 404)
  }).pipe(Effect.provide(Memory))
)

it.effect("an object is created once, changed only in its current version, and removed on delete", () =>
  Effect.gen(function* () {
    const path = `${v1}/configmaps`
    const made = yield* kube("POST", path, { json: configMap("a", { k: "1" }) })
    assert.strictEqual(made.status, 201)
    assert.deepStrictEqual(
      [made.json.kind, made.json.metadata.namespace, made.json.metadata.creationTimestamp],
      ["ConfigMap", "default", "1970-01-01T00:00:00Z"]
    )
    const again = yield* kube("POST", path, { json: configMap("a") })
    assert.deepStrictEqual(again.json, {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: 'configmaps "a" already exists',
      reason: "AlreadyExists",
      details: { name: "a", kind: "configmaps" },
      code: 409
    })
    const changed = yield* kube("PUT", `${path}/a`, { json: { ...made.json, data: { k: "2" } } })
    assert.strictEqual(changed.status, 200)
    assert.isAbove(Number(changed.json.metadata.resourceVersion), Number(made.json.metadata.resourceVersion))
    const stale = yield* kube("PUT", `${path}/a`, { json: { ...made.json, data: { k: "3" } } })
    assert.deepStrictEqual(
      [stale.status, stale.json.reason, stale.json.message],
      [
        409,
        "Conflict",
        'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to ' +
          "the latest version and try again"
      ]
    )
    const same = yield* kube("PUT", `${path}/a`, { json: changed.json })
    assert.strictEqual(same.json.metadata.resourceVersion, changed.json.metadata.resourceVersion)
    const elsewhere = yield* kube("PUT", `${path}/b`, { json: changed.json })
    assert.strictEqual(elsewhere.json.message, "the name of the object (a) does not match the name on the URL (b)")
    const wrong = { preconditions: { uid: "00000000-0000-4000-8000-000000000000" } }
    assert.strictEqual((yield* kube("DELETE", `${path}/a`, { json: wrong })).status, 409)
    const gone = yield* kube("DELETE", `${path}/a`)
    assert.deepInclude(gone.json, { kind: "Status", status: "Success" })
    const missing = yield* kube("GET", `${path}/a`)
    assert.deepStrictEqual([missing.status, missing.json.message], [404, 'configmaps "a" not found'])
    const named = yield* kube("POST", path, { json: { metadata: { generateName: "job-" } } })
    assert.match(named.json.metadata.name, /^job-[a-z0-9]{5}$/)
  }).pipe(Effect.provide(Memory))
)

it.effect("an invalid body has the API server's message", () =>
  Effect.gen(function* () {
    const deployments = "/apis/apps/v1/namespaces/default/deployments"
    const table: ReadonlyArray<readonly [string, string, unknown, number, string, string]> = [
      ["POST", `${v1}/configmaps`, "no object", 400, "BadRequest", "the object provided is unrecognized"],
      [
        "POST",
        `${v1}/configmaps`,
        { kind: "Secret", metadata: { name: "x" } },
        400,
        "BadRequest",
        'Secret in version "v1"'
      ],
      [
        "POST",
        `${v1}/configmaps`,
        { apiVersion: "v2" },
        400,
        "BadRequest",
        'no kind "ConfigMap" is registered for version "v2"'
      ],
      [
        "POST",
        `${v1}/configmaps`,
        { metadata: { name: "Big" } },
        422,
        "Invalid",
        'ConfigMap "Big" is invalid: metadata.name:'
      ],
      [
        "POST",
        `${v1}/configmaps`,
        {},
        422,
        "Invalid",
        'ConfigMap "" is invalid: metadata.name: Required value: name or'
      ],
      [
        "POST",
        `${v1}/configmaps`,
        { metadata: { name: "x", namespace: "y" } },
        400,
        "BadRequest",
        "the namespace of the"
      ],
      ["POST", "/api/v1/namespaces/none/configmaps", configMap("x"), 404, "NotFound", 'namespaces "none" not found'],
      [
        "POST",
        `${v1}/pods`,
        { metadata: { name: "p" }, spec: {} },
        422,
        "Invalid",
        'Pod "p" is invalid: spec.containers: R'
      ],
      [
        "POST",
        deployments,
        { metadata: { name: "d" }, spec: {} },
        422,
        "Invalid",
        'Deployment.apps "d" is invalid: [spec.s'
      ],
      ["PATCH", `${v1}/configmaps/x`, {}, 415, "UnsupportedMediaType", "415: Unsupported Media Type"],
      ["PUT", `${v1}/configmaps`, {}, 405, "MethodNotAllowed", "the server does not allow this method"],
      ["POST", `${v1}/configmaps/x`, {}, 405, "MethodNotAllowed", "the server does not allow this method"],
      [
        "DELETE",
        "/api/v1/namespaces/kube-system",
        undefined,
        403,
        "Forbidden",
        'namespaces "kube-system" is forbidden: this'
      ],
      [
        "GET",
        `${v1}/configmaps?fieldSelector=spec.x=1`,
        undefined,
        400,
        "BadRequest",
        '"spec.x" is not a known field selector'
      ],
      ["GET", `${v1}/pods?fieldSelector=spec.x=1`, undefined, 400, "BadRequest", "field label not supported: spec.x"]
    ]
    for (const [method, path, json, status, reason, words] of table) {
      const refused = yield* kube(method, path, { json })
      assert.deepStrictEqual([refused.status, refused.json.reason], [status, reason], `${method} ${path}`)
      assert.include(refused.json.message, words)
      assert.strictEqual(refused.json.kind, "Status")
      assert.strictEqual(refused.json.code, status)
    }
    assert.deepStrictEqual((yield* kube("GET", "/api/v1/namespaces/none/pods")).json.items, [])
    for (const path of ["/nothing", "/api/v2", "/api/v1/nothing", "/apis/none.org/v1/things", `${v1}/pods/x/nothing`]) {
      assert.strictEqual((yield* kube("GET", path)).body, "404 page not found\n", path)
    }
    const sent = yield* kube("POST", `${v1}/configmaps`, { body: "metadata: {name: y}", type: "application/yaml" })
    assert.strictEqual(sent.status, 201)
    const text = yield* kube("POST", `${v1}/configmaps`, { body: "x", type: "text/plain" })
    assert.strictEqual(text.status, 415)
    const picky = yield* kube("GET", `${v1}/configmaps`, { headers: { accept: "text/html" } })
    assert.deepStrictEqual([picky.status, picky.json.reason], [406, "NotAcceptable"])
  }).pipe(Effect.provide(Memory))
)

it.effect("a dry run validates and answers like a real call, and stores nothing", () =>
  Effect.gen(function* () {
    const { state } = yield* SimulatedCloud
    yield* kube("POST", `${v1}/configmaps`, { json: configMap("kept", { k: "1" }) })
    const before = yield* state
    for (const [method, path, json] of [
      ["POST", `${v1}/configmaps?dryRun=All`, configMap("new")],
      ["POST", "/api/v1/namespaces?dryRun=All", { metadata: { name: "new" } }],
      ["POST", `${v1}/pods?dryRun=All`, podOf("new")],
      ["PUT", `${v1}/configmaps/kept?dryRun=All`, configMap("kept", { k: "2" })],
      ["DELETE", `${v1}/configmaps/kept?dryRun=All`, undefined],
      ["DELETE", `${v1}/configmaps?dryRun=All`, undefined],
      ["POST", `${v1}/configmaps?dryRun=All`, configMap("kept")]
    ] as const) {
      const { status } = yield* kube(method, path, { json })
      assert.strictEqual(
        status,
        method === "POST" ? (path.includes("configmaps") && json?.metadata.name === "kept" ? 409 : 201) : 200
      )
    }
    assert.deepStrictEqual(yield* state, before)
  }).pipe(Effect.provide(Memory))
)

it.effect("a pod is pending until its containers run, and is removed once they have stopped", () =>
  Effect.gen(function* () {
    const path = `${v1}/pods/web`
    const made = yield* kube("POST", `${v1}/pods`, { json: podOf("web") })
    assert.deepStrictEqual([made.status, made.json.status.phase], [201, "Pending"])
    yield* TestClock.adjust("2 seconds")
    const running = yield* kube("GET", path)
    assert.strictEqual(running.json.status.phase, "Running")
    assert.deepStrictEqual(running.json.status.containerStatuses[0].state, {
      running: { startedAt: "1970-01-01T00:00:02Z" }
    })
    const stopping = yield* kube("DELETE", path)
    assert.deepStrictEqual(
      [stopping.status, stopping.json.kind, stopping.json.metadata.deletionTimestamp],
      [200, "Pod", "1970-01-01T00:00:32Z"]
    )
    assert.strictEqual((yield* kube("GET", path)).status, 200)
    yield* TestClock.adjust("1 second")
    assert.strictEqual((yield* kube("GET", path)).status, 404)
    yield* kube("POST", `${v1}/pods`, { json: podOf("web") })
    yield* kube("DELETE", path, { json: { gracePeriodSeconds: 0 } })
    assert.strictEqual((yield* kube("GET", path)).status, 404)
  }).pipe(Effect.provide(Memory))
)

it.effect("a namespace has an account and a certificate from the start, and is removed with its contents", () =>
  Effect.gen(function* () {
    const { state } = yield* SimulatedCloud
    const untouched = yield* state
    const path = "/api/v1/namespaces/acme"
    const made = yield* kube("POST", "/api/v1/namespaces", { json: { metadata: { name: "acme" } } })
    assert.deepStrictEqual(
      [made.json.status.phase, made.json.metadata.labels],
      ["Active", { "kubernetes.io/metadata.name": "acme" }]
    )
    assert.strictEqual((yield* kube("GET", `${path}/serviceaccounts/default`)).status, 200)
    assert.strictEqual((yield* kube("GET", `${path}/configmaps/kube-root-ca.crt`)).status, 200)
    const held = { metadata: { name: "held", finalizers: ["example.org/hold"] } }
    yield* kube("POST", `${path}/configmaps`, { json: held })
    yield* kube("POST", `${path}/secrets`, { json: { metadata: { name: "s" }, stringData: { a: "b" } } })
    yield* kube("POST", `${path}/pods`, { json: podOf("web") })
    assert.strictEqual((yield* kube("DELETE", path)).json.status.phase, "Terminating")
    const late = yield* kube("POST", `${path}/configmaps`, { json: configMap("late") })
    assert.deepStrictEqual(
      [late.status, late.json.message],
      [
        403,
        'configmaps "late" is forbidden: unable to create new content in namespace acme because it is being terminated'
      ]
    )
    yield* TestClock.adjust("5 seconds")
    assert.strictEqual((yield* kube("GET", path)).json.status.phase, "Terminating")
    const left = (yield* kube("GET", `${path}/configmaps`)).json.items
    assert.deepStrictEqual(
      left.map((_: { metadata: { name: string } }) => _.metadata.name),
      ["held"]
    )
    assert.deepStrictEqual((yield* kube("GET", `${path}/pods`)).json.items, [])
    yield* patch(`${path}/configmaps/held`, "json", [{ op: "remove", path: "/metadata/finalizers" }])
    yield* TestClock.adjust("1 second")
    assert.strictEqual((yield* kube("GET", path)).status, 404)
    assert.deepStrictEqual(yield* state, untouched)
  }).pipe(Effect.provide(Memory))
)

it.effect("a claim is bound after a moment, grows and never shrinks, and stays while a pod uses it", () =>
  Effect.gen(function* () {
    const path = `${v1}/persistentvolumeclaims`
    const claim = (storage: string) => ({
      metadata: { name: "data" },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage } } }
    })
    const made = yield* kube("POST", path, { json: claim("1Gi") })
    assert.deepStrictEqual([made.json.status.phase, made.json.spec.storageClassName], ["Pending", "rbd"])
    const resize = (storage: string) =>
      patch(`${path}/data`, "merge", { spec: { resources: { requests: { storage } } } })
    assert.strictEqual((yield* resize("2Gi")).status, 422)
    yield* TestClock.adjust("1 second")
    assert.strictEqual((yield* kube("GET", `${path}/data`)).json.status.phase, "Bound")
    assert.strictEqual((yield* resize("2Gi")).json.status.capacity.storage, "1Gi")
    yield* TestClock.adjust("1 second")
    assert.strictEqual((yield* kube("GET", `${path}/data`)).json.status.capacity.storage, "2Gi")
    const shrunk = yield* resize("1Gi")
    assert.include(shrunk.json.message, "spec.resources.requests.storage: Forbidden: field can not be less than")
    const volumes = [{ name: "d", persistentVolumeClaim: { claimName: "data" } }]
    const pod = podOf("web")
    yield* kube("POST", `${v1}/pods`, { json: { ...pod, spec: { ...pod.spec, volumes } } })
    assert.isString((yield* kube("DELETE", `${path}/data`)).json.metadata.deletionTimestamp)
    yield* TestClock.adjust("5 seconds")
    assert.strictEqual((yield* kube("GET", `${path}/data`)).status, 200)
    yield* kube("DELETE", `${v1}/pods/web`)
    yield* TestClock.adjust("3 seconds")
    assert.strictEqual((yield* kube("GET", `${path}/data`)).status, 404)
  }).pipe(Effect.provide(Memory))
)

it.effect("replicas can be scaled under one name, of built-in and of custom kinds", () =>
  Effect.gen(function* () {
    const clusters = "/apis/postgresql.cnpg.io/v1/namespaces/default/clusters"
    yield* kube("POST", clusters, {
      json: {
        apiVersion: "postgresql.cnpg.io/v1",
        kind: "Cluster",
        metadata: { name: "pg" },
        spec: { instances: 1, storage: { size: "1Gi" } }
      }
    })
    const scale = yield* kube("GET", `${clusters}/pg/scale`)
    assert.deepStrictEqual([scale.json.kind, scale.json.spec], ["Scale", { replicas: 1 }])
    assert.strictEqual((yield* patch(`${clusters}/pg/scale`, "merge", { spec: { replicas: 3 } })).status, 200)
    assert.strictEqual((yield* kube("GET", `${clusters}/pg`)).json.spec.instances, 3)
    assert.strictEqual((yield* kube("PUT", `${clusters}/pg/scale`, { json: scale.json })).status, 409)
    const update = yield* kube("PUT", `${clusters}/pg`, {
      json: { apiVersion: "postgresql.cnpg.io/v1", kind: "Cluster", metadata: { name: "pg" } }
    })
    assert.include(update.json.message, "metadata.resourceVersion: Invalid value: 0: must be specified for an update")
  }).pipe(Effect.provide(Memory))
)

it.effect("a lease has its holder, is created by PUT, and replaced only at its current version", () =>
  Effect.gen(function* () {
    const leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases"
    const lease = (spec: object, more: object = {}) => ({
      json: { kind: "Lease", apiVersion: "coordination.k8s.io/v1", metadata: { name: "leader", ...more }, spec }
    })
    const made = yield* kube("PUT", `${leases}/leader`, lease({ holderIdentity: "a", leaseDurationSeconds: 15 }))
    assert.strictEqual(made.status, 201)
    const blind = yield* kube("PUT", `${leases}/leader`, lease({ holderIdentity: "b" }))
    assert.deepStrictEqual(
      [blind.status, blind.json.message],
      [
        422,
        'leases.coordination.k8s.io "leader" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update'
      ]
    )
    const { resourceVersion } = made.json.metadata
    const taken = yield* kube("PUT", `${leases}/leader`, lease({ holderIdentity: "b" }, { resourceVersion }))
    assert.deepStrictEqual(taken.json.spec, { holderIdentity: "b" })
    const late = yield* kube("PUT", `${leases}/leader`, lease({ holderIdentity: "c" }, { resourceVersion }))
    assert.strictEqual(late.status, 409)
    const short = yield* kube("POST", leases, lease({ leaseDurationSeconds: 0, leaseTransitions: -1 }))
    assert.strictEqual(
      short.json.message,
      'Lease.coordination.k8s.io "leader" is invalid: [spec.leaseDurationSeconds: Invalid value: 0: must be greater ' +
        "than 0, spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0]"
    )
  }).pipe(Effect.provide(Memory))
)

it.effect("typed clients may send the binary encoding, as far as it is supported", () =>
  Effect.gen(function* () {
    const field = (number: number, content: string | Buffer) =>
      Buffer.concat([Buffer.from([(number << 3) | 2, content.length]), Buffer.from(content)])
    const data = field(2, Buffer.concat([field(1, "k"), field(2, "v")]))
    const send = (raw: Buffer) =>
      kube("POST", `${v1}/configmaps`, {
        type: "application/vnd.kubernetes.protobuf",
        body: Buffer.concat([
          Buffer.from("k8s\0"),
          field(1, Buffer.concat([field(1, "v1"), field(2, "ConfigMap")])),
          field(2, raw)
        ])
      })
    const made = yield* send(Buffer.concat([field(1, Buffer.concat([field(1, "bin"), field(2, "")])), data]))
    assert.deepStrictEqual([made.status, made.json.metadata.name, made.json.data], [201, "bin", { k: "v" }])
    assert.strictEqual((yield* send(field(9, "unknown"))).status, 415)

    // What a client has read, with times to the microsecond and the fields that it was told that it manages.
    const time = field(3, Buffer.from([8, 0x80, 0xf2, 0xd6, 0xca, 6, 0x10, 0xc0, 0x84, 0x3d]))
    const entry = Buffer.concat([field(1, "story"), field(7, field(1, '{"f:spec":{}}'))])
    const managed = Buffer.concat([Buffer.from([0x8a, 1, entry.length]), entry])
    const lease = yield* kube("POST", "/apis/coordination.k8s.io/v1/namespaces/default/leases", {
      type: "application/vnd.kubernetes.protobuf",
      body: Buffer.concat([
        Buffer.from("k8s\0"),
        field(1, Buffer.concat([field(1, "coordination.k8s.io/v1"), field(2, "Lease")])),
        field(2, Buffer.concat([field(1, Buffer.concat([field(1, "bin"), managed])), field(2, time)]))
      ])
    })
    assert.deepStrictEqual([lease.status, lease.json.spec], [201, { acquireTime: "2026-01-01T00:00:00.001000Z" }])
    const documented = yield* kube("GET", "/openapi/v2", {
      headers: { accept: "application/com.github.proto-openapi.spec.v2@v1.0+protobuf" }
    })
    assert.strictEqual(documented.body.slice(0, 5), "\n\u00032.0")
  }).pipe(Effect.provide(Memory))
)

it.effect("a fault matches a call by its path, and the log has the call with placeholders", () =>
  Effect.gen(function* () {
    const cloud = yield* SimulatedCloud
    const fault = { service: "kubernetes", method: "POST", path: "/api/v1/namespaces/*/secrets", times: 1 } as const
    yield* cloud.fault({ ...fault, when: "after", as: { status: 503 } })
    assert.strictEqual((yield* kube("POST", `${v1}/secrets`, { json: { metadata: { name: "s" } } })).status, 503)
    assert.strictEqual((yield* kube("GET", `${v1}/secrets/s`)).status, 200)
    assert.deepStrictEqual(
      (yield* cloud.calls).map(({ method, route, status }) => [method, route, status]),
      [
        ["POST", "/api/v1/namespaces/*/secrets", 503],
        ["GET", "/api/v1/namespaces/*/secrets/*", 200]
      ]
    )
    const { token } = fixtures.kubernetes
    assert.isNotEmpty(token)
    assert.strictEqual((yield* ask("GET", "/kubernetes/api")).status, 401)
  }).pipe(Effect.provide(Memory))
)

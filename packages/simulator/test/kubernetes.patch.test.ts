import { assert, it } from "@effect/vitest"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect } from "effect"
import { configMap, kube, patch } from "./kube.ts"

const v1 = "/api/v1/namespaces/default"
const deployments = "/apis/apps/v1/namespaces/default/deployments"
const Memory = SimulatedCloud.layerMemory

const deployment = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web" },
  spec: {
    selector: { matchLabels: { app: "web" } },
    template: {
      metadata: { labels: { app: "web" } },
      spec: {
        containers: [
          {
            name: "app",
            image: "app:1",
            env: [
              { name: "A", value: "1" },
              { name: "B", value: "2" }
            ]
          },
          { name: "log", image: "log:1" }
        ]
      }
    }
  }
}

const containersOf = (json: { spec: { template: { spec: { containers: ReadonlyArray<Record<string, unknown>> } } } }) =>
  json.spec.template.spec.containers.map(({ env, image, name }) => ({
    name,
    image,
    ...(env === undefined ? {} : { env })
  }))

it.effect("a strategic patch merges lists by their keys, and a merge patch replaces them", () =>
  Effect.gen(function* () {
    yield* kube("POST", deployments, { json: deployment })
    const containers = (items: ReadonlyArray<unknown>, more = {}) => ({
      spec: { template: { spec: { containers: items, ...more } } }
    })
    const strategic = yield* patch(
      `${deployments}/web`,
      "strategic",
      containers([
        {
          name: "app",
          image: "app:2",
          env: [
            { name: "B", $patch: "delete" },
            { name: "C", value: "3" }
          ]
        }
      ])
    )
    assert.deepStrictEqual(containersOf(strategic.json), [
      {
        name: "app",
        image: "app:2",
        env: [
          { name: "C", value: "3" },
          { name: "A", value: "1" }
        ]
      },
      { name: "log", image: "log:1" }
    ])
    assert.strictEqual(strategic.json.metadata.generation, 2)
    const ordered = yield* patch(
      `${deployments}/web`,
      "strategic",
      containers([{ name: "new", image: "new:1" }], {
        "$setElementOrder/containers": [{ name: "new" }, { name: "app" }]
      })
    )
    assert.deepStrictEqual(
      containersOf(ordered.json).map((_) => _.name),
      ["new", "app", "log"]
    )
    const merged = yield* patch(`${deployments}/web`, "merge", containers([{ name: "only", image: "only:1" }]))
    assert.deepStrictEqual(containersOf(merged.json), [{ name: "only", image: "only:1" }])
    const fixed = yield* patch(`${deployments}/web`, "merge", { spec: { selector: { matchLabels: { app: "x" } } } })
    assert.strictEqual(fixed.status, 422)
  }).pipe(Effect.provide(Memory))
)

it.effect("a JSON patch is applied whole or not at all", () =>
  Effect.gen(function* () {
    const path = `${v1}/configmaps/a`
    yield* kube("POST", `${v1}/configmaps`, { json: configMap("a", { x: "1", y: "2" }) })
    const table: ReadonlyArray<readonly [ReadonlyArray<unknown>, number, unknown]> = [
      [
        [
          { op: "test", path: "/data/x", value: "1" },
          { op: "add", path: "/data/z", value: "3" }
        ],
        200,
        { x: "1", y: "2", z: "3" }
      ],
      [
        [
          { op: "remove", path: "/data/x" },
          { op: "test", path: "/data/y", value: "no" }
        ],
        422,
        undefined
      ],
      [[{ op: "remove", path: "/data/none" }], 422, undefined],
      [[{ op: "move", from: "/data/x", path: "/data/w" }], 200, { w: "1", y: "2", z: "3" }],
      [
        [
          { op: "replace", path: "/data/w", value: "9" },
          { op: "add", path: "/metadata/annotations", value: {} },
          { op: "copy", from: "/data/w", path: "/metadata/annotations/a~1b" },
          { op: "replace", path: "/data/new", value: "4" }
        ],
        200,
        { w: "9", y: "2", z: "3", new: "4" }
      ],
      [[{ op: "jump", path: "/data" }], 400, undefined]
    ]
    for (const [operations, status, data] of table) {
      const answer = yield* patch(path, "json", operations)
      assert.deepStrictEqual([answer.status, answer.json.data], [status, data])
    }
    assert.deepStrictEqual((yield* kube("GET", path)).json.data, { w: "9", y: "2", z: "3", new: "4" })
    const stale = yield* patch(path, "merge", { metadata: { resourceVersion: "1" }, data: { y: "0" } })
    assert.deepStrictEqual([stale.status, stale.json.reason], [409, "Conflict"])
  }).pipe(Effect.provide(Memory))
)

it.effect("an apply owns its fields, drops omitted ones, and takes others' only when forced", () =>
  Effect.gen(function* () {
    const path = `${v1}/configmaps/a`
    const apply = (manager: string, data: Readonly<Record<string, string>>, force = false) =>
      patch(`${path}?fieldManager=${manager}${force ? "&force=true" : ""}`, "apply", {
        apiVersion: "v1",
        kind: "ConfigMap",
        ...configMap("a", data)
      })
    assert.strictEqual((yield* apply("one", { x: "1", y: "1" })).status, 201)
    assert.strictEqual((yield* apply("two", { z: "2", x: "1" })).status, 200)
    const conflict = yield* apply("two", { x: "2", y: "2" })
    assert.deepStrictEqual(
      [conflict.status, conflict.json.message, conflict.json.details.causes],
      [
        409,
        'Apply failed with 2 conflicts: conflicts with "one":\n- .data.x\n- .data.y',
        [".data.x", ".data.y"].map((field) => ({
          reason: "FieldManagerConflict",
          message: 'conflict with "one"',
          field
        }))
      ]
    )
    // x is held by both, so it stays when one of them lets it go; y is not.
    assert.deepStrictEqual((yield* apply("one", {})).json.data, { x: "1", z: "2" })
    const byHand = yield* patch(`${path}?fieldManager=hand`, "merge", { data: { z: "9" } })
    assert.deepStrictEqual(
      byHand.json.metadata.managedFields.map((_: { manager: string; fieldsV1: unknown }) => [_.manager, _.fieldsV1]),
      [
        ["one", { "f:data": {} }],
        ["two", { "f:data": { "f:x": {} } }],
        ["hand", { "f:data": { "f:z": {} } }]
      ]
    )
    const taken = yield* apply("two", { z: "2" })
    assert.strictEqual(taken.json.message, 'Apply failed with 1 conflict: conflict with "hand" using v1: .data.z')
    const forced = yield* apply("two", { z: "2" }, true)
    assert.deepStrictEqual(forced.json.data, { z: "2" })
    assert.deepStrictEqual(
      forced.json.metadata.managedFields.map((_: { manager: string; operation: string; fieldsV1: unknown }) => [
        _.manager,
        _.operation,
        _.fieldsV1
      ]),
      [
        ["one", "Apply", { "f:data": {} }],
        ["two", "Apply", { "f:data": { "f:z": {} } }]
      ]
    )
    const again = yield* apply("two", { z: "2" })
    assert.strictEqual(again.json.metadata.resourceVersion, forced.json.metadata.resourceVersion)
  }).pipe(Effect.provide(Memory))
)

it.effect("an apply merges lists by their keys, takes items out, and may be written in YAML", () =>
  Effect.gen(function* () {
    const path = `${deployments}/web?fieldManager=one`
    yield* patch(path, "apply", deployment)
    yield* patch(`${deployments}/web`, "strategic", {
      spec: { template: { spec: { containers: [{ name: "side", image: "side:1" }] } } }
    })
    const without = yield* kube("PATCH", path, {
      type: "application/apply-patch+yaml",
      body: `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: app, image: "app:2"}]}
`
    })
    assert.deepStrictEqual(
      containersOf(without.json).toSorted((a, b) => String(a.name).localeCompare(String(b.name))),
      [
        { name: "app", image: "app:2" },
        { name: "side", image: "side:1" }
      ]
    )
  }).pipe(Effect.provide(Memory))
)

it.effect("an apply names its manager, and cannot set fields that the server owns", () =>
  Effect.gen(function* () {
    const a = { apiVersion: "v1", kind: "ConfigMap", ...configMap("a") }
    const path = `${v1}/configmaps/a`
    const unnamed = yield* patch(path, "apply", a)
    assert.deepStrictEqual(
      [unnamed.status, unnamed.json.message],
      [422, 'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch']
    )
    const managed = yield* patch(`${path}?fieldManager=x`, "apply", {
      ...a,
      metadata: { name: "a", managedFields: [] }
    })
    assert.deepStrictEqual([managed.status, managed.json.message], [400, "metadata.managedFields must be nil"])
    yield* patch(`${path}?fieldManager=x`, "apply", a)
    const forced = yield* patch(`${path}?force=true`, "merge", {})
    assert.include(forced.json.message, "force: Forbidden: may not be specified for non-apply patch")
    const custom = yield* patch("/apis/kafka.strimzi.io/v1/namespaces/default/kafkas/k?fieldManager=x", "apply", {
      apiVersion: "kafka.strimzi.io/v1",
      kind: "Kafka",
      metadata: { name: "k" },
      spec: { kafka: { version: "4.3.1" } }
    })
    assert.deepStrictEqual([custom.status, custom.json.spec.kafka.version], [201, "4.3.1"])
  }).pipe(Effect.provide(Memory))
)

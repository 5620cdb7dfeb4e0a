import { assert, it } from "@effect/vitest"
import { fail, heal } from "@portico/simulator/kubernetes/operators/faults"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { kube } from "./kube.ts"
import { change, eventsOf, get, inNamespace, namespace, names, pathOf, seen, statusOf } from "./operators.ts"

const Memory = SimulatedCloud.layerMemory

const strimzi = "kafka.strimzi.io/v1"

const makeKafka = (name = "events", version = "4.3.1") =>
  kube("POST", pathOf("kafkas"), {
    json: {
      apiVersion: strimzi,
      kind: "Kafka",
      metadata: { name },
      spec: {
        kafka: {
          version,
          listeners: [
            { name: "plain", port: 9092, type: "internal", tls: false },
            { name: "tls", port: 9093, type: "internal", tls: true }
          ]
        }
      }
    }
  })

const poolOf = (cluster: string, volume: Readonly<Record<string, unknown>> = {}, roles = ["controller", "broker"]) => ({
  apiVersion: strimzi,
  kind: "KafkaNodePool",
  metadata: { name: `${cluster}-pool`, labels: { "strimzi.io/cluster": cluster } },
  spec: {
    replicas: 1,
    roles,
    storage: {
      type: "jbod",
      volumes: [
        { id: 0, type: "persistent-claim", size: "20Gi", kraftMetadata: "shared", deleteClaim: true, ...volume }
      ]
    }
  }
})

const makePool = (...given: Parameters<typeof poolOf>) =>
  kube("POST", pathOf("kafkanodepools"), { json: poolOf(...given) })

interface Condition {
  readonly type: string
  readonly status: string
  readonly reason?: string
  readonly message?: string
}

const conditions = Effect.map(statusOf("kafkas", "events"), (_): ReadonlyArray<Condition> => _.conditions ?? [])

/** How it stands: the one condition that is no warning. */
const standing = Effect.map(conditions, (all) =>
  all.filter((_) => _.type !== "Warning").map((_) => (_.reason === undefined ? _.type : `${_.type} ${_.reason}`))
)

it.effect("a cluster waits for its pool, creates a broker and publishes its address", () =>
  Effect.gen(function* () {
    yield* inNamespace()
    assert.strictEqual((yield* makeKafka()).status, 201)
    yield* TestClock.adjust("5 seconds")
    assert.deepInclude((yield* conditions)[0], {
      type: "NotReady",
      status: "True",
      reason: "InvalidConfigurationException",
      message: "No KafkaNodePools found for Kafka cluster events"
    })
    yield* makePool("events")
    assert.deepStrictEqual(yield* seen(20, standing), [["NotReady Creating"], ["Ready"]])
    const { clusterId, listeners, ...status } = yield* statusOf("kafkas", "events")
    assert.match(clusterId, /^[\w-]{22}$/)
    assert.deepStrictEqual(
      listeners.map(
        (_: { readonly name: string; readonly bootstrapServers: string; readonly certificates?: unknown }) => [
          _.name,
          _.bootstrapServers,
          _.certificates !== undefined
        ]
      ),
      [
        ["plain", `events-kafka-bootstrap.${namespace}.svc:9092`, false],
        ["tls", `events-kafka-bootstrap.${namespace}.svc:9093`, true]
      ]
    )
    assert.deepInclude(status, {
      observedGeneration: 1,
      kafkaVersion: "4.3.1",
      kafkaMetadataVersion: "4.3-IV0",
      kafkaNodePools: [{ name: "events-pool" }]
    })
    assert.deepInclude(yield* statusOf("kafkanodepools", "events-pool"), {
      nodeIds: [0],
      replicas: 1,
      roles: ["controller", "broker"],
      clusterId
    })
    assert.deepStrictEqual(yield* names("persistentvolumeclaims"), ["data-0-events-events-pool-0"])
    assert.deepStrictEqual(yield* names("pods"), ["events-events-pool-0"])
    assert.includeMembers([...(yield* names("services"))], ["events-kafka-bootstrap", "events-kafka-brokers"])
  }).pipe(Effect.provide(Memory))
)

it.effect("an unsupported version is accepted, and reported in the status", () =>
  Effect.gen(function* () {
    yield* inNamespace()
    yield* makePool("events")
    assert.strictEqual((yield* makeKafka("events", "3.9.0")).status, 201)
    yield* TestClock.adjust("2 seconds")
    assert.deepInclude((yield* conditions)[0], {
      type: "NotReady",
      reason: "UnsupportedKafkaVersionException",
      message: "Unsupported Kafka.spec.kafka.version: 3.9.0. Supported versions are: [4.2.0, 4.2.1, 4.3.0, 4.3.1]"
    })
    yield* change("kafkas", "events", { spec: { kafka: { version: "4.2.1" } } })
    yield* TestClock.adjust("20 seconds")
    assert.deepStrictEqual(yield* standing, ["Ready"])
    assert.deepInclude(yield* statusOf("kafkas", "events"), { observedGeneration: 2, kafkaVersion: "4.2.1" })
  }).pipe(Effect.provide(Memory))
)

it.effect("a pool of brokers alone is not enough for a cluster", () =>
  Effect.gen(function* () {
    yield* inNamespace()
    yield* makePool("events", {}, ["broker"])
    yield* makeKafka()
    yield* TestClock.adjust("2 seconds")
    const [condition] = yield* conditions
    assert.include(condition?.message, "At least one KafkaNodePool with the controller role")
  }).pipe(Effect.provide(Memory))
)

it.effect("a claim over quota keeps it from being ready, with the API server's message, until room", () =>
  Effect.gen(function* () {
    yield* inNamespace("10Gi")
    yield* makePool("events")
    yield* makeKafka()
    yield* TestClock.adjust("5 seconds")
    const [condition] = yield* conditions
    assert.strictEqual(condition?.reason, "KubernetesClientException")
    assert.include(
      condition?.message,
      'persistentvolumeclaims "data-0-events-events-pool-0" is forbidden: exceeded quota: tenant-quota, requested: requests.storage=20Gi'
    )
    yield* change("resourcequotas", "tenant-quota", { spec: { hard: { "requests.storage": "20Gi" } } })
    yield* TestClock.adjust("140 seconds")
    assert.deepStrictEqual(yield* standing, ["Ready"])
  }).pipe(Effect.provide(Memory))
)

const ready = Effect.fnUntraced(function* (volume: Readonly<Record<string, unknown>> = {}) {
  yield* inNamespace()
  yield* makePool("events", volume)
  yield* makeKafka()
  yield* TestClock.adjust("20 seconds")
})

const resize = (size: string) =>
  change("kafkanodepools", "events-pool", {
    spec: { storage: { type: "jbod", volumes: [{ id: 0, type: "persistent-claim", size, deleteClaim: true }] } }
  })

const claimed = Effect.map(get("persistentvolumeclaims", "data-0-events-events-pool-0"), (_) => [
  _.spec.resources.requests.storage,
  _.status.capacity.storage
])

it.effect("a pool's volumes grow and its broker restarts; a shrink is accepted and ignored", () =>
  Effect.gen(function* () {
    yield* ready()
    const before = yield* get("pods", "events-events-pool-0")
    yield* resize("30Gi")
    yield* TestClock.adjust("20 seconds")
    assert.deepStrictEqual(yield* claimed, ["30Gi", "30Gi"])
    assert.notStrictEqual((yield* get("pods", "events-events-pool-0")).metadata.uid, before.metadata.uid)
    assert.deepStrictEqual(yield* standing, ["Ready"])
    assert.strictEqual((yield* resize("10Gi")).status, 200)
    yield* TestClock.adjust("20 seconds")
    assert.deepStrictEqual(yield* claimed, ["30Gi", "30Gi"])
    const [first, warning] = yield* conditions
    assert.deepStrictEqual([first?.type, warning?.type, warning?.reason], ["Ready", "Warning", "KafkaStorage"])
    assert.include(
      warning?.message,
      `The desired Kafka storage configuration in the KafkaNodePool resource ${namespace}/events-pool contains changes`
    )
    yield* resize("30Gi")
    yield* TestClock.adjust("5 seconds")
    assert.strictEqual((yield* conditions).length, 1)
  }).pipe(Effect.provide(Memory))
)

it.effect("deleting the pool first leaves nothing; the other order leaves the pool", () =>
  Effect.gen(function* () {
    yield* ready()
    yield* kube("DELETE", pathOf("kafkas", "events"))
    yield* TestClock.adjust("10 seconds")
    assert.deepStrictEqual(yield* names("kafkanodepools"), ["events-pool"])
    assert.deepStrictEqual(yield* names("pods"), ["events-events-pool-0"])
    assert.deepStrictEqual(yield* names("services"), [])
    yield* kube("DELETE", pathOf("kafkanodepools", "events-pool"))
    yield* TestClock.adjust("10 seconds")
    assert.deepStrictEqual(yield* names("pods"), [])
    assert.deepStrictEqual(yield* names("persistentvolumeclaims"), [])
    const { used } = (yield* get("resourcequotas", "tenant-quota")).status
    assert.deepStrictEqual(used, { persistentvolumeclaims: "0", "requests.storage": "0" })
  }).pipe(Effect.provide(Memory))
)

it.effect("retained claims stay, count, and block another cluster of the name", () =>
  Effect.gen(function* () {
    yield* ready({ deleteClaim: false })
    yield* kube("DELETE", pathOf("kafkanodepools", "events-pool"))
    yield* kube("DELETE", pathOf("kafkas", "events"))
    yield* TestClock.adjust("10 seconds")
    assert.deepStrictEqual(yield* names("pods"), [])
    assert.deepStrictEqual(yield* names("persistentvolumeclaims"), ["data-0-events-events-pool-0"])
    assert.strictEqual((yield* get("resourcequotas", "tenant-quota")).status.used["requests.storage"], "20Gi")
    yield* makePool("events", { deleteClaim: false })
    yield* makeKafka()
    yield* TestClock.adjust("2 minutes")
    assert.deepStrictEqual(yield* standing, ["NotReady Creating"])
    const pod = yield* get("pods", "events-events-pool-0")
    assert.strictEqual(pod.status.containerStatuses[0].state.waiting.reason, "CrashLoopBackOff")
    const log = yield* kube("GET", `${pathOf("pods", "events-events-pool-0")}/log`)
    assert.include(log.body, "Invalid cluster.id in: /var/lib/kafka/data-0/kafka-log0/meta.properties")
    assert.include((yield* eventsOf("Pod"))[0], "Warning BackOff: Back-off restarting failed container kafka")
    yield* TestClock.adjust("5 minutes")
    assert.deepStrictEqual(yield* standing, ["NotReady TimeoutException"])
    // Without the old claim there is nothing in the way.
    yield* kube("DELETE", pathOf("kafkanodepools", "events-pool"))
    yield* kube("DELETE", pathOf("kafkas", "events"))
    yield* TestClock.adjust("10 seconds")
    yield* kube("DELETE", pathOf("persistentvolumeclaims", "data-0-events-events-pool-0"))
    yield* TestClock.adjust("10 seconds")
    yield* makePool("events")
    yield* makeKafka()
    yield* TestClock.adjust("20 seconds")
    assert.deepStrictEqual(yield* standing, ["Ready"])
  }).pipe(Effect.provide(Memory))
)

it.effect("a test can break a cluster, and heal it", () =>
  Effect.gen(function* () {
    yield* ready()
    const { world } = yield* SimulatedCloud
    const events = { namespace, name: "events", kind: "Kafka" } as const
    assert.isTrue(fail(world.kubernetes, events, "FatalProblem", "the broker is on fire"))
    assert.deepInclude((yield* conditions)[0], {
      type: "NotReady",
      reason: "FatalProblem",
      message: "the broker is on fire"
    })
    heal(world.kubernetes, events)
    yield* TestClock.adjust("10 seconds")
    assert.deepStrictEqual(yield* standing, ["Ready"])
  }).pipe(Effect.provide(Memory))
)

import { assert, describe, it } from "@effect/vitest"
import { changedNote, kafkaStanding, postgresStanding } from "@portico/domain/databases/status"
import type { KubernetesObject } from "@portico/upstream/kubernetes/Kubernetes"

interface Said {
  readonly phase?: string
  readonly phaseReason?: string
  readonly instances?: number
  readonly readyInstances?: number
  readonly currentPrimary?: string
  readonly image?: string
  readonly resizingPVC?: ReadonlyArray<string>
  readonly observedGeneration?: number
}

const image = "ghcr.io/cloudnative-pg/postgresql:17.6-system-trixie"

/** A cluster of three that its operator says this of. */
const cluster = (status: Said | undefined, metadata: Readonly<Record<string, unknown>> = {}): KubernetesObject => ({
  metadata: { name: "orders", generation: 2, ...metadata },
  spec: { instances: 3, imageName: image, storage: { size: "20Gi" } },
  ...(status === undefined ? {} : { status })
})

const healthy: Said = {
  phase: "Cluster in healthy state",
  phaseReason: "",
  instances: 3,
  readyInstances: 3,
  currentPrimary: "orders-1",
  image,
  resizingPVC: []
}

const claim = (capacity: string | undefined, role = "PG_DATA"): KubernetesObject => ({
  metadata: { name: "orders-1", labels: { "cnpg.io/pvcRole": role } },
  ...(capacity === undefined ? {} : { status: { capacity: { storage: capacity } } })
})

const claims = [claim("20Gi"), claim("20Gi"), claim("20Gi")]

describe("the status of a CloudNativePG cluster", () => {
  /** Every sentence that it has, and what becomes of it. */
  const sentences = [
    ["Setting up primary", "provisioning"],
    ["Creating a new replica", "provisioning"],
    ["Waiting for the instances to become active", "provisioning"],
    ["Cluster in healthy state", "ready"],
    ["Upgrading cluster", "updating"],
    ["Upgrading Postgres major version", "updating"],
    ["Cluster upgrade delayed", "updating"],
    ["Applying configuration", "updating"],
    ["Primary instance is being restarted in-place", "updating"],
    ["Primary instance is being restarted without a switchover", "updating"],
    ["Online upgrade in progress", "updating"],
    ["Waiting for user action", "updating"],
    ["Switchover in progress", "degraded"],
    ["Failing over", "degraded"],
    ["Promoting to primary cluster", "degraded"],
    ["Cluster is unrecoverable and needs manual intervention", "failing"],
    ["Invalid cluster definition", "failing"],
    ["Unable to create required cluster objects", "failing"],
    ["Cluster has incomplete or invalid image catalog", "failing"],
    ["Cluster cannot proceed to reconciliation due to an unknown plugin being required", "failing"],
    ["Cluster cannot proceed to reconciliation due to an error while interacting with plugins", "failing"],
    ["Cluster cannot proceed to reconciliation because of something new", "failing"],
    ["Cluster cannot execute instance online upgrade due to missing architecture binary", "failing"],
    ["A sentence of a later release", "updating"],
    ["cluster in healthy state", "updating"]
  ] as const

  for (const [phase, status] of sentences) {
    it(`'${phase}' is ${status}`, () => {
      assert.deepStrictEqual(postgresStanding(cluster({ ...healthy, phase }), claims), {
        status,
        reason: status === "ready" ? null : phase
      })
    })
  }

  it("the reason is the operator's phase with its phaseReason", () => {
    const said = { ...healthy, phase: "Failing over", phaseReason: "orders-1 does not answer" }
    assert.strictEqual(postgresStanding(cluster(said), claims).reason, "Failing over: orders-1 does not answer")
  })

  it("an unknown phase without a primary is provisioning", () => {
    const { currentPrimary, ...before } = healthy
    assert.strictEqual(currentPrimary, "orders-1")
    assert.strictEqual(postgresStanding(cluster({ ...before, phase: "New" }), claims).status, "provisioning")
  })

  for (const phase of ["Setting up primary", "Creating a new replica", "Waiting for the instances to become active"]) {
    it(`'${phase}' after a first ready state is updating`, () => {
      const changed = { annotations: { [changedNote]: "2026-01-01T00:00:00Z" } }
      assert.strictEqual(postgresStanding(cluster({ ...healthy, phase }, changed), claims).status, "updating")
    })
  }

  for (const [status, said] of [
    ["no status at all", undefined],
    ["a status without a sentence", { readyInstances: 3, instances: 3 }],
    ["an empty sentence", { ...healthy, phase: "" }]
  ] as const) {
    it(`${status} is pending`, () => {
      assert.deepStrictEqual(postgresStanding(cluster(said), []), {
        status: "pending",
        reason: "the operator has not reported yet"
      })
    })
  }

  /** A cluster that is called healthy, and is not what it is to be. */
  const stale: ReadonlyArray<
    readonly [what: string, said: Said, claims: ReadonlyArray<KubernetesObject>, status: string]
  > = [
    ["an instance has yet to be made", { ...healthy, instances: 2, readyInstances: 2 }, claims, "updating"],
    ["an instance has yet to go", { ...healthy, instances: 4, readyInstances: 4 }, claims, "updating"],
    ["an instance does not answer", { ...healthy, readyInstances: 2 }, claims, "degraded"],
    ["no instance is reported as ready", { phase: healthy.phase ?? "", instances: 3, image }, claims, "degraded"],
    ["another image runs", { ...healthy, image: `${image}-old` }, claims, "updating"],
    ["an older generation was looked at", { ...healthy, observedGeneration: 1 }, claims, "updating"],
    ["a claim is being grown", { ...healthy, resizingPVC: ["orders-2"] }, claims, "updating"],
    ["a claim is smaller than asked for", healthy, [claim("20Gi"), claim("10Gi"), claim("20Gi")], "updating"],
    ["a claim is not bound", healthy, [claim("20Gi"), claim(undefined), claim("20Gi")], "updating"]
  ]

  for (const [what, said, held, status] of stale) {
    it(`a healthy cluster is ${status} while ${what}`, () => {
      const standing = postgresStanding(cluster(said), held)
      assert.strictEqual(standing.status, status)
      assert.isNotNull(standing.reason)
    })
  }

  it("a claim for WAL has a size of its own", () => {
    assert.strictEqual(postgresStanding(cluster(healthy), [...claims, claim("1Gi", "PG_WAL")]).status, "ready")
  })

  it("a cluster with a deletionTimestamp is deleting in any phase", () => {
    for (const phase of [healthy.phase ?? "", "Invalid cluster definition", ""]) {
      const going = cluster({ ...healthy, phase }, { deletionTimestamp: "2026-01-01T00:00:00Z" })
      assert.strictEqual(postgresStanding(going, claims).status, "deleting")
    }
  })
})

describe("the status of a Strimzi Kafka", () => {
  const listeners = [{ name: "plain", bootstrapServers: "log-kafka-bootstrap.db-1.svc:9092" }]

  const kafka = (
    conditions: ReadonlyArray<object> | undefined,
    more: Readonly<Record<string, unknown>> = {}
  ): KubernetesObject => ({
    metadata: { name: "log", generation: 1 },
    spec: { kafka: { version: "4.3.1" } },
    ...(conditions === undefined ? {} : { status: { observedGeneration: 1, listeners, conditions, ...more } })
  })

  const pool = (observedGeneration = 1): KubernetesObject => ({
    metadata: { name: "pool-1", generation: 1, labels: { "strimzi.io/cluster": "log" } },
    spec: { replicas: 1, storage: { type: "jbod", volumes: [{ id: 0, type: "persistent-claim", size: "20Gi" }] } },
    status: { observedGeneration, nodeIds: [0] }
  })

  const held = [claim("20Gi")]
  const ready = [{ type: "Ready", status: "True" }]
  const not = (reason: string, message = "") => [{ type: "NotReady", status: "True", reason, message }]
  const worked = { operatorLastSuccessfulVersion: "1.2.0" }

  const table: ReadonlyArray<
    readonly [what: string, Parameters<typeof kafkaStanding>, status: string, reason: string | null]
  > = [
    ["nothing", [kafka(undefined), pool(), []], "pending", "the operator has not reported yet"],
    ["no condition", [kafka([]), pool(), []], "pending", "the operator has not reported yet"],
    [
      "a warning alone",
      [kafka([{ type: "Warning", status: "True" }]), pool(), []],
      "pending",
      "the operator has not reported yet"
    ],
    ["Ready", [kafka(ready), pool(), held], "ready", null],
    ["Ready beside a warning", [kafka([{ type: "Warning", status: "True" }, ...ready]), pool(), held], "ready", null],
    [
      "Ready that is not true",
      [kafka([{ type: "Ready", status: "False" }]), pool(), held],
      "pending",
      "the operator has not reported yet"
    ],
    [
      "Ready of an older generation of the pool",
      [kafka(ready), pool(0), held],
      "updating",
      "the operator has not acted on the last change yet"
    ],
    [
      "Ready of an older generation of the Kafka",
      [kafka(ready, { observedGeneration: 0 }), pool(), held],
      "updating",
      "the operator has not acted on the last change yet"
    ],
    [
      "Ready while a claim has not grown yet",
      [kafka(ready), pool(), [claim("10Gi")]],
      "updating",
      "the storage of an instance is still being grown"
    ],
    [
      "Creating",
      [kafka(not("Creating", "Kafka cluster is being deployed")), pool(), []],
      "provisioning",
      "Creating: Kafka cluster is being deployed"
    ],
    ["Creating, after it worked once", [kafka(not("Creating"), worked), pool(), held], "updating", "Creating"],
    [
      "an unsupported version",
      [kafka(not("UnsupportedKafkaVersionException", "Unsupported Kafka.spec.kafka.version: 1.0")), pool(), []],
      "failing",
      "UnsupportedKafkaVersionException: Unsupported Kafka.spec.kafka.version: 1.0"
    ],
    [
      "a resource that is invalid",
      [kafka(not("InvalidResourceException"), worked), pool(), held],
      "failing",
      "InvalidResourceException"
    ],
    [
      "a refusal of the API server",
      [kafka(not("KubernetesClientException")), pool(), []],
      "failing",
      "KubernetesClientException"
    ],
    [
      "a failure of an older generation",
      [kafka(not("InvalidResourceException"), { ...worked, observedGeneration: 0 }), pool(), held],
      "updating",
      "InvalidResourceException"
    ],
    ["a time-out while it is made", [kafka(not("TimeoutException")), pool(), []], "provisioning", "TimeoutException"],
    ["a time-out later", [kafka(not("TimeoutException"), worked), pool(), held], "degraded", "TimeoutException"],
    ["something new", [kafka(not("SomethingNew"), worked), pool(), held], "degraded", "SomethingNew"],
    [
      "a Kafka without its pool",
      [kafka(ready), undefined, []],
      "failing",
      "its node pool is missing: a create or a delete was cut short; send it again"
    ],
    [
      "a pool without its Kafka",
      [undefined, pool(), []],
      "failing",
      "its Kafka resource is missing: a create or a delete was cut short; send it again"
    ]
  ]

  for (const [what, [some, nodes, of], status, reason] of table) {
    it(`${what} is ${status}`, () => {
      assert.deepStrictEqual(kafkaStanding(some, nodes, of), { status, reason })
    })
  }

  it("a Kafka or pool with a deletionTimestamp is deleting", () => {
    const going = { deletionTimestamp: "2026-01-01T00:00:00Z" }
    const goingPool = { ...pool(), metadata: { ...pool().metadata, ...going } }
    assert.strictEqual(kafkaStanding(kafka(ready), goingPool, held).status, "deleting")
    const goingKafka = { ...kafka(ready), metadata: { ...kafka(ready).metadata, ...going } }
    assert.strictEqual(kafkaStanding(goingKafka, undefined, []).status, "deleting")
  })
})

import { assert, describe, it } from "@effect/vitest"
import { type Footprint, footprints } from "@portico/domain/databases/ceilings"
import { bytesOf, gibOf } from "@portico/domain/kubernetes/fields"
import type { KubernetesObject } from "@portico/upstream/kubernetes/Kubernetes"

const gib = 1024 ** 3

const cluster = (name: string, spec: object): KubernetesObject => ({ metadata: { name, uid: `uid-${name}` }, spec })

const pool = (name: string, kafka: string, replicas: unknown, storage: unknown): KubernetesObject => ({
  metadata: { name, uid: `uid-${name}`, labels: { "strimzi.io/cluster": kafka } },
  spec: { replicas, storage }
})

const jbod = (...volumes: ReadonlyArray<unknown>) => ({ type: "jbod", volumes })
const persistent = (size: string) => ({ type: "persistent-claim", size })

const claim = (name: string, size: string, meta: object = {}): KubernetesObject => ({
  metadata: { name, ...meta },
  spec: { resources: { requests: { storage: size } } }
})

const ownedBy = (uid: string) => ({ ownerReferences: [{ uid }] })

/** What is in a namespace, as `key claims sizeGiB`. */
const counted = (holdings: {
  readonly clusters?: ReadonlyArray<KubernetesObject>
  readonly kafkas?: ReadonlyArray<KubernetesObject>
  readonly pools?: ReadonlyArray<KubernetesObject>
  readonly claims?: ReadonlyArray<KubernetesObject>
}): Readonly<Record<string, string>> => {
  const all: ReadonlyMap<string, Footprint> = footprints({
    clusters: [],
    kafkas: [],
    pools: [],
    claims: [],
    ...holdings
  })
  return Object.fromEntries([...all].map(([key, _]) => [key, `${_.claims} claims, ${_.bytes / gib} GiB`]))
}

const orders = cluster("orders", { instances: 3, storage: { size: "20Gi" } })
const events = pool("pool-1", "events", 1, jbod(persistent("30Gi")))

describe("the footprint of a namespace", () => {
  it("an empty namespace counts nothing", () => {
    assert.deepStrictEqual(counted({}), { rest: "0 claims, 0 GiB" })
  })

  const clusters: ReadonlyArray<readonly [what: string, spec: object, footprint: string]> = [
    ["three instances", { instances: 3, storage: { size: "20Gi" } }, "3 claims, 60 GiB"],
    ["one instance, by default", { storage: { size: "20Gi" } }, "1 claims, 20 GiB"],
    ["a log of its own", { instances: 2, storage: { size: "20Gi" }, walStorage: { size: "5Gi" } }, "4 claims, 50 GiB"],
    [
      "tablespaces",
      {
        instances: 2,
        storage: { size: "1Gi" },
        tablespaces: [
          { name: "a", storage: { size: "2Gi" } },
          { name: "b", storage: { size: "3Gi" } }
        ]
      },
      "6 claims, 12 GiB"
    ],
    [
      "a size in a template",
      { instances: 1, storage: { pvcTemplate: { resources: { requests: { storage: "7Gi" } } } } },
      "1 claims, 7 GiB"
    ],
    ["other units", { instances: 1, storage: { size: "2048Mi" } }, "1 claims, 2 GiB"],
    ["no size that is one", { instances: 2, storage: { size: "much" } }, "2 claims, 0 GiB"],
    ["no storage", { instances: 2 }, "2 claims, 0 GiB"]
  ]
  for (const [what, spec, footprint] of clusters) {
    it(`a cluster: ${what}`, () => {
      assert.deepStrictEqual(counted({ clusters: [cluster("orders", spec)] }), {
        "postgres/orders": footprint,
        rest: "0 claims, 0 GiB"
      })
    })
  }

  const pools: ReadonlyArray<readonly [what: string, replicas: unknown, storage: unknown, footprint: string]> = [
    ["one volume", 1, jbod(persistent("30Gi")), "1 claims, 30 GiB"],
    ["three nodes of two volumes", 3, jbod(persistent("30Gi"), persistent("10Gi")), "6 claims, 120 GiB"],
    ["volumes that are not a list", 2, persistent("30Gi"), "2 claims, 60 GiB"],
    ["volumes that end with their pod", 3, jbod({ type: "ephemeral", sizeLimit: "9Gi" }), "0 claims, 0 GiB"],
    ["no replicas", undefined, jbod(persistent("30Gi")), "0 claims, 0 GiB"]
  ]
  for (const [what, replicas, storage, footprint] of pools) {
    it(`a node pool: ${what}`, () => {
      assert.deepStrictEqual(counted({ pools: [pool("p", "events", replicas, storage)] }), {
        "kafka/events": footprint,
        rest: "0 claims, 0 GiB"
      })
    })
  }

  it("the pools of one Kafka are one database, with the Kafka or without it", () => {
    const both = [events, pool("pool-2", "events", 2, jbod(persistent("1Gi")))]
    const kafka = { metadata: { name: "events", uid: "uid-events" } }
    for (const kafkas of [[], [kafka]]) {
      assert.deepStrictEqual(counted({ pools: both, kafkas }), {
        "kafka/events": "3 claims, 32 GiB",
        rest: "0 claims, 0 GiB"
      })
    }
  })

  it("a cluster and a Kafka of one name are two databases", () => {
    const namesake = cluster("events", { instances: 1, storage: { size: "1Gi" } })
    assert.deepStrictEqual(counted({ clusters: [namesake], pools: [events] }), {
      "postgres/events": "1 claims, 1 GiB",
      "kafka/events": "1 claims, 30 GiB",
      rest: "0 claims, 0 GiB"
    })
  })

  it("a database's claims are not counted twice", () => {
    const claims = [1, 2, 3].map((_) => claim(`orders-${_}`, "20Gi", ownedBy("uid-orders")))
    assert.deepStrictEqual(counted({ clusters: [orders], claims }), {
      "postgres/orders": "3 claims, 60 GiB",
      rest: "0 claims, 0 GiB"
    })
  })

  it("claims that have not yet shrunk with their database count by their size", () => {
    const claims = [1, 2, 3, 4].map((_) => claim(`orders-${_}`, "25Gi", ownedBy("uid-orders")))
    assert.deepStrictEqual(counted({ clusters: [orders], claims }), {
      "postgres/orders": "4 claims, 100 GiB",
      rest: "0 claims, 0 GiB"
    })
  })

  it("a claim that a pool would leave behind counts for the pool while that exists", () => {
    const labels = { "strimzi.io/cluster": "events", "strimzi.io/pool-name": "pool-1" }
    const claims = [claim("data-0-events-pool-1-0", "30Gi", { labels })]
    assert.deepStrictEqual(counted({ pools: [events], claims }), {
      "kafka/events": "1 claims, 30 GiB",
      rest: "0 claims, 0 GiB"
    })
    assert.deepStrictEqual(counted({ claims }), { rest: "1 claims, 30 GiB" })
  })

  it("claims of removed databases, and of the tenant's own, count too", () => {
    const claims = [claim("orders-1", "20Gi", ownedBy("uid-of-an-earlier-life")), claim("scratch", "5Gi")]
    assert.deepStrictEqual(counted({ clusters: [orders], claims }), {
      "postgres/orders": "3 claims, 60 GiB",
      rest: "2 claims, 25 GiB"
    })
  })

  it("a database's label does not hide a claim that another owns", () => {
    const labels = { "cnpg.io/cluster": "orders" }
    assert.deepStrictEqual(counted({ clusters: [orders], claims: [claim("scratch", "5Gi", { labels })] }), {
      "postgres/orders": "3 claims, 60 GiB",
      rest: "1 claims, 5 GiB"
    })
  })
})

describe("quantities", () => {
  const table: ReadonlyArray<readonly [quantity: unknown, bytes: number]> = [
    ["20Gi", 20 * gib],
    ["1.5Gi", 1.5 * gib],
    ["1Ti", 1024 * gib],
    ["1Ki", 1024],
    ["5G", 5e9],
    ["1k", 1000],
    ["1e3", 1000],
    ["2E3", 2000],
    ["1E", 1e18],
    ["500m", 0.5],
    ["7", 7],
    [7, 7],
    [".5Ki", 512],
    ["-1Gi", 0],
    ["", 0],
    ["Gi", 0],
    ["1GiB", 0],
    ["1 Gi", 0],
    [undefined, 0],
    [null, 0],
    [{}, 0]
  ]
  for (const [quantity, bytes] of table) {
    it(`${JSON.stringify(quantity)} is ${bytes} bytes`, () => {
      assert.strictEqual(bytesOf(quantity), bytes)
    })
  }

  it("a part of a GiB counts as one GiB", () => {
    assert.deepStrictEqual([0, 1, gib, gib + 1].map(gibOf), [0, 1, 1, 2])
  })
})

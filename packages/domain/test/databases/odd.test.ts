import { assert, it } from "@effect/vitest"
import { DatabaseDetail, DatabaseRecord } from "@portico/contract/Databases"
import { listDatabases, showDatabase } from "@portico/domain/databases/read"
import { bytesOf, gibOf } from "@portico/domain/kubernetes/fields"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { inTime } from "@portico/testing/clock"
import { Simulated } from "@portico/testing/cloud/Simulated"
import { Effect, Schema } from "effect"
import { create, withNamespace } from "./databases.ts"

/** What the API server says of one of the databases, beside another one. */
const odd: Readonly<Record<string, unknown>> = {
  "a hugely negative number of instances": { instances: -1e23 },
  "a huge number of instances": { instances: 1e23 },
  "half an instance": { instances: 1.5 },
  "a text for its instances": { instances: "2" },
  "an endless size": { storage: { size: "1e999Gi" } },
  "a huge size": { storage: { size: `${"9".repeat(300)}Ei` } },
  "a huge number for its size": { storage: { size: 1e300 } },
  "an empty spec": {}
}

const isRecord = Schema.is(DatabaseRecord)
const isDetail = Schema.is(DatabaseDetail)

for (const [what, spec] of Object.entries(odd)) {
  it.effect(`a database with ${what} is shown with its known fields, and does not break the list`, () =>
    Effect.gen(function* () {
      const projectId = yield* withNamespace("standard")
      for (const name of ["orders", "sound"]) yield* create(projectId, { name })
      const { kubernetes } = (yield* SimulatedCloud).world
      const clusters = kubernetes.objects["clusters.postgresql.cnpg.io"] ?? {}
      const [key = ""] = Object.keys(clusters).filter((_) => _.endsWith("/orders"))
      const cluster = clusters[key]
      assert.ok(cluster)
      const { bootstrap, imageName } = Object(cluster["spec"])
      clusters[key] = { ...cluster, spec: { bootstrap, imageName, ...Object(spec) } }

      const { databases } = yield* inTime(listDatabases(projectId))
      assert.deepStrictEqual(databases.map((_) => _.name).toSorted(), ["orders", "sound"])
      for (const database of databases) assert.isTrue(isRecord(database), JSON.stringify(database))
      assert.deepInclude(
        databases.find((_) => _.name === "sound"),
        { size_gb: 20, replicas: 1 }
      )
      assert.isTrue(isDetail(yield* inTime(showDatabase(projectId, "postgres", "orders"))))
    }).pipe(Effect.provide(Simulated))
  )
}

it("a quantity is at most the API server's maximum, and a size at most the answer's", () => {
  assert.strictEqual(bytesOf("1e400"), 2 ** 63 - 1)
  assert.strictEqual(bytesOf("8Ei"), 2 ** 63 - 1)
  assert.strictEqual(bytesOf("20Gi"), 20 * 1024 ** 3)
  assert.strictEqual(gibOf(bytesOf("20Gi")), 20)
  assert.strictEqual(gibOf(Number.MAX_VALUE), Number.MAX_SAFE_INTEGER)
})

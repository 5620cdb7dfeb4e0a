import { assert, layer } from "@effect/vitest"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { DateTime, Effect, Layer } from "effect"
import { Cast } from "../harness/Cast.ts"
import { jsonOf, TestGateway } from "../harness/TestGateway.ts"

const Everything = Cast.layer.pipe(Layer.provideMerge(TestGateway.layer))

const databases = "/v1/databases"
const orders = { engine: "postgres", name: "orders", version: "17", size_gb: 2, backup: { enabled: true } }

const as = (tier: 0 | 1 | 2) =>
  Effect.fnUntraced(function* (method: string, path: string, body?: unknown) {
    const { acme } = yield* Cast
    return yield* (yield* TestGateway).call("customer", method, path, { token: acme.tokens[tier], body })
  })

/** Its first backup is complete since an hour, as its operator says. */
const backedUp = Effect.gen(function* () {
  const { acme } = yield* Cast
  const { kubernetes } = (yield* SimulatedCloud).world
  const clusters = (kubernetes.objects["clusters.postgresql.cnpg.io"] ??= {})
  const key = `db-${acme.projectId}/orders`
  const cluster = clusters[key]
  if (cluster === undefined) return yield* Effect.die("there is no such cluster")
  const at = DateTime.formatIso(DateTime.subtract(yield* DateTime.now, { hours: 1 }))
  const archiving = [{ type: "ContinuousArchiving", status: "True" }]
  clusters[key] = {
    ...cluster,
    status: { conditions: archiving, firstRecoverabilityPoint: at, lastSuccessfulBackup: at }
  }
})

/** What a create is refused for, where the issue is, and the words. */
const refused: ReadonlyArray<readonly [backup: unknown, field: string, words: string]> = [
  [{ enabled: true, schedule: "30 2 * * *" }, "schedule", "six fields with one space between them"],
  [{ enabled: true, schedule: "0 61 2 * * *" }, "schedule", "minute 0-59"],
  [{ enabled: true, schedule: "0 */5 * * * *" }, "schedule", "at most one backup an hour"],
  [{ enabled: true, schedule: "0 0 2 31 2 *" }, "schedule", "a schedule that comes within five years"],
  [{ enabled: true, retention_days: 0 }, "retention_days", "a whole number of days from 1 to 365"],
  [{ enabled: true, retention_days: 366 }, "retention_days", "a whole number of days from 1 to 365"]
]

layer(Everything)("backups and restores over the wire", (it) => {
  it.effect("an inconsistent backup block is a 422 with the rule", () =>
    Effect.gen(function* () {
      for (const [backup, field, words] of refused) {
        const answer = yield* as(1)("POST", databases, { ...orders, backup })
        assert.strictEqual(answer.status, 422, answer.text)
        const [issue] = jsonOf(answer).detail
        assert.deepStrictEqual(issue.loc, ["body", "backup", field])
        assert.include(issue.msg, words)
      }
    })
  )

  it.effect("a restore takes tier 1 and a backup, and answers 201 with a pending copy", () =>
    Effect.gen(function* () {
      const made = yield* as(1)("POST", databases, orders)
      assert.strictEqual(made.status, 201, made.text)
      const path = `${databases}/postgres/orders/restore`
      const body = { name: "orders-copy" }

      assert.strictEqual((yield* as(0)("POST", path, body)).status, 403)
      const early = yield* as(1)("POST", path, body)
      assert.deepStrictEqual([early.status, jsonOf(early).code], [409, "no_backup_yet"])
      yield* backedUp

      const window = jsonOf(yield* as(0)("GET", `${databases}/postgres/orders`)).backup
      const outside = yield* as(1)("POST", path, { ...body, to_point_in_time: "1960-01-01T00:00:00Z" })
      assert.deepStrictEqual([outside.status, jsonOf(outside).code], [422, "outside_recovery_window"])
      const size = yield* as(1)("POST", path, { ...body, size_gb: 1 })
      assert.deepStrictEqual([size.status, jsonOf(size).code], [422, "restore_too_small"])
      const future = yield* as(1)("POST", path, { ...body, to_point_in_time: "2096-01-01T00:00:00Z" })
      assert.deepStrictEqual([future.status, jsonOf(future).code], [409, "recovery_point_not_archived"])
      assert.include(jsonOf(outside).detail, `from ${window.earliest_recovery_point} to `)
      for (const to_point_in_time of ["2026-01-01T00:00:00", "yesterday", "2026-02-30T00:00:00Z", ""]) {
        const answer = yield* as(1)("POST", path, { ...body, to_point_in_time })
        assert.strictEqual(answer.status, 422, answer.text)
        assert.deepStrictEqual(jsonOf(answer).detail[0].loc, ["body", "to_point_in_time"])
      }

      const long = yield* as(1)("POST", path, { name: "r".repeat(48) })
      assert.strictEqual(long.status, 422, long.text)
      assert.deepStrictEqual(jsonOf(long).detail[0].loc, ["body", "name"])
      assert.include(jsonOf(long).detail[0].msg, "47")

      const answer = yield* as(1)("POST", path, { ...body, to_point_in_time: window.earliest_recovery_point })
      assert.strictEqual(answer.status, 201, answer.text)
      assert.deepInclude(jsonOf(answer), {
        engine: "postgres",
        name: "orders-copy",
        version: "17",
        size_gb: 2,
        status: "pending",
        restored_from: "orders"
      })
      const taken = yield* as(1)("POST", path, body)
      assert.deepStrictEqual([taken.status, jsonOf(taken).code], [409, "database_exists"])
    })
  )
})

import { assert, describe, it } from "@effect/vitest"
import { BackupSchedule } from "@portico/contract/BackupSchedule"
import { nameLengths, restoredNameLength } from "@portico/contract/Databases"
import { parseSchedule } from "@portico/simulator/kubernetes/operators/cnpg/cron"
import { isHere, named, readingsOf } from "@portico/testing/operators/cloudnativepg"
import { Simulated } from "@portico/testing/cloud/Simulated"
import { tenantOf } from "@portico/testing/tenants/tenant"
import { DateTime, Effect, Result, Schema } from "effect"
import * as fc from "fast-check"
import { readFileSync } from "node:fs"
import { at } from "@portico/domain/kubernetes/fields"
import { create, minutes, objects, objectOf, restore, show } from "./backups.ts"

const scripts = `${import.meta.dirname}/../../../../scripts/parts`

it("the running operator has the release whose kinds are tested", () => {
  const [release] = /\bv1\.\d+\.\d+\b/.exec(readFileSync(`${scripts}/cloudnativepg.sh`, "utf8")) ?? []
  assert.include(readFileSync(`${scripts}/kubernetes.sh`, "utf8"), `cnpg=${release} `)
})

describe.skipIf(!isHere)("the real operator", () => {
  it.effect(named("takes every cluster and schedule that is made and restored, with the longest names"), () =>
    Effect.gen(function* () {
      const projectId = yield* tenantOf("extension")
      const source = "o".repeat(nameLengths.postgres)
      yield* create(projectId, {
        name: source,
        replicas: 2,
        size_gb: 1,
        backup: { enabled: true, retention_days: 365 }
      })
      yield* minutes(70)
      const point = DateTime.formatIso(DateTime.subtract(yield* DateTime.now, { minutes: 30 }))
      const of = { engine: "postgres", name: source }
      yield* restore(projectId, { name: "r".repeat(restoredNameLength), replicas: 3, to_point_in_time: point }, of)
      yield* restore(projectId, { name: "newest" }, of)
      const clusters = yield* objects(projectId, "clusters")
      const schedules = yield* objects(projectId, "schedules")
      assert.deepStrictEqual([clusters.length, schedules.length], [3, 3])
      const readings = readingsOf([
        ...clusters.map((cluster) => ({ cluster })),
        ...schedules.map((scheduled) => ({ scheduled, now: point }))
      ])
      assert.deepStrictEqual(
        readings.flatMap((_) => _.refused ?? []),
        []
      )
      const jobs = readings.flatMap((_) => _.job ?? [])
      assert.deepStrictEqual(
        jobs.map((_) => _.hostname),
        [null, null]
      )
      assert.strictEqual(Math.max(...jobs.map((_) => _.name.length)), 63)
    }).pipe(Effect.provide(Simulated))
  )

  it.effect(named("finds the backup that begins the recovery window, at any fraction of a second"), () =>
    Effect.gen(function* () {
      const projectId = yield* tenantOf("standard")
      yield* create(projectId)
      yield* minutes(65)
      for (const [index, fraction] of ["", ".000001", ".4", ".999999"].entries()) {
        const ended = `${DateTime.formatIso(yield* DateTime.now).slice(0, 14)}00:03${fraction}+00:00`
        const backup = {
          backup_id: "first",
          begin_time_iso: ended,
          end_time_iso: ended,
          begin_wal: "000000010000000000000001",
          end_wal: "000000010000000000000001",
          timeline: 1,
          error: ""
        }
        const catalog = { backups_list: [backup] }
        const [{ first = "" } = {}] = readingsOf([{ catalog, target: ended }])
        const cluster = yield* objectOf(projectId, "clusters", "orders")
        Object.assign(Object(cluster["status"]), { firstRecoverabilityPoint: first })
        const point = (yield* show(projectId)).backup?.earliest_recovery_point ?? ""
        yield* restore(projectId, { name: `copy-${index}`, to_point_in_time: point })
        const copy = yield* objectOf(projectId, "clusters", `copy-${index}`)
        const target = String(at(copy, "spec", "bootstrap", "recovery", "recoveryTarget", "targetTime"))
        assert.deepInclude(readingsOf([{ catalog, target }])[0], { backup: "first" }, `${fraction}: ${target}`)
      }
    }).pipe(Effect.provide(Simulated))
  )

  it(named("runs every schedule that a create takes when the simulated one does"), () => {
    const now = Date.parse("2026-05-28T12:00:00Z")
    const between = (from: number, to: number) => fc.integer({ min: from, max: to }).map(String)
    const field = (from: number, to: number) => {
      const ranges = fc.tuple(fc.integer({ min: from, max: to }), fc.integer({ min: from, max: to }))
      const range = ranges.map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`)
      const part = fc.oneof(fc.constant("*"), between(from, to), range)
      const stepped = fc.oneof(
        part,
        fc.tuple(part, fc.integer({ min: 1, max: 99 })).map(([_, step]) => `${_}/${step}`)
      )
      return fc.array(stepped, { minLength: 1, maxLength: 3 }).map((_) => _.join(","))
    }
    const months = fc.oneof(field(1, 12), fc.constantFrom("JAN", "feb-MAR", "Oct/2"))
    const weekdays = fc.oneof(field(0, 6), fc.constantFrom("MON-FRI", "sun", "Tue,THU"))
    const schedule = fc
      .tuple(between(0, 59), between(0, 59), field(0, 23), field(1, 31), months, weekdays)
      .map((_) => _.join(" "))
    const taken = fc.sample(schedule, 400).filter(Schema.is(BackupSchedule))
    assert.isAbove(taken.length, 200)
    const spec = (text: string) => ({
      spec: { schedule: text, cluster: { name: "orders" }, method: "barmanObjectStore" }
    })
    const readings = readingsOf(taken.map((_) => ({ scheduled: spec(_), now: new Date(now).toISOString() })))
    const simulated = (text: string) =>
      Result.match(parseSchedule(text), { onSuccess: (_) => _.next(now) ?? null, onFailure: (_) => _ })
    assert.deepStrictEqual(
      taken.map((_) => [_, undefined, simulated(_)]),
      taken.map((_, n) => {
        const next = readings[n]?.next ?? ""
        return [_, readings[n]?.refused, next.startsWith("0001") ? null : Date.parse(next)]
      })
    )
    assert.deepStrictEqual(
      taken.filter((_) => simulated(_) === null),
      []
    )
  })
})

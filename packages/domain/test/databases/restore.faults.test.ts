import { it } from "@effect/vitest"
import { restoreDatabase } from "@portico/domain/databases/restore"
import { Effect } from "effect"
import { create, faultsThatMatter, minutes, orders, survives } from "./backups.ts"
import { inTime } from "@portico/testing/clock"
import { callsOf } from "@portico/testing/faults/calls"
import { from, seedOf } from "@portico/testing/cloud/seeded"
import { tenantOf } from "@portico/testing/tenants/tenant"
import { sampled } from "@portico/testing/sample/sampled"

const anHourLater = Effect.gen(function* () {
  const projectId = yield* tenantOf("standard")
  yield* create(projectId)
  yield* minutes(65)
  return projectId
})

const live = from(await seedOf(anHourLater))
const make = (projectId: string) => restoreDatabase(projectId, orders, { name: "copy" })

const calls = await seedOf(Effect.flatMap(anHourLater, (_) => callsOf(inTime(make(_)))))

for (const call of sampled("calls of a restore", 12, calls.made)) {
  it.effect(
    `a restore succeeds or is undone when ${call.service} ${call.method} ${call.path}, call ${call.nth}, fails`,
    () =>
      Effect.forEach(
        faultsThatMatter(call),
        (fault) => live((projectId) => survives(projectId, "copy", make(projectId), fault)),
        {
          discard: true
        }
      )
  )
}

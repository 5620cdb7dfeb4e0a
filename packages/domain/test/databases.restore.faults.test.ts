import { it } from "@effect/vitest"
import { restoreDatabase } from "@portico/domain/databases/restore"
import { Effect } from "effect"
import { create, faultsThatMatter, minutes, orders, survives } from "./backups.ts"
import { inTime } from "./clock.ts"
import { callsOf } from "./faults.ts"
import { from, seedOf } from "./seeded.ts"
import { tenantOf } from "./tenant.ts"

const anHourLater = Effect.gen(function* () {
  const projectId = yield* tenantOf("standard")
  yield* create(projectId)
  yield* minutes(65)
  return projectId
})

const live = from(await seedOf(anHourLater))
const make = (projectId: string) => restoreDatabase(projectId, orders, { name: "copy" })

const calls = await seedOf(Effect.flatMap(anHourLater, (_) => callsOf(inTime(make(_)))))

for (const call of calls.made) {
  it.effect(
    `a restore comes to a good end when ${call.service} ${call.method} ${call.path}, call ${call.nth}, fails`,
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

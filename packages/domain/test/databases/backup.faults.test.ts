import { it } from "@effect/vitest"
import { createDatabase } from "@portico/domain/databases/create"
import { Effect } from "effect"
import { faultsThatMatter, request, survives } from "./backups.ts"
import { inTime } from "@portico/testing/clock"
import { callsOf } from "@portico/testing/faults/calls"
import { from, seedOf } from "@portico/testing/cloud/seeded"
import { tenantOf } from "@portico/testing/tenants/tenant"
import { sampled } from "@portico/testing/sample/sampled"

const seed = await seedOf(tenantOf("standard"))
const live = from(seed)
const make = (projectId: string) => createDatabase(projectId, request)

const calls = await seedOf(Effect.flatMap(tenantOf("standard"), (_) => callsOf(inTime(make(_)))))

for (const call of sampled("calls of a create", 14, calls.made)) {
  it.effect(
    `a create with backups succeeds or is undone when ${call.service} ${call.method} ${call.path}, call ${call.nth}, fails`,
    () =>
      Effect.forEach(
        faultsThatMatter(call),
        (fault) => live((projectId) => survives(projectId, "orders", make(projectId), fault)),
        {
          discard: true
        }
      )
  )
}

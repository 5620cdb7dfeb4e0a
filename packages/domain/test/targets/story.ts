import { it } from "@effect/vitest"
import { from, seedOf } from "@portico/testing/cloud/seeded"
import type { Simulated } from "@portico/testing/cloud/Simulated"
import { Memory } from "@portico/testing/store/Memory"
import { tenantOf } from "@portico/testing/tenants/tenant"
import { Effect, type Layer, type Scope } from "effect"
import { atWork, elapse } from "../deliveries/deliveries.ts"
import { integrating } from "./integrations.ts"

const tenants = await seedOf(
  Effect.gen(function* () {
    return { acme: yield* tenantOf("discovery"), globex: yield* tenantOf("discovery", "Globex") }
  })
)
export const live = from(tenants)

export type World = Layer.Success<typeof integrating> | Layer.Success<typeof Simulated> | Scope.Scope

export const story = <E>(
  title: string,
  tell: (_: { readonly acme: string; readonly globex: string }) => Effect.Effect<void, E, World>
) =>
  it.effect(title, () =>
    live((_) =>
      Effect.gen(function* () {
        // How the tenants came is in the log, whose numbers begin anew here.
        const { events } = yield* Memory
        events.clear()
        yield* tell(_)
      }).pipe(Effect.scoped, Effect.provide(integrating))
    )
  )

export const page = { limit: 100, after: undefined }
const alarm = { alarm_id: "alm-1", alarm_name: "hot", severity: "critical", previous: "ok", current: "alarm" }
export const hot = {
  data: { ...alarm, reason: "cpu was high", metric: "cpu", instance_id: "i-1", group_id: null }
} as const

/** The engine at work, after its first look. */
export const began = Effect.andThen(atWork, elapse("1 second"))

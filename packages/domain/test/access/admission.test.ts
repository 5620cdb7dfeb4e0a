import { assert, it } from "@effect/vitest"
import { Admission } from "@portico/domain/access/Admission"
import { AgentSettings } from "@portico/store/AgentSettings"
import { settle } from "@portico/testing/clock"
import { Simulated } from "@portico/testing/cloud/Simulated"
import { Memory } from "@portico/testing/store/Memory"
import { administrator, callerOf } from "@portico/testing/tenants/caller"
import { Effect } from "effect"
import { TestClock } from "effect/testing"

const decided = { project_id: "p-1", confirm: [], updated_by: "owner@people.example" }
const admitted = Effect.flatMap(Admission, (_) => _.admit(callerOf("p-1")))

it.effect("an administrator, who has no tenant, is not bound by any tenant's decision", () =>
  Effect.flatMap(Admission, (_) => _.admit(administrator)).pipe(Effect.provide(Simulated))
)

it.effect("the gateway applies a decision at once when notified, and within a second otherwise", () =>
  Effect.gen(function* () {
    yield* admitted
    yield* (yield* AgentSettings).put({ ...decided, enabled: false })
    yield* settle
    assert.strictEqual((yield* Effect.flip(admitted)).code, "agents_disabled")

    const { agentSettings } = yield* Memory
    const row = agentSettings.get("p-1") ?? (yield* Effect.die("no settings"))
    agentSettings.set("p-1", { ...row, enabled: true })
    assert.strictEqual((yield* Effect.flip(admitted)).code, "agents_disabled")
    yield* TestClock.adjust("1 second")
    yield* admitted
  }).pipe(Effect.provide(Simulated))
)

import { assert, it } from "@effect/vitest"
import { endAgents, sweepEndedAgents } from "@portico/domain/agents/end"
import { mint, sweepMints } from "@portico/domain/credentials/mint"
import { reconcileExposures, sweepEdge } from "@portico/domain/edge/reconcile"
import { removeExposure } from "@portico/domain/edge/remove"
import { onboard } from "@portico/domain/onboarding/onboard"
import { sweep } from "@portico/domain/onboarding/withdraw"
import { inviteUser } from "@portico/domain/org/invite"
import { sweepMembers } from "@portico/domain/org/remove"
import type { Fault } from "@portico/simulator/Fault"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { cleanSlate, everything } from "@portico/testing/cloud/cleanSlate"
import { Simulated } from "@portico/testing/cloud/Simulated"
import { inTime, pass } from "@portico/testing/clock"
import { callsOf, titleOf, under, whensOf } from "@portico/testing/faults/calls"
import { inDyingProcess } from "@portico/testing/faults/dying"
import { sampled } from "@portico/testing/sample/sampled"
import { Memory } from "@portico/testing/store/Memory"
import { administrator, ownerOf } from "@portico/testing/tenants/caller"
import { Duration, Effect, type Layer } from "effect"
import { TestClock } from "effect/testing"
import { acmeAndGlobex, atService, exposed } from "./edge/edge.ts"

type Needs = Layer.Success<typeof Simulated>

/** A job that cleans up behind a dead process. */
interface Sweep {
  readonly what: string
  /** Leaves what it has to clean up, with a lease that has passed; succeeds with what was there without it. */
  readonly left: Effect.Effect<Effect.Success<typeof everything> | undefined, unknown, Needs>
  readonly sweep: Effect.Effect<unknown, unknown, Needs>
  /** Nothing of it is left. */
  readonly over: (
    before: Effect.Success<typeof everything> | undefined,
    because: string
  ) => Effect.Effect<void, unknown, Needs>
}

const asBefore: Sweep["over"] = Effect.fnUntraced(function* (before, because) {
  assert.deepStrictEqual(yield* everything, before, because)
})

/** The call has its effect, and the process that made it is gone. */
const dying = (
  service: Fault["service"],
  method: string,
  path: string,
  effect: Effect.Effect<unknown, unknown, Needs>
) => under({ service, method, path, when: "after", as: "hang" }, inDyingProcess(effect))

/** No exposure is left, and no object of one. */
const nothingExposed: Sweep["over"] = Effect.fnUntraced(function* (_, because) {
  const { kubernetes } = (yield* SimulatedCloud).world
  const { exposures } = yield* Memory
  const objects = Object.values(kubernetes.objects).flatMap((all) => Object.values(all))
  const left = objects.filter((_) => _.metadata.labels?.["portico/exposure-id"] !== undefined)
  assert.deepStrictEqual([exposures.size, left], [0, []], because)
})

const sweeps: ReadonlyArray<Sweep> = [
  {
    what: "an onboarding",
    left: Effect.gen(function* () {
      yield* dying("zitadel", "PUT", "/management/v1/users/*/secret", onboard({ name: "Acme", tier: "standard" }))
      yield* pass(130)
      return undefined
    }),
    sweep,
    over: (_, because) => cleanSlate(because)
  },
  {
    what: "a mint",
    left: Effect.gen(function* () {
      const { caller, tenant } = yield* ownerOf("standard")
      const before = yield* everything
      const minting = mint(caller, tenant, { kind: "api-key", tier: 1, label: "ci" })
      yield* dying("zitadel", "POST", "/management/v1/users/*/pats", minting)
      yield* pass(130)
      return before
    }),
    sweep: sweepMints,
    over: asBefore
  },
  {
    what: "an invitation",
    left: Effect.gen(function* () {
      const { tenant } = yield* ownerOf("standard")
      const before = yield* everything
      const inviting = inviteUser(administrator, {
        email: "ann@acme.example",
        role: "customer",
        project_id: tenant.projectId
      })
      yield* dying("zitadel", "POST", "/management/v1/users/*/grants", inviting)
      yield* pass(130)
      return before
    }),
    sweep: sweepMembers,
    over: asBefore
  },
  {
    what: "ended agents",
    left: Effect.gen(function* () {
      const { caller, tenant } = yield* ownerOf("standard")
      for (const label of ["one", "two"]) yield* inTime(mint(caller, tenant, { kind: "mcp", tier: 0, label }))
      yield* inTime(endAgents(administrator, tenant.projectId))
      return undefined
    }),
    sweep: sweepEndedAgents,
    over: Effect.fnUntraced(function* (_, because) {
      const { credentials } = yield* Memory
      const { zitadel } = (yield* SimulatedCloud).world
      const ended = [...credentials.values()].filter((_) => _.kind === "mcp")
      assert.lengthOf(ended, 2, because)
      const states = ended.map((_) => [_.state, zitadel.users[_.user_id]?.state])
      assert.deepStrictEqual(
        states,
        ended.map(() => ["revoked", "USER_STATE_INACTIVE"]),
        because
      )
    })
  },
  {
    what: "an exposure whose removal was cut short",
    left: Effect.gen(function* () {
      const { acme } = yield* acmeAndGlobex
      const { exposure_id } = yield* exposed(acme, atService)
      yield* dying("kubernetes", "DELETE", "/apis/**/httproutes/*", removeExposure(acme, exposure_id))
      yield* pass(130)
      return undefined
    }),
    sweep: Effect.andThen(TestClock.adjust("1 minute"), reconcileExposures(Duration.seconds(10))),
    over: nothingExposed
  },
  {
    what: "the edge, with a deleted row",
    left: Effect.gen(function* () {
      const { acme } = yield* acmeAndGlobex
      yield* exposed(acme, atService)
      const { exposures } = yield* Memory
      exposures.clear()
      return undefined
    }),
    sweep: sweepEdge(),
    over: nothingExposed
  }
]

for (const { left, over, sweep, what } of sweeps) {
  const calls = await Effect.runPromise(
    Effect.andThen(left, callsOf(inTime(sweep))).pipe(Effect.provide(Simulated), Effect.provide(TestClock.layer()))
  )
  assert.isNotEmpty(calls, what)
  const deaths = calls.flatMap((call) => whensOf(call).map((when): Fault => ({ ...call, when, as: "hang" })))
  for (const fault of sampled(`deaths of a sweep of ${what}`, 3, deaths)) {
    it.effect(`another replica completes the sweep of ${what} when the process dies: ${titleOf(fault)}`, () =>
      Effect.gen(function* () {
        const before = yield* left
        yield* under(fault, inDyingProcess(sweep))
        yield* pass(180)
        yield* inTime(sweep)
        // What may come late is looked for once more.
        yield* pass(180)
        yield* inTime(sweep)
        yield* over(before, titleOf(fault))
      }).pipe(Effect.provide(Simulated))
    )
  }
}

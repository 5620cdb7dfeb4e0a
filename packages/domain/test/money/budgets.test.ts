import { assert, it } from "@effect/vitest"
import { createBudget, listBudgets, mostBudgets, removeBudget } from "@portico/domain/money/budgets"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect, Exit, Fiber, type Layer } from "effect"
import { TestClock } from "effect/testing"
import { administrator, callerOf } from "@portico/testing/tenants/caller"
import { inTime, pass, settle } from "@portico/testing/clock"
import { callsOf, faultsOf, type NamedCall, titleOf, under, whensOf } from "@portico/testing/faults/calls"
import { Jobs, Whole } from "./money.ts"
import { tenantOf } from "@portico/testing/tenants/tenant"

const story = <E>(title: string, test: () => Effect.Effect<void, E, Layer.Success<typeof Jobs>>) =>
  it.effect(title, () => Effect.provide(test(), Jobs))

const acme = callerOf("acme")
const globex = callerOf("globex")
const monthly = { amount_cents: 10_000, period: "monthly" } as const
const page = { limit: 100, after: undefined }

const create = createBudget(acme, undefined, monthly)
const remove = (id: string, caller = acme) => removeBudget(caller, "customer", undefined, id)
const budgets = (caller = acme) =>
  Effect.map(inTime(listBudgets(caller, "customer", undefined, page)), (_) => _.budgets)

/** What the service holds, whatever the lists say. */
const held = Effect.map(SimulatedCloud, ({ world }) => Object.keys(world.billing.budgets))

const absent = (id: string) => ["NotFound", "budget_not_found", `Budget '${id}' not found`]

const refused = <A>(
  effect: Effect.Effect<
    A,
    { readonly _tag: string; readonly code: string; readonly detail: unknown },
    Layer.Success<typeof Jobs>
  >
) => Effect.map(Effect.flip(inTime(effect)), (_) => [_._tag, _.code, _.detail])

story("a tenant creates budgets of its own, and removes them one by one", () =>
  Effect.gen(function* () {
    const first = yield* inTime(create)
    assert.match(first.budget_id, /^bdg-[0-9a-f-]{36}$/)
    assert.deepStrictEqual(first, {
      budget_id: first.budget_id,
      amount_cents: 10_000,
      currency: "EUR",
      period: "monthly",
      project_id: "acme",
      tenant_name: "",
      created_at: "1970-01-01T00:00:00.000Z",
      created_by: "user-of-acme",
      last_breached_period: null
    })
    yield* TestClock.adjust("1 minute")
    const second = yield* inTime(createBudget(acme, undefined, { ...monthly, amount_cents: 1 }))
    assert.deepStrictEqual(yield* budgets(), [first, second])
    assert.deepStrictEqual(yield* budgets(globex), [])

    assert.deepStrictEqual(yield* inTime(remove(first.budget_id)), first)
    assert.deepStrictEqual(yield* budgets(), [second])
    assert.deepStrictEqual(yield* refused(remove(first.budget_id)), absent(first.budget_id))
  })
)

story("another tenant's budget, an unknown one and a malformed id are the same 404", () =>
  Effect.gen(function* () {
    const { budget_id } = yield* inTime(create)
    for (const id of [budget_id, "bdg-00000000-0000-4000-8000-000000000000", "../budgets", "", "bdg-", "%00"]) {
      assert.deepStrictEqual(yield* refused(remove(id, globex)), absent(id))
    }
    assert.lengthOf(yield* held, 1)
  })
)

story("a tenant has at most fifty, including older ones: of concurrent creates one gets the last place", () =>
  Effect.gen(function* () {
    for (let n = 0; n < mostBudgets - 1; n++) yield* inTime(create)
    const creates = Array.from({ length: 3 }, () => Effect.result(create))
    const results = yield* inTime(Effect.all(creates, { concurrency: "unbounded" }))
    assert.deepStrictEqual(
      results.flatMap((_) => (_._tag === "Failure" ? [_.failure.detail] : [])),
      Array.from(
        { length: 2 },
        () => "The tenant's ceiling of budgets is reached: requested 1, used 50, limit 50, remaining 0"
      )
    )
    yield* inTime(createBudget(globex, undefined, monthly))
    // A tenant from before the ceiling.
    const { world } = yield* SimulatedCloud
    const [first] = Object.values(world.billing.budgets)
    if (first === undefined) return assert.fail("it has budgets")
    const budget_id = "bdg-00000000-0000-4000-8000-000000000001"
    world.billing.budgets[budget_id] = { ...first, budget_id }
    assert.strictEqual((yield* Effect.flip(inTime(create))).code, "ceiling_reached")
    assert.lengthOf(yield* budgets(), mostBudgets + 1)
  })
)

story("a malformed id is refused without a call", () =>
  Effect.gen(function* () {
    const calls = yield* callsOf(Effect.ignore(remove(`bdg-${"x".repeat(1000)}`)))
    assert.deepStrictEqual(calls, [])
  })
)

const tenantStory = <E>(title: string, test: () => Effect.Effect<void, E, Layer.Success<typeof Whole>>) =>
  it.effect(title, () => Effect.provide(test(), Whole))

tenantStory("an administrator creates and removes budgets of a named tenant, on the operator plane by id", () =>
  Effect.gen(function* () {
    const projectId = yield* tenantOf("discovery", "Acme")
    assert.strictEqual((yield* Effect.flip(createBudget(administrator, undefined, monthly))).code, "tenant_required")
    const first = yield* inTime(createBudget(administrator, projectId, monthly))
    assert.deepInclude(first, { project_id: projectId, tenant_name: "Acme", created_by: "operator" })
    const second = yield* inTime(createBudget(administrator, projectId, monthly))
    yield* inTime(create)

    const all = yield* inTime(listBudgets(administrator, "operator", undefined, page))
    assert.strictEqual(all.count, 3)
    const elsewhere = removeBudget(administrator, "customer", undefined, first.budget_id)
    assert.strictEqual((yield* Effect.flip(elsewhere)).code, "tenant_required")
    const other = (yield* budgets())[0]?.budget_id ?? ""
    const named = removeBudget(administrator, "operator", projectId, other)
    assert.strictEqual((yield* Effect.flip(inTime(named))).code, "budget_not_found")
    assert.deepStrictEqual(yield* inTime(removeBudget(administrator, "customer", projectId, first.budget_id)), first)
    assert.deepStrictEqual(yield* inTime(removeBudget(administrator, "operator", undefined, second.budget_id)), second)
    assert.deepStrictEqual(yield* held, [other])
  })
)

story("the list comes in pages, oldest first, with the number of all", () =>
  Effect.gen(function* () {
    const made: Array<string> = []
    for (let n = 0; n < 7; n++) {
      made.push((yield* inTime(create)).budget_id)
      if (n % 2 === 0) yield* TestClock.adjust("1 second")
    }
    const read: Array<string> = []
    let after: { readonly at: number; readonly id: string } | undefined
    do {
      const found = yield* inTime(listBudgets(acme, "customer", undefined, { limit: 3, after }))
      assert.strictEqual(found.count, 7)
      read.push(...found.budgets.map((_) => _.budget_id))
      const last = found.budgets.at(-1)
      after =
        found.next_cursor === null || last === undefined
          ? undefined
          : { at: Date.parse(last.created_at), id: last.budget_id }
    } while (after !== undefined)
    assert.sameMembers(read, made)
    assert.lengthOf(read, 7)
  })
)

story("a limit of the billing service is refused with its message", () =>
  Effect.gen(function* () {
    const detail = "The project has 20 budgets already, which is the most that it may have"
    yield* (yield* SimulatedCloud).fault({
      service: "billing",
      method: "PUT",
      path: "/v1/budgets/*",
      when: "before",
      as: { status: 409, body: { error: { code: "too_many_budgets", message: detail } } }
    })
    assert.deepStrictEqual(yield* refused(create), ["Conflict", "billing_conflict", detail])
    assert.lengthOf(yield* held, 0)
  })
)

story("two concurrent creates are two budgets; two removals of one remove it once, both succeed", () =>
  Effect.gen(function* () {
    const [one, two] = yield* inTime(Effect.all([create, create], { concurrency: 2 }))
    assert.notStrictEqual(one.budget_id, two.budget_id)
    // Long enough that each has seen the budget before the other removes it.
    const slow = { method: "DELETE", path: "/v1/budgets/*", when: "before", as: { delay_ms: 1000 } } as const
    yield* (yield* SimulatedCloud).fault({ service: "billing", ...slow, times: "always" })
    const both = yield* inTime(Effect.all([remove(one.budget_id), remove(one.budget_id)], { concurrency: 2 }))
    assert.deepStrictEqual(both, [one, one])
    assert.deepStrictEqual(yield* held, [two.budget_id])
  })
)

// --- whatever fails, there is the budget that the answer says, or none --------------

const calls = await Effect.runPromise(callsOf(create).pipe(Effect.provide(Jobs)))

it("a create is two calls, the first of which counts the budgets", () =>
  assert.deepStrictEqual(
    calls.map((_) => _.method),
    ["GET", "PUT"]
  ))

const isTrue = Effect.fnUntraced(function* (exit: Exit.Exit<{ readonly budget_id: string }, unknown>, because: string) {
  assert.deepStrictEqual(yield* held, Exit.isSuccess(exit) ? [exit.value.budget_id] : [], because)
})

const hasRoom = (call: NamedCall) => ({ ...call, path: call.path.replace("*", "**") })

for (const call of calls.map(hasRoom)) {
  for (const fault of faultsOf(call)) {
    story(`a create has the answered effect: ${titleOf(fault)}`, () =>
      Effect.gen(function* () {
        yield* isTrue(yield* Effect.exit(under(fault, inTime(create))), titleOf(fault))
      })
    )
    story(`a create that fails every time leaves nothing: ${titleOf(fault)}`, () =>
      Effect.gen(function* () {
        const exit = yield* Effect.exit(under({ ...fault, times: "always" }, inTime(create)))
        assert.isTrue(Exit.isFailure(exit))
        yield* isTrue(exit, titleOf(fault))
      })
    )
  }

  story("a create with a late effect, after it was given up, leaves nothing", () =>
    Effect.gen(function* () {
      const fault = { ...call, times: "always", when: "before", as: { delay_ms: 60_000 } } as const
      const exit = yield* Effect.exit(under(fault, inTime(create)))
      assert.isTrue(Exit.isFailure(exit))
      yield* pass(120)
      yield* isTrue(exit, "after all of it has arrived")
    })
  )

  for (const when of whensOf(call)) {
    for (const as of [{ delay_ms: 3000 }, "reset", "hang"] as const) {
      story(`a create completes when its client disconnects: ${titleOf({ ...call, when, as })}`, () =>
        Effect.gen(function* () {
          const request = yield* under({ ...call, when, as }, Effect.tap(Effect.forkDetach(create), settle))
          yield* settle
          yield* Fiber.interrupt(request).pipe(Effect.forkChild)
          yield* pass(60)
          assert.lengthOf(yield* held, 1)
        })
      )
    }
  }
}

const removing = { service: "billing", method: "DELETE", path: "/v1/budgets/*", nth: 1 } as const

for (const fault of faultsOf(removing)) {
  story(`a removal that succeeds has removed, and one that fails can be repeated: ${titleOf(fault)}`, () =>
    Effect.gen(function* () {
      const { budget_id } = yield* inTime(create)
      const exit = yield* Effect.exit(under(fault, inTime(remove(budget_id))))
      if (Exit.isSuccess(exit)) return assert.deepStrictEqual(yield* held, [])
      const again = yield* Effect.exit(inTime(remove(budget_id)))
      assert.strictEqual(Exit.isSuccess(again), fault.when === "before", titleOf(fault))
      assert.deepStrictEqual(yield* held, [])
    })
  )
}

for (const as of [{ delay_ms: 3000 }, "reset", "hang"] as const) {
  const fault = { ...removing, when: "before", as } as const
  story(`a removal completes when its client disconnects: ${titleOf(fault)}`, () =>
    Effect.gen(function* () {
      const { budget_id } = yield* inTime(create)
      const request = yield* under(fault, Effect.tap(Effect.forkDetach(remove(budget_id)), settle))
      yield* settle
      yield* Fiber.interrupt(request).pipe(Effect.forkChild)
      yield* pass(60)
      assert.deepStrictEqual(yield* held, [])
    })
  )
}

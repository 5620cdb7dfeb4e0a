import { assert, it } from "@effect/vitest"
import { withWords } from "@portico/contract/formerWords"
import { pageRequestOf, positionOf } from "@portico/contract/Page"
import { listJournal } from "@portico/domain/onboarding/journal"
import { onboard } from "@portico/domain/onboarding/onboard"
import { OnboardingSteps, step } from "@portico/domain/onboarding/Step"
import { network, project, subnet } from "@portico/domain/onboarding/steps"
import { retry, sweep } from "@portico/domain/onboarding/withdraw"
import { listTenants } from "@portico/domain/tenants/list"
import { Journal } from "@portico/store/Journal"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { UpstreamError } from "@portico/upstream/UpstreamError"
import { Cause, Context, Deferred, Effect, Exit, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { cleanSlate, tables } from "@portico/testing/cloud/cleanSlate"
import { inTime, settle } from "@portico/testing/clock"
import { callsOf } from "@portico/testing/faults/calls"
import { inDyingProcess } from "@portico/testing/faults/dying"
import { Simulated } from "@portico/testing/cloud/Simulated"
import { Memory } from "@portico/testing/store/Memory"
import { whole } from "@portico/testing/tenants/whole"

const acme = { name: "Acme GmbH", tier: "standard" } as const

/** A system of the platform's own: rooms by project, each with the stamp of its attempt. */
class Rooms extends Context.Service<
  Rooms,
  {
    readonly booked: Map<string, string>
    readonly broken: {
      do: boolean
      undo: "no" | "refuses" | "is a defect"
      opens: Effect.Effect<void>
      closes: Effect.Effect<void>
    }
  }
>()("test/Rooms") {
  static readonly layer = Layer.sync(Rooms, () =>
    Rooms.of({ booked: new Map(), broken: { do: false, undo: "no", opens: Effect.void, closes: Effect.void } })
  )
}

const refused = (call: string) =>
  new UpstreamError({ upstream: "rooms", call, status: 403, detail: "the door is locked" })

const room = step({
  name: "room",
  needs: [project],
  do: Effect.fnUntraced(function* ({ stamp }, made) {
    const { booked, broken } = yield* Rooms
    booked.set(made(project).id, stamp)
    yield* broken.opens
    if (broken.do) return yield* refused("book")
    return "room"
  }),
  undo: Effect.fnUntraced(function* ({ stamp }) {
    const { booked, broken } = yield* Rooms
    yield* broken.closes
    if (broken.undo === "refuses") return yield* refused("cancel")
    if (broken.undo === "is a defect") return yield* Effect.die("no such door")
    for (const [id, holder] of booked) if (holder === stamp) booked.delete(id)
  })
})

/** Stands on the added step, and remembers what that made. */
const keys = step({
  name: "keys",
  needs: [room],
  do: (_, made) => Effect.succeed(`keys to the ${made(room)}`),
  undo: () => Effect.void
})

const Composed = OnboardingSteps.layer(room, keys).pipe(Layer.provideMerge(Rooms.layer), Layer.provideMerge(Simulated))

/** What a step makes is read from its own result, never from that of another which makes something of the same type. */
const unordered = step({
  name: "unordered",
  needs: [network],
  do: (_, made) =>
    // @ts-expect-error: the subnet is not among the needs, so it may not be there yet
    Effect.sync(() => [made(network), made(subnet)]),
  undo: () => Effect.void
})

/** Without needs there is nothing to read. */
const alone = step({
  name: "alone",
  // @ts-expect-error: the project is not among the needs
  do: (_, made) => Effect.sync(() => made(project)),
  undo: () => Effect.void
})

it.effect("the result of an undeclared step is a defect, where the types were bypassed", () =>
  Effect.gen(function* () {
    const attempt = {
      id: "1",
      slug: "acme",
      name: "Acme",
      tier: "standard",
      stamp: "s",
      projectId: "",
      owner: undefined
    } as const
    for (const one of [unordered, alone]) {
      const exit = yield* Effect.exit(one.run(attempt))
      assert.include(String(Exit.isFailure(exit) && Cause.squash(exit.cause)), "has not run")
    }
  })
)

it.effect("an added step runs with the built-in ones, after its needs", () =>
  Effect.gen(function* () {
    const onboarded = yield* inTime(onboard(acme))
    yield* whole(onboarded, "an added step")
    assert.deepStrictEqual([...(yield* Rooms).booked.keys()], [onboarded.tenant.project_id])
  }).pipe(Effect.provide(Composed))
)

it.effect("while it runs, the tenant is pending and the journal lists the done steps", () =>
  Effect.gen(function* () {
    const page = { limit: 10, after: undefined }
    const { broken } = yield* Rooms
    const opened = yield* Deferred.make<void>()
    broken.opens = Deferred.await(opened)
    const running = yield* Effect.forkChild(onboard(acme))
    yield* settle
    const [entry] = (yield* listJournal()).onboardings
    assert.isDefined(entry)
    if (entry === undefined) return
    const { attempt_id, name, slug, started_at, state, tier } = entry
    const steps = new Map(entry.steps.map((_) => [_.step, _.done]))
    assert.deepStrictEqual([name, state, entry.step], [acme.name, "running", "room"])
    assert.deepStrictEqual(
      ["project", "network", "room", "keys"].map((_) => steps.get(_)),
      [true, true, false, false]
    )
    const listed = yield* listTenants(page)
    assert.deepStrictEqual([listed.count, listed.tenants], [0, []])
    assert.deepStrictEqual(listed.pending, [{ state: "pending", attempt_id, slug, name, tier, started_at }])

    yield* Deferred.succeed(opened, undefined)
    const { tenant } = yield* inTime(Fiber.join(running))
    const { pending, tenants } = yield* listTenants(page)
    assert.deepStrictEqual([tenants.map((_) => _.project_id), pending], [[tenant.project_id], []])
  }).pipe(Effect.provide(Composed))
)

it.effect("the journal names the step being withdrawn, and none once it is stuck or resting", () =>
  Effect.gen(function* () {
    const { broken } = yield* Rooms
    const opened = yield* Deferred.make<void>()
    broken.do = true
    broken.closes = Deferred.await(opened)
    const running = yield* Effect.forkChild(Effect.exit(onboard(acme)))
    yield* settle
    const rows = Effect.map(listJournal(), (_) => _.onboardings.map(({ state, step }) => [state, step]))
    assert.deepStrictEqual(yield* rows, [["withdrawing", "room"]])
    assert.deepStrictEqual((yield* listJournal(pageRequestOf({}), "withdrawing")).count, 1)
    assert.deepStrictEqual((yield* listJournal(pageRequestOf({}), "running")).onboardings, [])

    broken.undo = "refuses"
    yield* Deferred.succeed(opened, undefined)
    yield* inTime(Fiber.join(running))
    assert.deepStrictEqual(yield* rows, [["stuck", null]])
  }).pipe(Effect.provide(Composed))
)

it.effect("the last step runs when all others are done, and the journal has pages", () =>
  Effect.gen(function* () {
    const cloud = yield* SimulatedCloud
    const tag = { service: "keystone", method: "PUT", path: "/v3/projects/*/tags/*" } as const
    yield* cloud.fault({ ...tag, when: "before", as: "hang" })
    const running = yield* Effect.forkChild(Effect.exit(onboard(acme)))
    yield* settle
    const journal = yield* Journal
    const others = ["second", "third"].map((_) => ({ attempt_id: _, name: _, slug: _, tier: "standard" as const }))
    for (const other of others)
      yield* journal.open({ ...other, steps: ["project", "network", "elsewhere", "tier tag"] })
    const first = yield* listJournal({ limit: 2, after: undefined })
    assert.deepStrictEqual([first.count, first.onboardings.length], [3, 2])
    const rest = yield* listJournal({ limit: 2, after: positionOf(first.next_cursor ?? "") })
    assert.deepStrictEqual([rest.count, rest.next_cursor, rest.onboardings.length], [3, null, 1])
    const steps = [...first.onboardings, ...rest.onboardings].map((_) => `${_.name}: ${_.step}`)
    assert.sameMembers(steps, ["Acme GmbH: tier tag", "second: project", "third: project"])
    yield* inTime(Fiber.join(running))
  }).pipe(Effect.provide(Composed))
)

it.effect("the journal shows no step while none can run, and withdraws only begun ones", () =>
  Effect.gen(function* () {
    const { onboardings } = yield* Memory
    const journal = yield* Journal
    for (const [name, steps, change, expected] of [
      ["waits", ["project", "elsewhere", "tier tag"], { done: ["project"] }, null],
      ["is nearly over", ["project", "tier tag"], { done: ["project"] }, "tier tag"],
      ["begins to end", ["project", "network", "subnet"], { state: "withdrawing" }, "subnet"],
      ["ends", ["project", "network", "subnet"], { state: "withdrawing", withdrawn: ["subnet"] }, "network"]
    ] as const) {
      yield* journal.open({ attempt_id: name, name, slug: name, tier: "standard", steps: [...steps] })
      const row = onboardings.get(name)
      assert.isDefined(row)
      onboardings.set(name, { ...row, ...change })
      const { onboardings: listed } = yield* listJournal()
      assert.strictEqual(listed.find((_) => _.name === name)?.step, expected, name)
    }
  }).pipe(Effect.provide(Composed))
)

it.effect("a live tenant, or one in rollback, is not pending", () =>
  Effect.gen(function* () {
    const page = { limit: 10, after: undefined }
    const { broken } = yield* Rooms
    Object.assign(broken, { do: true, undo: "refuses" })
    yield* Effect.exit(inTime(onboard(acme)))
    assert.deepStrictEqual(
      (yield* listJournal()).onboardings.map((_) => _.state),
      ["stuck"]
    )
    Object.assign(broken, { do: false, undo: "no" })
    const { tenant } = yield* inTime(onboard({ ...acme, name: "Globex" }))
    const { pending, tenants } = yield* listTenants(page)
    assert.deepStrictEqual([tenants.map((_) => _.project_id), pending], [[tenant.project_id], []])
  }).pipe(Effect.provide(Composed))
)

it.effect("a failing added step rolls everything back, with its message in the answer", () =>
  Effect.gen(function* () {
    const { booked, broken } = yield* Rooms
    broken.do = true
    const failure = yield* Effect.flip(inTime(onboard(acme)))
    assert.strictEqual(failure.detail, "Onboarding stopped at room: rooms book: the door is locked")
    assert.deepInclude(failure, { code: "onboarding_failed", transient: false })
    assert.strictEqual(booked.size, 0)
    yield* cleanSlate("the added step")
  }).pipe(Effect.provide(Composed))
)

it.effect("an added step is undone when a built-in one fails", () =>
  Effect.gen(function* () {
    const cloud = yield* SimulatedCloud
    const tag = { service: "keystone", method: "PUT", path: "/v3/projects/*/tags/*" } as const
    yield* cloud.fault({ ...tag, when: "before", as: { status: 503 } })
    yield* Effect.flip(inTime(onboard(acme)))
    assert.strictEqual((yield* Rooms).booked.size, 0)
    yield* cleanSlate("a built-in step")
  }).pipe(Effect.provide(Composed))
)

for (const [undo, message] of [
  ["refuses", "rooms cancel: the door is locked"],
  ["is a defect", "the undo itself is broken"]
] as const) {
  it.effect(`an added step whose undo ${undo} keeps its project, and a retry finishes it`, () =>
    Effect.gen(function* () {
      const { broken } = yield* Rooms
      broken.do = true
      broken.undo = undo
      const failure = yield* Effect.flip(inTime(onboard(acme)))
      assert.deepInclude(failure, { left: ["room", "project"] })
      const [row] = (yield* listJournal()).onboardings
      assert.deepStrictEqual(row?.left, [
        { step: "room", message, words: message },
        withWords({ step: "project", message: "kept until room is removed" })
      ])
      broken.undo = "no"
      assert.isTrue((yield* inTime(retry(row?.attempt_id ?? ""))).removed)
      yield* cleanSlate("the retry")
    }).pipe(Effect.provide(Composed))
  )
}

it.effect("a process without an added step leaves the entry to one with it", () =>
  Effect.gen(function* () {
    const cloud = yield* SimulatedCloud
    const { booked } = yield* Rooms
    const secret = { service: "zitadel", method: "PUT", path: "/management/v1/users/*/secret" } as const
    yield* cloud.fault({ ...secret, when: "after", as: "hang" })
    yield* inDyingProcess(onboard(acme))
    yield* cloud.clearFaults
    assert.strictEqual(booked.size, 1)

    yield* TestClock.adjust("121 seconds")
    yield* inTime(Effect.provideService(sweep, OnboardingSteps, []))
    const [row] = (yield* listJournal()).onboardings
    assert.strictEqual(row?.state, "stuck")
    assert.deepStrictEqual(
      row?.left.filter((_) => _.step === "room"),
      [
        withWords({
          step: "room",
          message: "this process does not know the step; start it with the same onboarding steps as the others"
        })
      ]
    )
    assert.strictEqual(booked.size, 1)

    assert.isTrue((yield* inTime(retry(row?.attempt_id ?? ""))).removed)
    assert.strictEqual(booked.size, 0)
    yield* cleanSlate("a process that knows the step")
    assert.deepStrictEqual((yield* tables)["onboardings"], [])
  }).pipe(Effect.provide(Composed))
)

it.effect("a layer of steps on top of another adds to it", () =>
  Effect.gen(function* () {
    yield* inTime(onboard(acme))
    assert.strictEqual((yield* Rooms).booked.size, 1)
    assert.deepStrictEqual(
      (yield* OnboardingSteps).map((_) => _.name),
      ["room", "keys"]
    )
  }).pipe(
    Effect.provide(
      OnboardingSteps.layer(keys).pipe(
        Layer.provideMerge(OnboardingSteps.layer(room)),
        Layer.provideMerge(Rooms.layer),
        Layer.provideMerge(Simulated)
      )
    )
  )
)

it.effect("two steps of one name are a defect, before any call", () =>
  Effect.gen(function* () {
    const cause = yield* Effect.exit(onboard(acme))
    assert.include(String(cause), "two onboarding steps are named 'room'")
    yield* cleanSlate("two steps of one name")
  }).pipe(
    Effect.provide(
      OnboardingSteps.layer(room, room).pipe(Layer.provideMerge(Rooms.layer), Layer.provideMerge(Simulated))
    )
  )
)

it.effect("a taken name is refused before any call", () =>
  Effect.gen(function* () {
    yield* inTime(onboard(acme))
    const again = Effect.flip(inTime(onboard(acme)))
    const calls = yield* callsOf(Effect.map(again, (_) => assert.strictEqual(_.code, "organisation_name_taken")))
    const written = calls.filter(({ method, path }) => method !== "GET" && path !== "/v3/auth/tokens")
    assert.deepStrictEqual(written, [])
  }).pipe(Effect.provide(Simulated))
)

it.effect("a rollback continues when an undone step cannot be recorded", () =>
  Effect.gen(function* () {
    const away = Effect.map(Journal, (_) => Journal.of({ ..._, withdrew: () => Effect.die("the database is away") }))
    const cloud = yield* SimulatedCloud
    const tag = { service: "keystone", method: "PUT", path: "/v3/projects/*/tags/*" } as const
    yield* cloud.fault({ ...tag, when: "before", as: { status: 403 } })
    const failure = yield* Effect.flip(inTime(Effect.provideServiceEffect(onboard(acme), Journal, away)))
    assert.strictEqual(failure.code, "onboarding_failed")
    yield* cleanSlate("a journal that records nothing")
  }).pipe(Effect.provide(Simulated))
)

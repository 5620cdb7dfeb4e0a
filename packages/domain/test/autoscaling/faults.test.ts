import { assert, it } from "@effect/vitest"
import { lifecycleTopic } from "@portico/contract/Events"
import { removeGroup, updateGroup } from "@portico/domain/autoscaling/change"
import { reconcileGroups } from "@portico/domain/autoscaling/reconcile"
import { createGroup } from "@portico/domain/autoscaling/create"
import { listGroups, showGroup } from "@portico/domain/autoscaling/read"
import { removeProject } from "@portico/domain/projects/remove"
import { showContents } from "@portico/domain/projects/show"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Memory } from "@portico/testing/store/Memory"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { converged, ended, exactly, groupOf, serversOf, template } from "./autoscaling.ts"
import { administrator, callerOf } from "@portico/testing/tenants/caller"
import { inTime, pass, settle } from "@portico/testing/clock"
import { callsOf, titleOf, whensOf } from "@portico/testing/faults/calls"
import { someFaultsOf } from "@portico/testing/faults/some"
import { inMortalProcess } from "@portico/testing/faults/mortal"
import { carriedOut, cloudState } from "../projects/purged.ts"
import { from, seedOf } from "@portico/testing/cloud/seeded"
import { Simulated } from "@portico/testing/cloud/Simulated"
import { tenantOf } from "@portico/testing/tenants/tenant"
import { sampled } from "@portico/testing/sample/sampled"

interface Made {
  readonly projectId: string
  readonly groupId: string
}

const growing = await seedOf(
  Effect.gen(function* () {
    const projectId = yield* tenantOf("discovery")
    return { projectId, groupId: yield* groupOf(projectId, { desired: 2 }) } satisfies Made
  })
)

/** Two servers are there, and then something else is wanted. */
const grown = <E, R>(wish: (made: Made) => Effect.Effect<unknown, E, R>) =>
  Effect.gen(function* () {
    const projectId = yield* tenantOf("discovery")
    const groupId = yield* groupOf(projectId, { desired: 2 })
    yield* converged(projectId, groupId)
    yield* inTime(wish({ projectId, groupId }))
    return { projectId, groupId } satisfies Made
  })

const breaking = ({ projectId }: Made) =>
  Effect.map(serversOf(projectId), ([server]) => {
    if (server !== undefined) server.vm_state = "error"
  }).pipe(Effect.andThen(pass(60)))

const scenes = [
  { name: "a group that grows", seed: growing, count: 2 },
  {
    name: "a group that shrinks",
    seed: await seedOf(
      grown(({ groupId, projectId }) => updateGroup(callerOf(projectId), projectId, groupId, { desired: 1 }))
    ),
    count: 1
  },
  { name: "a group that replaces a server", seed: await seedOf(grown(breaking)), count: 2 },
  {
    name: "a group that is deleted",
    seed: await seedOf(grown(({ groupId, projectId }) => removeGroup(projectId, groupId))),
    count: 0
  }
]

/** Until it is as it should be; meanwhile there are never more servers than were ever wanted. */
const done = Effect.fnUntraced(function* ({ groupId, projectId }: Made, because: string) {
  const { autoscalingGroups } = yield* Memory
  for (let round = 0; round < 120; round++) {
    yield* inTime(reconcileGroups, "2 seconds")
    assert.isAtMost((yield* serversOf(projectId)).length, 2, because)
    const entry = autoscalingGroups.get(groupId)
    if (entry === undefined || entry.state === "active") return
    yield* pass(10)
  }
  assert.fail(`it does not come to an end: ${because}`)
})

/** Every server that is there was told of once, and every one that is gone too, as long as the platform knew of it. */
const accounted = Effect.fnUntraced(function* (projectId: string, because: string) {
  const { events } = yield* Memory
  const ids = (kind: string) =>
    [...events.values()]
      .filter((_) => _.topic === lifecycleTopic && _.envelope["kind"] === kind)
      .map((_) => _.key)
      .toSorted()
  const created = ids("server.create")
  const deleted = ids("server.delete")
  assert.strictEqual(new Set(created).size, created.length, because)
  assert.strictEqual(new Set(deleted).size, deleted.length, because)
  const there = (yield* serversOf(projectId)).map((_) => _.id).toSorted()
  assert.deepStrictEqual(
    created.filter((_) => !deleted.includes(_)),
    there,
    because
  )
})

const asItShould = Effect.fnUntraced(function* (made: Made, count: number, because: string) {
  yield* done(made, because)
  const { autoscalingGroups } = yield* Memory
  if (autoscalingGroups.has(made.groupId)) yield* exactly(made.projectId, made.groupId, count, because)
  else assert.deepStrictEqual([yield* serversOf(made.projectId), count], [[], 0], because)
  yield* accounted(made.projectId, because)
})

for (const { count, name, seed } of scenes) {
  const begin = from(seed)
  const calls = await Effect.runPromise(
    Effect.provide(
      begin((made) => callsOf(done(made, "the good run"))),
      TestClock.layer()
    )
  )

  for (const call of sampled(`calls of ${name}`, 5, calls)) {
    const title = `${call.service} ${call.method} ${call.path} (${call.nth})`
    it.effect(`${name} ends with exactly its servers when ${title} fails`, () =>
      Effect.forEach(
        someFaultsOf(call),
        (fault) =>
          begin((made) =>
            Effect.gen(function* () {
              yield* (yield* SimulatedCloud).fault(fault)
              yield* asItShould(made, count, titleOf(fault))
            })
          ),
        { discard: true }
      )
    )
    it.effect(`${name} is completed by another replica when the process dies at ${title}`, () =>
      Effect.forEach(
        whensOf(call),
        (when) =>
          begin((made) =>
            Effect.gen(function* () {
              const cloud = yield* SimulatedCloud
              yield* cloud.fault({ ...call, when, as: "hang" })
              const kill = yield* inMortalProcess(
                Effect.forever(Effect.andThen(reconcileGroups, Effect.sleep("2 seconds")))
              )
              for (let second = 0; second < 20; second++) {
                yield* settle
                yield* TestClock.adjust("1 second")
              }
              kill()
              yield* cloud.clearFaults
              yield* pass(130)
              yield* asItShould(made, count, `dead ${when} ${title}`)
            })
          ),
        { discard: true }
      )
    )
  }
}

it.effect("a server that appears after its time-out belongs to the group, without a second one", () =>
  Effect.forEach([15_000, 30_000, 55_000], (delay_ms) =>
    from(growing)((made) =>
      Effect.gen(function* () {
        const cloud = yield* SimulatedCloud
        yield* cloud.fault({ service: "nova", method: "POST", path: "/v2.1/servers", when: "before", as: { delay_ms } })
        yield* asItShould(made, 2, `${delay_ms} ms late`)
        yield* pass(120)
        yield* asItShould(made, 2, `${delay_ms} ms late, and later still`)
      })
    )
  )
)

it.effect("of two servers for one place the second is removed", () =>
  from(growing)((made) =>
    Effect.gen(function* () {
      const cloud = yield* SimulatedCloud
      // It lands when nobody waits for it any more, and another one was asked for.
      yield* cloud.fault({
        service: "nova",
        method: "POST",
        path: "/v2.1/servers",
        when: "before",
        as: { delay_ms: 75_000 }
      })
      for (let second = 0; second < 300; second += 10) {
        yield* inTime(reconcileGroups)
        yield* pass(10)
      }
      const { groupId, projectId } = made
      assert.strictEqual((yield* converged(projectId, groupId)).state, "active")
      yield* exactly(projectId, groupId, 2, "after a late second one")
      yield* accounted(projectId, "after a late second one")
    })
  )
)

it.effect("every failed look-up of the template creates no group, and the create can be repeated", () =>
  from(growing)(({ projectId }) =>
    Effect.gen(function* () {
      const create = (name: string) =>
        inTime(createGroup(callerOf(projectId), projectId, { name, min: 0, max: 1, template }))
      const calls = yield* callsOf(create("first"))
      let n = 0
      for (const call of calls) {
        for (const fault of someFaultsOf(call)) {
          const cloud = yield* SimulatedCloud
          const before = (yield* listGroups(projectId)).count
          yield* cloud.clearCalls
          yield* cloud.fault({ ...fault, nth: 1, times: 9 })
          const name = `g${(n += 1)}`
          const outcome = yield* Effect.result(create(name))
          yield* cloud.clearFaults
          if (outcome._tag === "Failure") {
            assert.include(
              ["BadGateway", "Unprocessable", "Conflict", "Unavailable"],
              outcome.failure._tag,
              titleOf(fault)
            )
            assert.strictEqual((yield* listGroups(projectId)).count, before, titleOf(fault))
            yield* create(name)
          }
          const made = (yield* listGroups(projectId)).groups.find((_) => _.name === name)
          yield* inTime(removeGroup(projectId, made?.group_id ?? ""))
          yield* ended(projectId, made?.group_id ?? "")
        }
      }
    })
  )
)

it.effect("a deletion of the project removes the groups first, and leaves nothing", () =>
  Effect.gen(function* () {
    const without = yield* cloudState
    const projectId = yield* tenantOf("discovery")
    const groupId = yield* groupOf(projectId, { desired: 3 })
    yield* converged(projectId, groupId)
    const { contents } = yield* inTime(showContents(administrator, projectId))
    assert.deepInclude(contents, {
      service: "autoscaling",
      kind: "groups",
      count: 1,
      first: [{ id: groupId, name: "web" }],
      guarded: []
    })
    const confirm = "acme-gmbh"
    yield* inTime(updateGroup(callerOf(projectId), projectId, groupId, { desired: 5 }))
    // One replica grows the group while another one empties the project.
    const removal = { projectId, confirm, requestId: "r" }
    yield* inTime(
      Effect.all([Effect.forEach([1, 2, 3], () => reconcileGroups), removeProject(administrator, removal)], {
        concurrency: 2
      })
    )
    assert.isUndefined(yield* carriedOut(projectId))
    const { autoscalingGroups } = yield* Memory
    assert.strictEqual(autoscalingGroups.size, 0)
    assert.deepStrictEqual(yield* serversOf(projectId), [])
    assert.deepStrictEqual(yield* cloudState, without)
  }).pipe(Effect.provide(Simulated))
)

it.effect("a removal waits for a group that a process holds", () =>
  from(growing)(({ groupId, projectId }) =>
    Effect.gen(function* () {
      const cloud = yield* SimulatedCloud
      yield* cloud.fault({ service: "nova", method: "POST", path: "/v2.1/servers", when: "after", as: "hang" })
      const kill = yield* inMortalProcess(reconcileGroups)
      yield* settle
      kill()
      yield* cloud.clearFaults
      const removal = { projectId, confirm: "acme-gmbh", requestId: "r" }
      yield* inTime(removeProject(administrator, removal))
      assert.deepInclude(yield* showGroup(projectId, groupId), { name: "web" })
      assert.isUndefined(yield* carriedOut(projectId))
      assert.deepStrictEqual(yield* serversOf(projectId), [])
    })
  )
)

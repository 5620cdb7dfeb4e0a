import { assert, it } from "@effect/vitest"
import { asgTopic, lifecycleTopic } from "@portico/contract/Events"
import { removeGroup, updateGroup } from "@portico/domain/autoscaling/change"
import { reconcileGroups } from "@portico/domain/autoscaling/reconcile"
import { createGroup } from "@portico/domain/autoscaling/create"
import { listGroups, showGroup } from "@portico/domain/autoscaling/read"
import { triggerPolicy } from "@portico/domain/autoscaling/trigger"
import { holdProject } from "@portico/domain/projects/hold"
import { moveTier } from "@portico/domain/tenants/moveTier"
import { suspend } from "@portico/domain/tenants/suspend"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Memory } from "@portico/testing/store/Memory"
import { tenantUserName } from "@portico/upstream/openstack/Sessions"
import { Effect } from "effect"
import { converged, ended, exactly, groupOf, serversOf, template, toldOf } from "./autoscaling.ts"
import { callerOf } from "@portico/testing/tenants/caller"
import { inTime, pass } from "@portico/testing/clock"
import { from, seedOf } from "@portico/testing/cloud/seeded"
import { tenantOf } from "@portico/testing/tenants/tenant"

const tenants = await seedOf(
  Effect.gen(function* () {
    return { acme: yield* tenantOf("discovery"), globex: yield* tenantOf("discovery", "Globex") }
  })
)
const live = from(tenants)

const create = (projectId: string, more: object = {}) =>
  createGroup(callerOf(projectId), projectId, { name: "web", min: 0, max: 5, template, ...more })

it.effect("a group grows to its desired size, on the tenant's network, with one event a server", () =>
  live(({ acme }) =>
    Effect.gen(function* () {
      const { world } = yield* SimulatedCloud
      const groupId = yield* groupOf(acme, { template: { ...template, user_data: "#!/bin/sh\necho ä\n" } })
      const begun = yield* showGroup(acme, groupId)
      assert.deepInclude(begun, { state: "scaling", desired: 3, servers: [], observed_at: null })
      assert.deepInclude(begun.template, { flavor_id: "2", has_user_data: true })
      assert.notProperty(begun.template, "user_data")

      const group = yield* converged(acme, groupId)
      assert.deepInclude(group, { state: "active", reason: null })
      assert.deepStrictEqual(
        group.servers.map((_) => [_.status, _.leaving]),
        [1, 2, 3].map(() => ["ACTIVE", false])
      )
      yield* exactly(acme, groupId, 3, "grown")
      const user = Object.values(world.keystone.users).find((_) => _.name === tenantUserName(acme))
      const network = Object.values(world.neutron.networks).find((_) => _.project_id === acme)
      for (const server of yield* serversOf(acme)) {
        assert.deepInclude(server, { user_id: user?.id ?? "", flavor_id: "2", networks: [network?.id ?? ""] })
        assert.match(server.name, /^web-[0-9a-f]{8}$/)
      }
      assert.deepStrictEqual(yield* toldOf(asgTopic), ["group.scaled_out", "group.scaled_out", "group.scaled_out"])
      assert.deepStrictEqual(yield* toldOf(lifecycleTopic), ["server.create", "server.create", "server.create"])
      const { events } = yield* Memory
      const [first] = [...events.values()].filter((_) => _.topic === lifecycleTopic)
      assert.deepInclude(first?.envelope["data"], {
        resource_type: "server",
        detail: { flavor: "2" },
        user_id: `user-of-${acme}`
      })
    })
  )
)

it.effect("user data reaches Nova unchanged in base64, and is in no answer or event", () =>
  live(({ acme }) =>
    Effect.gen(function* () {
      const script = "#!/bin/sh\necho ä 🐚\n"
      const groupId = yield* groupOf(acme, { desired: 1, template: { ...template, user_data: script } })
      yield* converged(acme, groupId)
      const [server] = yield* serversOf(acme)
      assert.strictEqual(Buffer.from(server?.user_data ?? "", "base64").toString("utf8"), script)
      assert.notInclude(JSON.stringify(yield* listGroups(acme)), "echo")
      const { events } = yield* Memory
      assert.notInclude(JSON.stringify([...events.values()]), "echo")
    })
  )
)

it.effect("a group shrinks by its newest servers, and waits for their removal", () =>
  live(({ acme }) =>
    Effect.gen(function* () {
      const groupId = yield* groupOf(acme, { desired: 1 })
      yield* converged(acme, groupId)
      const [oldest] = yield* serversOf(acme)
      yield* inTime(updateGroup(callerOf(acme), acme, groupId, { desired: 4 }))
      yield* converged(acme, groupId)
      yield* inTime(updateGroup(callerOf(acme), acme, groupId, { desired: 1 }))
      yield* inTime(reconcileGroups)
      const going = yield* showGroup(acme, groupId)
      assert.deepStrictEqual(
        going.servers.map((_) => _.leaving),
        [false, true, true, true]
      )
      assert.strictEqual(going.state, "scaling")
      yield* converged(acme, groupId)
      yield* exactly(acme, groupId, 1, "shrunk")
      assert.strictEqual((yield* serversOf(acme))[0]?.id, oldest?.id)
      assert.strictEqual((yield* toldOf(asgTopic)).filter((_) => _ === "group.scaled_in").length, 3)
      assert.strictEqual((yield* toldOf(lifecycleTopic)).filter((_) => _ === "server.delete").length, 3)
    })
  )
)

it.effect("a deleted server is replaced, and one that the tenant stops is not", () =>
  live(({ acme }) =>
    Effect.gen(function* () {
      const { world } = yield* SimulatedCloud
      const groupId = yield* groupOf(acme)
      yield* converged(acme, groupId)
      const [first, second, third] = yield* serversOf(acme)
      delete world.nova.servers[first?.id ?? ""]
      // This one is still on its way when it is seen, as Nova shows it.
      if (third !== undefined) {
        third.task_state = "deleting"
        third.due = { at: 1e15, vm_state: "deleted" }
        yield* pass(60)
        yield* inTime(reconcileGroups)
        const leaving = (yield* showGroup(acme, groupId)).servers.filter((_) => _.leaving)
        assert.deepStrictEqual(
          leaving.map((_) => _.server_id),
          [third.id]
        )
        third.due = { at: 0, vm_state: "deleted" }
      }
      if (second !== undefined) second.vm_state = "stopped"
      yield* pass(60)
      yield* converged(acme, groupId)
      yield* exactly(acme, groupId, 3, "replaced")
      const group = yield* showGroup(acme, groupId)
      assert.sameMembers(
        group.servers.map((_) => _.status),
        ["SHUTOFF", "ACTIVE", "ACTIVE"]
      )
      const told = yield* toldOf(asgTopic)
      assert.strictEqual(told.filter((_) => _ === "group.server_replaced").length, 2)
      assert.notInclude(told, "group.scaled_in")
      assert.notInclude(yield* toldOf(lifecycleTopic), "server.delete")
    })
  )
)

it.effect("a server in ERROR is replaced, a number of times at once and then hourly", () =>
  live(({ acme }) =>
    Effect.gen(function* () {
      const { world } = yield* SimulatedCloud
      const groupId = yield* groupOf(acme, { desired: 1 })
      yield* converged(acme, groupId)
      const [first] = yield* serversOf(acme)
      if (first !== undefined) first.vm_state = "error"
      yield* pass(60)
      yield* converged(acme, groupId)
      yield* exactly(acme, groupId, 1, "replaced")
      assert.notStrictEqual((yield* serversOf(acme))[0]?.id, first?.id)

      const all = new Set<string>()
      const breaking = Effect.gen(function* () {
        for (const server of yield* serversOf(acme)) {
          all.add(server.id)
          if (server.due?.vm_state === "active") server.due = { ...server.due, vm_state: "error" }
          else if (server.vm_state === "active") server.vm_state = "error"
        }
      })
      for (let second = 0; second < 1200; second += 10) {
        yield* breaking
        yield* inTime(reconcileGroups)
        yield* pass(10)
      }
      // The one that was there, and four more within a few minutes.
      assert.strictEqual(all.size, 5)
      const group = yield* showGroup(acme, groupId)
      assert.strictEqual(group.state, "failing")
      assert.match(group.reason ?? "", /^server .* ended in ERROR/)
      assert.deepStrictEqual(yield* serversOf(acme), [])

      yield* pass(3600)
      yield* converged(acme, groupId)
      yield* exactly(acme, groupId, 1, "after an hour")
      assert.notProperty(world.nova.servers, [...all][0] ?? "")
    })
  )
)

it.effect("a change of the group retries servers in ERROR at once", () =>
  live(({ acme }) =>
    Effect.gen(function* () {
      const groupId = yield* groupOf(acme, { desired: 1 })
      for (let second = 0; second < 600; second += 10) {
        for (const server of yield* serversOf(acme)) {
          if (server.due?.vm_state === "active") server.due = { ...server.due, vm_state: "error" }
        }
        yield* inTime(reconcileGroups)
        yield* pass(10)
      }
      assert.strictEqual((yield* showGroup(acme, groupId)).state, "failing")
      yield* inTime(updateGroup(callerOf(acme), acme, groupId, { template: { ...template, flavor_id: "3" } }))
      yield* pass(10)
      const group = yield* converged(acme, groupId, 5)
      assert.strictEqual(group.state, "active")
      assert.strictEqual((yield* serversOf(acme))[0]?.flavor_id, "3")
    })
  )
)

it.effect("a quota limits a group, which shows Nova's message, retries seldom, and grows later", () =>
  live(({ acme }) =>
    Effect.gen(function* () {
      const cloud = yield* SimulatedCloud
      const quota = cloud.world.nova.quotas[acme] ?? {}
      cloud.world.nova.quotas[acme] = { ...quota, instances: 2 }
      const groupId = yield* groupOf(acme, { desired: 4 })
      yield* converged(acme, groupId, 3)
      const limited = yield* showGroup(acme, groupId)
      assert.strictEqual(limited.state, "limited")
      assert.match(limited.reason ?? "", /^Quota exceeded for instances/)
      yield* exactly(acme, groupId, 2, "limited")

      yield* cloud.clearCalls
      for (let second = 0; second < 1800; second += 10) {
        yield* inTime(reconcileGroups)
        yield* pass(10)
      }
      const asked = (yield* cloud.calls).filter((_) => _.method === "POST" && _.route === "/v2.1/servers")
      assert.isAtMost(asked.length, 12)
      assert.isAtLeast(asked.length, 4)
      assert.deepStrictEqual(
        (yield* toldOf(asgTopic)).filter((_) => _ === "group.limited"),
        ["group.limited"]
      )

      cloud.world.nova.quotas[acme] = quota
      yield* pass(300)
      const group = yield* converged(acme, groupId)
      assert.strictEqual(group.state, "active")
      yield* exactly(acme, groupId, 4, "with room")
    })
  )
)

it.effect("many servers are created and removed in batches", () =>
  live(({ acme }) =>
    Effect.gen(function* () {
      yield* inTime(moveTier(acme, "extension"))
      const cloud = yield* SimulatedCloud
      const groupId = yield* groupOf(acme, { max: 20, desired: 12 })
      const count = (method: string) =>
        Effect.map(cloud.calls, (calls) => calls.filter((_) => _.service === "nova" && _.method === method).length)
      yield* cloud.clearCalls
      yield* inTime(reconcileGroups)
      assert.strictEqual(yield* count("POST"), 5)
      yield* converged(acme, groupId)
      yield* exactly(acme, groupId, 12, "grown")
      yield* inTime(updateGroup(callerOf(acme), acme, groupId, { desired: 0 }))
      yield* cloud.clearCalls
      yield* inTime(reconcileGroups)
      assert.strictEqual(yield* count("DELETE"), 5)
      yield* converged(acme, groupId)
      yield* exactly(acme, groupId, 0, "shrunk")
    })
  )
)

it.effect("a deletion removes the servers, then the group, completely", () =>
  live(({ acme }) =>
    Effect.gen(function* () {
      const groupId = yield* groupOf(acme)
      yield* converged(acme, groupId)
      const removed = yield* inTime(removeGroup(acme, groupId))
      assert.strictEqual(removed.state, "deleting")
      assert.strictEqual((yield* inTime(removeGroup(acme, groupId))).state, "deleting")
      const refused = yield* Effect.flip(inTime(updateGroup(callerOf(acme), acme, groupId, { desired: 1 })))
      assert.strictEqual(refused.code, "autoscaling_group_deleting")
      const taken = yield* Effect.flip(inTime(create(acme)))
      assert.deepInclude(taken, {
        code: "autoscaling_name_taken",
        detail: "There is an autoscaling group 'web' already"
      })
      yield* ended(acme, groupId)
      assert.deepStrictEqual(yield* serversOf(acme), [])
      assert.deepStrictEqual(yield* listGroups(acme), { count: 0, groups: [] })
      assert.strictEqual((yield* Effect.flip(showGroup(acme, groupId))).code, "autoscaling_group_not_found")
      assert.strictEqual((yield* inTime(create(acme))).name, "web")
      assert.strictEqual((yield* toldOf(lifecycleTopic)).filter((_) => _ === "server.delete").length, 3)
    })
  )
)

it.effect("a locked server is not deleted, with the reason, until it is unlocked", () =>
  live(({ acme }) =>
    Effect.gen(function* () {
      const groupId = yield* groupOf(acme, { desired: 2 })
      yield* converged(acme, groupId)
      const newest = (yield* showGroup(acme, groupId)).servers.at(-1)?.server_id
      const server = (yield* serversOf(acme)).find((_) => _.id === newest)
      if (server === undefined) return yield* Effect.die("no server")
      server.locked_by = "admin"
      yield* inTime(updateGroup(callerOf(acme), acme, groupId, { desired: 1 }))
      yield* converged(acme, groupId, 3)
      const group = yield* showGroup(acme, groupId)
      assert.strictEqual(group.state, "failing")
      assert.match(group.reason ?? "", /^nova delete server: Instance .* is locked$/)
      server.locked_by = null
      yield* pass(300)
      yield* converged(acme, groupId)
      yield* exactly(acme, groupId, 1, "unlocked")
    })
  )
)

it.effect("a suspended tenant's group is held, and one of a closing project is skipped", () =>
  live(({ acme, globex }) =>
    Effect.gen(function* () {
      const groupId = yield* groupOf(acme, { desired: 1 })
      yield* converged(acme, groupId)
      yield* inTime(suspend(acme))
      const [server] = yield* serversOf(acme)
      const { world } = yield* SimulatedCloud
      delete world.nova.servers[server?.id ?? ""]
      yield* pass(60)
      yield* converged(acme, groupId, 6)
      const held = yield* showGroup(acme, groupId)
      assert.deepInclude(held, {
        state: "held",
        reason: "the tenant is suspended, and gets no new server",
        servers: []
      })
      const more = yield* Effect.flip(inTime(create(acme, { name: "more" })))
      const larger = yield* Effect.flip(inTime(updateGroup(callerOf(acme), acme, groupId, { max: 6 })))
      assert.deepStrictEqual([more.code, larger.code], ["ceiling_reached", "tenant_suspended"])
      yield* inTime(moveTier(acme, "discovery"))
      yield* pass(30)
      yield* converged(acme, groupId)
      yield* exactly(acme, groupId, 1, "moved back")

      const other = yield* groupOf(globex)
      yield* holdProject(globex, "project_deletion")
      const cloud = yield* SimulatedCloud
      yield* cloud.clearCalls
      for (let round = 0; round < 5; round++) {
        yield* inTime(reconcileGroups)
        yield* pass(60)
      }
      assert.deepStrictEqual(
        (yield* cloud.calls).filter((_) => _.method !== "GET"),
        []
      )
      assert.deepStrictEqual(yield* serversOf(globex), [])
      assert.deepInclude(yield* showGroup(globex, other), { state: "scaling", servers: [] })
    })
  )
)

it.effect("a template needs existing references, and numbers in order within the tier's ceilings", () =>
  live(({ acme }) =>
    Effect.gen(function* () {
      const cloud = yield* SimulatedCloud
      const refused = (more: object) => Effect.flip(inTime(create(acme, more)))
      for (const [named, words] of [
        [{ flavor_id: "99" }, /Flavor 99 could not be found/],
        [{ image_id: "1a000000-0000-4000-8000-00000000ffff" }, /image/i],
        [{ network_id: "1a000000-0000-4000-8000-00000000ffff" }, /Network .* could not be found/],
        [{ key_name: "nobody's" }, /Keypair .* not found/]
      ] as const) {
        const failure = yield* refused({ template: { ...template, ...named } })
        assert.strictEqual(failure._tag, "Unprocessable", JSON.stringify(named))
        assert.match(failure.detail, words)
      }
      assert.deepInclude(yield* refused({ max: 6 }), {
        code: "ceiling_reached",
        detail:
          "The tenant's ceiling of servers of one autoscaling group is reached: requested 6, used 0, limit 5, remaining 5"
      })
      yield* cloud.fault({
        service: "nova",
        method: "GET",
        path: "/v2.1/flavors/*",
        when: "before",
        times: "always",
        as: { status: 503 }
      })
      assert.strictEqual((yield* refused({}))._tag, "BadGateway")
      yield* cloud.clearFaults

      const groupId = yield* groupOf(acme, { min: 1, max: 3, desired: 2 })
      const changed = (change: object) => inTime(updateGroup(callerOf(acme), acme, groupId, change))
      assert.deepInclude(yield* Effect.flip(changed({ desired: 4 })), { code: "autoscaling_range" })
      assert.deepInclude(yield* Effect.flip(changed({ min: 4 })), { code: "autoscaling_range" })
      assert.deepInclude(yield* changed({ min: 3 }), { min: 3, desired: 3, max: 3 })
      assert.deepInclude(yield* changed({ min: 0, max: 1 }), { min: 0, desired: 1, max: 1 })
      assert.strictEqual((yield* Effect.flip(changed({ max: 6 }))).code, "ceiling_reached")
    })
  )
)

it.effect("a tenant's groups are limited, also with concurrent creates", () =>
  live(({ acme }) =>
    Effect.gen(function* () {
      const asked = Array.from({ length: 25 }, (_, n) => Effect.result(create(acme, { name: `g${n}` })))
      const results = yield* inTime(Effect.all(asked, { concurrency: "unbounded" }))
      const failures = results.flatMap((_) => (_._tag === "Failure" ? [_.failure.code] : []))
      assert.deepStrictEqual(
        failures,
        Array.from({ length: 5 }, () => "ceiling_reached")
      )
      assert.strictEqual((yield* listGroups(acme)).count, 20)
    })
  )
)

it.effect("another tenant's group, an unknown one and a malformed id are 404", () =>
  live(({ acme, globex }) =>
    Effect.gen(function* () {
      const groupId = yield* groupOf(globex)
      for (const id of [groupId, "asg-000000000000", "", "\0", "../x"]) {
        const failures = [
          yield* Effect.flip(showGroup(acme, id)),
          yield* Effect.flip(updateGroup(callerOf(acme), acme, id, { desired: 0 })),
          yield* Effect.flip(removeGroup(acme, id)),
          yield* Effect.flip(triggerPolicy(callerOf(acme), acme, id, "up"))
        ]
        for (const { code, detail } of failures) {
          assert.deepStrictEqual([code, detail], ["autoscaling_group_not_found", `Autoscaling group '${id}' not found`])
        }
      }
      assert.strictEqual((yield* showGroup(globex, groupId)).desired, 3)
    })
  )
)

it.effect("a server with the marks of a broken one is not deleted for it", () =>
  live(({ acme }) =>
    Effect.gen(function* () {
      const { world } = yield* SimulatedCloud
      const groupId = yield* groupOf(acme, { desired: 1 })
      yield* converged(acme, groupId)
      const [broken] = yield* serversOf(acme)
      if (broken === undefined) return yield* Effect.die("no server")
      const healthy = { ...broken }
      const marked = (id: string) => {
        world.nova.servers[id] = { ...healthy, id, name: id }
      }
      yield* pass(300)
      broken.vm_state = "error"
      marked("before")
      yield* inTime(reconcileGroups)
      marked("after")
      for (let round = 0; round < 20; round++) {
        yield* inTime(reconcileGroups)
        yield* pass(10)
      }
      assert.notProperty(world.nova.servers, broken.id)
      yield* inTime(removeGroup(acme, groupId))
      yield* ended(acme, groupId)
      assert.sameMembers(
        (yield* serversOf(acme)).map((_) => _.id),
        ["before", "after"]
      )
    })
  )
)

it.effect("a server older than a request with a lost answer is not taken for its result", () =>
  live(({ acme }) =>
    Effect.gen(function* () {
      const cloud = yield* SimulatedCloud
      const groupId = yield* groupOf(acme, { desired: 1 })
      yield* converged(acme, groupId)
      const [first] = yield* serversOf(acme)
      if (first === undefined) return yield* Effect.die("no server")
      yield* pass(600)
      yield* cloud.fault({ service: "nova", method: "POST", path: "/v2.1/servers", when: "after", as: "reset" })
      yield* inTime(updateGroup(callerOf(acme), acme, groupId, { desired: 2 }))
      yield* inTime(reconcileGroups)
      const made = (yield* serversOf(acme)).find((_) => _.id !== first.id)
      if (made === undefined) return yield* Effect.die("no second server")
      cloud.world.nova.servers["own"] = { ...first, id: "own", name: "own", metadata: made.metadata }
      yield* converged(acme, groupId)
      yield* inTime(removeGroup(acme, groupId))
      yield* ended(acme, groupId)
      assert.deepStrictEqual(
        (yield* serversOf(acme)).map((_) => _.id),
        ["own"]
      )
    })
  )
)

it.effect("a server that the tenant gave the group's marks stays the tenant's own", () =>
  live(({ acme }) =>
    Effect.gen(function* () {
      const { world } = yield* SimulatedCloud
      const groupId = yield* groupOf(acme, { desired: 1 })
      yield* converged(acme, groupId)
      const [server] = yield* serversOf(acme)
      if (server === undefined) return yield* Effect.die("no server")
      world.nova.servers["own"] = { ...server, id: "own", name: "own" }
      // And its own mark is taken from the group's one.
      server.metadata = {}
      yield* inTime(updateGroup(callerOf(acme), acme, groupId, { desired: 2 }))
      yield* converged(acme, groupId)
      yield* inTime(removeGroup(acme, groupId))
      yield* ended(acme, groupId)
      assert.deepStrictEqual(
        (yield* serversOf(acme)).map((_) => _.id),
        ["own"]
      )
    })
  )
)

import { assert, it } from "@effect/vitest"
import { lifecycleTopic } from "@portico/contract/Events"
import { holdProject } from "@portico/domain/projects/hold"
import { purgeProject, reconcilePurges } from "@portico/domain/projects/purge"
import { removeProject } from "@portico/domain/projects/remove"
import { showContents, showProject } from "@portico/domain/projects/show"
import { listProjects } from "@portico/domain/projects/list"
import { mint } from "@portico/domain/credentials/mint"
import { onboard } from "@portico/domain/onboarding/onboard"
import { moveTier } from "@portico/domain/tenants/moveTier"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Memory } from "@portico/testing/store/Memory"
import { Effect, Exit, Fiber } from "effect"
import { administrator, callerOf, ownerOf } from "@portico/testing/tenants/caller"
import { inTime, pass, settle } from "@portico/testing/clock"
import { acmeBesideGlobex, carriedOut, cloudState, condemned, gone, liveAgain } from "./purged.ts"
import { from, seedOf } from "@portico/testing/cloud/seeded"
import { simulatedWith, Simulated } from "@portico/testing/cloud/Simulated"
import { whole } from "@portico/testing/tenants/whole"

const seed = await seedOf(acmeBesideGlobex)
const beside = from(seed)

const things = <T>(record: Record<string, T>, own: (thing: T) => boolean): ReadonlyArray<T> =>
  Object.values(record).filter(own)

it.effect("a deletion removes every resource of the project in every service, and no other's", () =>
  beside((acme) =>
    Effect.gen(function* () {
      const detail = yield* condemned(acme.projectId)
      assert.deepInclude(detail, { state: "deleting", closing: ["project_deletion"], project_name: "acme-gmbh" })
      assert.strictEqual(yield* inTime(reconcilePurges), 1)
      yield* gone(acme, "deleted")
      const absent = yield* Effect.flip(showProject(administrator, acme.projectId))
      assert.deepInclude(absent, { code: "project_not_found", detail: `Project '${acme.projectId}' not found` })
    })
  )
)

it.effect("a deletion detaches no other tenant's router, despite forged device ids of ports", () =>
  beside((acme) =>
    Effect.gen(function* () {
      const { world } = yield* SimulatedCloud
      const isInterface = ({ device_owner }: { readonly device_owner: string }) =>
        device_owner === "network:router_interface"
      const [theirs] = things(world.neutron.ports, (_) => isInterface(_) && _.project_id === acme.globex)
      const own = things(world.neutron.ports, (_) => isInterface(_) && _.project_id === acme.projectId)
      assert.isDefined(theirs)
      assert.isNotEmpty(own)
      for (const port of own) port.device_id = `${theirs?.device_id}/${theirs?.id}`
      yield* condemned(acme.projectId)
      assert.isUndefined(yield* carriedOut(acme.projectId))
      yield* gone(acme, "with another's router as the device of its ports")
    })
  )
)

it.effect("the name of a deleted project is free, and its next owner gets a complete tenant", () =>
  beside((acme) =>
    Effect.gen(function* () {
      const taken = yield* Effect.flip(inTime(onboard({ name: "Acme GmbH", tier: "standard" })))
      assert.strictEqual(taken.code, "organisation_name_taken")
      yield* condemned(acme.projectId)
      yield* carriedOut(acme.projectId)
      yield* whole(yield* inTime(onboard({ name: "Acme GmbH", tier: "standard" })), "after a deletion")
    })
  )
)

it.effect("of concurrent deletions one begins, and the others are conflicts", () =>
  beside((acme) =>
    Effect.gen(function* () {
      const removal = { projectId: acme.projectId, confirm: "acme-gmbh", requestId: "r" }
      const exits = yield* inTime(
        Effect.all(
          Array.from({ length: 4 }, () => Effect.exit(removeProject(administrator, removal))),
          { concurrency: "unbounded" }
        )
      )
      assert.lengthOf(exits.filter(Exit.isSuccess), 1)
      const again = yield* Effect.flip(removeProject(administrator, removal))
      assert.deepInclude(again, { _tag: "Conflict", code: "concurrent_deletion_state" })
      const replicas = yield* inTime(Effect.all([reconcilePurges, reconcilePurges], { concurrency: 2 }))
      assert.strictEqual(
        replicas.reduce((a, b) => a + b),
        1
      )
      yield* gone(acme, "two replicas")
    })
  )
)

const guards: ReadonlyArray<
  readonly [what: string, message: RegExp, guard: (projectId: string) => Effect.Effect<void, never, SimulatedCloud>]
> = [
  [
    "a locked server",
    /^'web' \(.+\) is locked$/,
    (projectId) =>
      Effect.map(SimulatedCloud, ({ world }) => {
        for (const server of things(world.nova.servers, (_) => _.project_id === projectId)) server.locked_by = "owner"
      })
  ],
  [
    "a protected image",
    /^'golden' \(.+\) is protected$/,
    (projectId) =>
      Effect.map(SimulatedCloud, ({ world }) => {
        for (const image of things(world.glance.images, (_) => _.owner === projectId && _.name === "golden")) {
          image.protected = true
        }
      })
  ]
]

for (const [what, message, guard] of guards) {
  it.effect(`${what} is refused before anything is destroyed, and the project is live again`, () =>
    beside((acme) =>
      Effect.gen(function* () {
        yield* guard(acme.projectId)
        yield* pass(60)
        const before = yield* cloudState
        yield* condemned(acme.projectId)
        const over = yield* carriedOut(acme.projectId)
        assert.strictEqual(over?.state, "refused")
        assert.match(over?.refusal?.message ?? "", message)
        assert.deepStrictEqual(yield* cloudState, before)
        yield* liveAgain(acme, what)
        const { deletion, state } = yield* showProject(administrator, acme.projectId)
        assert.deepStrictEqual([state, deletion?.state], ["live", "refused"])
        assert.match(deletion?.refusal?.message ?? "", message)
        assert.strictEqual(deletion?.refusal?.words, deletion?.refusal?.message)
        const { contents } = yield* inTime(showContents(administrator, acme.projectId))
        assert.lengthOf(
          contents.flatMap((_) => _.guarded),
          1
        )
      })
    )
  )
}

it.effect("a volume in use is awaited, and then refuses with the service's message", () =>
  beside((acme) =>
    Effect.gen(function* () {
      const { world } = yield* SimulatedCloud
      for (const volume of things(world.cinder.volumes, (_) => _.project_id === acme.projectId)) {
        volume.status = "in-use"
        volume.attachment = {
          id: "a",
          server_id: "elsewhere",
          device: "/dev/vdb",
          attached_at: 0,
          delete_on_termination: false
        }
      }
      for (const id of Object.keys(world.cinder.transfers)) delete world.cinder.transfers[id]
      yield* condemned(acme.projectId)
      const over = yield* carriedOut(acme.projectId)
      assert.strictEqual(over?.state, "refused")
      assert.strictEqual(over?.refusal?.step, "volume/volumes")
      assert.match(over?.refusal?.message ?? "", /^cinder remove volumes: Invalid volume: /)
      assert.lengthOf(
        things(world.nova.servers, (_) => _.project_id === acme.projectId),
        0
      )
      const { events } = yield* Memory
      // The server went, and is not billed any longer; the volumes stay, and are.
      const billed = [...events.values()].filter((_) => _.topic === lifecycleTopic)
      assert.deepStrictEqual(billed.map((_) => _.envelope["kind"]).toSorted(), [
        "load_balancer.delete",
        "server.delete"
      ])
      yield* liveAgain(acme, "a volume in use")
    })
  )
)

it.effect("a silent service ends a deletion after a while, and the project is live again", () =>
  beside((acme) =>
    Effect.gen(function* () {
      const cloud = yield* SimulatedCloud
      yield* cloud.fault({
        service: "glance",
        method: "GET",
        path: "/v2/images",
        times: "always",
        when: "before",
        as: { status: 503 }
      })
      yield* condemned(acme.projectId)
      yield* inTime(reconcilePurges)
      const { deletion } = yield* showProject(administrator, acme.projectId)
      assert.strictEqual(deletion?.last_failure, "image/images: glance list images: simulated 503")
      for (let round = 0; round < 15; round++) {
        yield* pass(310)
        yield* inTime(reconcilePurges)
      }
      const over = yield* carriedOut(acme.projectId)
      assert.deepInclude(over?.refusal, { step: "image/images", message: "glance list images: simulated 503" })
      yield* liveAgain(acme, "glance is silent")
    })
  )
)

it.effect("a resource that appears during a purge is removed too", () =>
  beside((acme) =>
    Effect.gen(function* () {
      const { world } = yield* SimulatedCloud
      const [late] = things(world.nova.server_groups, (_) => _.project_id === acme.projectId)
      yield* condemned(acme.projectId)
      const purge = inTime(reconcilePurges)
      const landsLate = Effect.sync(() => {
        if (late !== undefined) world.nova.server_groups["late"] = { ...late, id: "late" }
      }).pipe(Effect.delay("4 seconds"))
      yield* Effect.all([purge, landsLate], { concurrency: 2 })
      yield* carriedOut(acme.projectId)
      yield* gone(acme, "a late server group")
    })
  )
)

it.effect("a deletion waits for running writes of quotas, and excludes writes and mints", () =>
  beside((acme) =>
    Effect.gen(function* () {
      const cloud = yield* SimulatedCloud
      yield* cloud.fault({
        service: "nova",
        method: "PUT",
        path: "/v2.1/os-quota-sets/*",
        when: "before",
        as: { delay_ms: 3000 }
      })
      const removal = { projectId: acme.projectId, confirm: "acme-gmbh", requestId: "r" }
      const [moved, refusal] = yield* inTime(
        Effect.all(
          [
            moveTier(acme.projectId, "extension"),
            Effect.delay(Effect.flip(removeProject(administrator, removal)), "1 second")
          ],
          { concurrency: 2 }
        )
      )
      assert.strictEqual(moved.tenant.tier, "extension")
      assert.strictEqual(refusal.code, "tier_move_in_progress")

      yield* condemned(acme.projectId)
      const late = yield* Effect.flip(inTime(moveTier(acme.projectId, "standard")))
      assert.strictEqual(late.code, "concurrent_deletion_state")
      const caller = callerOf(acme.projectId)
      if (caller.tenant === null) return yield* Effect.die("it has a tenant")
      // One that got past the mark a moment before it was there.
      const minted = yield* inTime(mint(caller, caller.tenant, { kind: "api-key", tier: 0, label: "late" }))
      assert.strictEqual(minted.state, "suspended")
      yield* inTime(reconcilePurges)
      yield* gone({ ...acme, live: [...acme.live, minted.credential_id] }, "with a late mint")
    })
  )
)

it.effect("an unauthorized caller gets the same 404 as for an unknown project", () =>
  beside((acme) =>
    Effect.gen(function* () {
      const stranger = callerOf(acme.globex)
      const removal = { confirm: "acme-gmbh", requestId: "r" }
      for (const projectId of [acme.projectId, "never-was", "\0", "a".repeat(5000)]) {
        const refusals = [
          yield* Effect.flip(showProject(stranger, projectId)),
          yield* Effect.flip(showContents(stranger, projectId)),
          yield* Effect.flip(removeProject(stranger, { ...removal, projectId }))
        ]
        for (const { code, detail } of refusals) {
          assert.deepStrictEqual([code, detail], ["project_not_found", `Project '${projectId}' not found`])
        }
      }
      const page = { limit: 100, after: undefined }
      const ids = (caller: typeof stranger) =>
        Effect.map(listProjects(caller, page), ({ count, projects }) => [count, ...projects.map((_) => _.project_id)])
      assert.deepStrictEqual(yield* ids(stranger), [1, acme.globex])
      assert.deepStrictEqual(yield* ids(administrator), [2, acme.globex, acme.projectId])
      const first = yield* listProjects(administrator, { limit: 1, after: undefined })
      assert.isNotNull(first.next_cursor)
    })
  )
)

it.effect("a survey counts the contents, and names the unreadable ones", () =>
  beside((acme) =>
    Effect.gen(function* () {
      const cloud = yield* SimulatedCloud
      yield* cloud.fault({
        service: "glance",
        method: "GET",
        path: "**",
        times: "always",
        when: "before",
        as: { status: 503 }
      })
      yield* cloud.fault({ service: "rgw", method: "GET", path: "**", times: "always", when: "before", as: "hang" })
      const { contents, unseen } = yield* inTime(showContents(administrator, acme.projectId))
      const counts = Object.fromEntries(contents.map((_) => [`${_.service}/${_.kind}`, _.count]))
      assert.deepInclude(counts, {
        "compute/servers": 1,
        "volume/volumes": 2,
        "network/routers": 1,
        "dns/zones": 1,
        "key-manager/secrets": 2,
        "kubernetes/namespaces": 1
      })
      assert.notProperty(counts, "image/images")
      assert.deepStrictEqual(
        contents.find((_) => _.kind === "servers")?.first.map((_) => _.name),
        ["web"]
      )
      assert.deepStrictEqual(unseen, [
        { service: "image", kind: "images", reason: "glance list images: simulated 503" },
        { service: "object-storage", kind: "buckets", reason: "no answer within 20s" }
      ])
    })
  )
)

it.effect("a survey reads no more of a network's resources than it needs", () =>
  beside((acme) =>
    Effect.gen(function* () {
      const cloud = yield* SimulatedCloud
      yield* cloud.clearCalls
      const { contents } = yield* inTime(showContents(administrator, acme.projectId))
      assert.strictEqual(contents.find((_) => _.kind === "address_groups")?.count, 1)
      const lists = (yield* cloud.calls).filter((_) => _.service === "neutron")
      assert.isAtLeast(lists.length, 12)
      for (const { path, query } of lists) {
        const params = new URLSearchParams(query)
        assert.includeMembers(params.getAll("fields"), ["id", "project_id"], path)
        assert.notIncludeMembers(params.getAll("fields"), ["addresses", "description", "tags"], path)
      }
    })
  )
)

it.effect("a caller's surveys run one at a time, and one without a turn sees nothing", () =>
  beside((acme) =>
    Effect.gen(function* () {
      const cloud = yield* SimulatedCloud
      const surveyed = showContents(callerOf(acme.projectId), acme.projectId)
      const begun = Effect.map(cloud.calls, (_) => _.filter(({ path }) => path.endsWith("/servers/detail")).length)
      const servers = { service: "nova", method: "GET", path: "/v2.1/servers/detail" } as const
      yield* cloud.clearCalls
      yield* cloud.fault({ ...servers, when: "before", as: { delay_ms: 5000 } })
      const two = yield* Effect.forkChild(Effect.all([surveyed, surveyed], { concurrency: 2 }))
      yield* settle
      assert.strictEqual(yield* begun, 1)
      const [first, second] = yield* inTime(Fiber.join(two))
      assert.deepStrictEqual(second.contents, first.contents)
      assert.strictEqual(yield* begun, 2)

      const lists = { service: "neutron", method: "GET", path: "**" } as const
      yield* cloud.fault({ ...lists, times: "always", when: "before", as: "hang" })
      const [slow, late] = yield* inTime(Effect.all([surveyed, surveyed], { concurrency: 2 }))
      assert.isNotEmpty(slow.contents)
      assert.isEmpty(late.contents)
      assert.deepInclude(late.unseen, {
        service: "compute",
        kind: "servers",
        reason: "other surveys were under way for 20s"
      })
    })
  )
)

it.effect("a cloud without some services lists them as missing, and still deletes", () =>
  Effect.gen(function* () {
    const { tenant } = yield* ownerOf("discovery")
    const { unseen } = yield* inTime(showContents(administrator, tenant.projectId))
    const reason = "this cloud has no such service"
    assert.deepStrictEqual(unseen, [
      { service: "kubernetes", kind: "*", reason },
      { service: "dns", kind: "*", reason },
      { service: "key-manager", kind: "*", reason }
    ])
    yield* condemned(tenant.projectId)
    assert.isUndefined(yield* carriedOut(tenant.projectId))
  }).pipe(Effect.provide(simulatedWith({ KUBERNETES_URL: "", IAAS_DNS_URL: "", IAAS_KEY_MANAGER_URL: "" })))
)

it.effect("a project of a closed account is destroyed, or stays held with the refusal", () =>
  beside((acme) =>
    Effect.gen(function* () {
      const { world } = yield* SimulatedCloud
      yield* holdProject(acme.projectId, "account_closure")
      const [image] = things(world.glance.images, (_) => _.owner === acme.projectId)
      if (image !== undefined) image.protected = true
      const refusal = yield* inTime(purgeProject(acme.projectId))
      assert.strictEqual(refusal?.step, "image/images")
      assert.deepStrictEqual((yield* Memory).tenants.get(acme.projectId)?.closing, ["account_closure"])
      // It is not a deletion, and nobody carries it out but whoever closed the account.
      assert.strictEqual(yield* inTime(reconcilePurges), 0)

      if (image !== undefined) image.protected = false
      const [one, other] = yield* inTime(
        Effect.all([purgeProject(acme.projectId), purgeProject(acme.projectId)], { concurrency: 2 })
      )
      assert.strictEqual([one, other].filter((_) => _ === undefined).length, 1)
      assert.isUndefined(yield* inTime(purgeProject(acme.projectId)))
      yield* gone(acme, "closed")
    })
  )
)

it.effect("a live project is never destroyed, with any row", () =>
  Effect.gen(function* () {
    const { tenant } = yield* ownerOf("discovery")
    const refusal = yield* inTime(purgeProject(tenant.projectId))
    assert.deepStrictEqual(refusal, { step: "mark", message: "the project is live" })
    assert.isDefined((yield* Memory).tenants.get(tenant.projectId))
  }).pipe(Effect.provide(Simulated))
)

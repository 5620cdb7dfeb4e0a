import { assert, it } from "@effect/vitest"
import { machineUserOf } from "@portico/domain/credentials/machineUser"
import { doAll, undoAll } from "@portico/domain/onboarding/graph"
import { onboard } from "@portico/domain/onboarding/onboard"
import { type Attempt, OnboardingSteps, step } from "@portico/domain/onboarding/Step"
import { builtIn, project } from "@portico/domain/onboarding/steps"
import type { Fault } from "@portico/simulator/Fault"
import { noQuota } from "@portico/simulator/rgw/state"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import type { World } from "@portico/simulator/World"
import { attemptStamp } from "@portico/upstream/keystone/Keystone"
import { Duration, Effect, Layer } from "effect"
import { cleanSlate, everything, tables } from "@portico/testing/cloud/cleanSlate"
import { inTime } from "@portico/testing/clock"
import { Simulated } from "@portico/testing/cloud/Simulated"

const acme = { name: "Acme GmbH", tier: "standard" } as const
const taken = "Organisation name 'Acme GmbH' is taken; send the request again with tenant_name set to a free name"

const foreignTags = {
  "no tenant": [],
  "an older tenant": ["tier:standard", attemptStamp("older")],
  "another attempt": [attemptStamp("other")]
}

for (const [whose, tags] of Object.entries(foreignTags)) {
  it.effect(`a foreign project of that name (${whose}) is a conflict, and unchanged`, () =>
    Effect.gen(function* () {
      const cloud = yield* SimulatedCloud
      const id = "f00000000000000000000000000000f0"
      // Keystone compares names without case.
      const project = { id, name: "ACME-GmbH", domain_id: "default", description: "", enabled: true, tags: [...tags] }
      cloud.world.keystone.projects[id] = project
      cloud.world.keystone.users["u1"] = {
        id: "u1",
        name: `gw-${id}`,
        domain_id: "default",
        description: attemptStamp("older"),
        enabled: true,
        password: "",
        default_project_id: id,
        options: {}
      }
      const before = yield* everything
      const refused = yield* Effect.flip(inTime(onboard(acme)))
      assert.deepStrictEqual([refused._tag, refused.detail], ["Conflict", taken])
      assert.deepStrictEqual(yield* everything, before)
      // It was refused before anything else was asked for.
      const writes = (yield* cloud.calls).filter((_) => _.method !== "GET" && !_.path.endsWith("/auth/tokens"))
      assert.deepStrictEqual(
        writes.map((_) => `${_.service} ${_.method} ${_.route}`),
        ["keystone POST /v3/projects"]
      )
    }).pipe(Effect.provide(Simulated))
  )
}

interface Intruder {
  readonly what: string
  /** The create that comes too late. */
  readonly call: Pick<Fault, "service" | "method" | "path">
  intrude(world: World, attempt: Attempt, projectId: string): void
  there(world: World): unknown
}

const intruders: ReadonlyArray<Intruder> = [
  {
    what: "Keystone user",
    call: { service: "keystone", method: "POST", path: "/v3/users" },
    intrude: ({ keystone }, _, projectId) => {
      keystone.users["foreign"] = {
        id: "foreign",
        name: `gw-${projectId}`,
        domain_id: "default",
        description: "somebody else's",
        enabled: true,
        password: "theirs",
        default_project_id: null,
        options: {}
      }
    },
    there: ({ keystone }) => keystone.users["foreign"]
  },
  {
    what: "object gateway user",
    call: { service: "rgw", method: "PUT", path: "/admin/user" },
    intrude: ({ rgw }, _, projectId) => {
      rgw.users[`tenant$${projectId}`] = {
        uid: `tenant$${projectId}`,
        tenant: "tenant",
        user_id: projectId,
        display_name: "somebody else",
        email: "",
        suspended: false,
        max_buckets: 7,
        keys: [],
        caps: [],
        user_quota: noQuota,
        bucket_quota: noQuota
      }
    },
    there: ({ rgw }) => Object.values(rgw.users).find((_) => _.display_name === "somebody else")
  },
  {
    what: "machine user",
    call: { service: "zitadel", method: "POST", path: "/management/v1/users/machine" },
    intrude: ({ zitadel }, attempt) => {
      const { userId, userName } = machineUserOf(attempt)
      zitadel.users[userId] = {
        type: "TYPE_MACHINE",
        id: userId,
        userName,
        name: "theirs",
        description: "somebody else's",
        accessTokenType: "ACCESS_TOKEN_TYPE_BEARER",
        clientSecret: null,
        state: "USER_STATE_ACTIVE",
        createdAt: 0,
        changedAt: 0,
        sequence: 1
      }
    },
    there: ({ zitadel }) => Object.values(zitadel.users).find((_) => "name" in _ && _.name === "theirs")
  }
]

for (const { call, intrude, there, what } of intruders) {
  const intruding = step({
    name: "intruder",
    needs: [project],
    do: Effect.fnUntraced(function* (attempt, made) {
      intrude((yield* SimulatedCloud).world, attempt, made(project).id)
    }),
    undo: () => Effect.void
  })

  it.effect(`a foreign ${what} is a conflict, and unchanged`, () =>
    Effect.gen(function* () {
      const { fault, state, world } = yield* SimulatedCloud
      const before = yield* state
      yield* fault({ ...call, when: "before", as: { delay_ms: 1000 } })
      const refused = yield* Effect.flip(inTime(onboard(acme)))
      assert.deepStrictEqual([refused._tag, refused.detail], ["Conflict", taken])
      const intruder = there(world)
      assert.isDefined(intruder)
      assert.deepStrictEqual(
        Object.entries(yield* state).filter(([kind, things]) => things.length !== before[kind]?.length).length,
        1
      )
      assert.deepStrictEqual((yield* tables)["onboardings"], [])
    }).pipe(Effect.provide(Layer.provideMerge(OnboardingSteps.layer(intruding), Simulated)))
  )
}

it.effect("networks and routers of the same names belong to other tenants, and stay", () =>
  Effect.gen(function* () {
    const cloud = yield* SimulatedCloud
    yield* inTime(onboard({ name: "Globex", tier: "discovery" }))
    for (const kind of ["networks", "subnets", "routers"] as const) {
      for (const thing of Object.values(cloud.world.neutron[kind]))
        thing.name = thing.name.replace("globex", "acme-gmbh")
    }
    const before = yield* everything
    yield* cloud.fault({
      service: "keystone",
      method: "PUT",
      path: "/v3/projects/*/tags/*",
      when: "after",
      as: { status: 500 }
    })
    yield* Effect.flip(inTime(onboard(acme)))
    assert.deepStrictEqual(yield* everything, before)
  }).pipe(Effect.provide(Simulated))
)

it.effect("all steps done twice and undone twice leave nothing", () =>
  Effect.gen(function* () {
    const attempt: Attempt = {
      id: "a1",
      slug: "acme-gmbh",
      name: "Acme GmbH",
      tier: "standard",
      stamp: attemptStamp("a1"),
      projectId: undefined,
      owner: undefined
    }
    for (let time = 0; time < 2; time++) yield* inTime(doAll(attempt, builtIn))
    for (const time of ["the first undo", "the second undo"]) {
      assert.deepStrictEqual(yield* inTime(undoAll(attempt, builtIn, Duration.minutes(1))), [])
      yield* cleanSlate(time)
    }
  }).pipe(Effect.provide(Simulated))
)

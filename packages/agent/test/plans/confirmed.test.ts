import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { McpSchema } from "effect/ai"
import { Api } from "../../src/Api.ts"
import { applyPlan } from "../../src/plans/applyPlan.ts"
import { confirmed } from "../../src/plans/confirmed.ts"
import { maxPlan, type Weight } from "../../src/plans/Plans.ts"
import type { Answer, Arguments } from "../../src/tools/Tool.ts"
import { agentOf, type Answers, services, toolOf } from "./fakes.ts"

const server = "/v1/iaas/compute/servers/0f/action"
const create = { method: "POST", path: "/v1/iaas/compute/servers" }
const pictures = { method: "GET", path: "/v1/iaas/compute/images" }
const password = { method: "POST", path: server }
const rotate = { method: "POST", path: "/v1/databases/postgres/shop/rotate-credentials" }
const absent = { method: "POST", path: "/v1/databases/postgres/gone/rotate-credentials" }
const resize = { method: "PATCH", path: "/v1/databases/postgres/shop" }
const alarm = { method: "POST", path: "/v1/alarms" }
const list = { method: "GET", path: "/v1/alarms" }

interface Story {
  readonly of: { readonly method: string; readonly path: string }
  readonly given?: Readonly<Record<string, unknown>>
  /** What the gateway says of a proxied request. */
  readonly weight?: ReadonlyArray<Weight>
  /** The areas on which it says that a proxied request acts besides its own. */
  readonly reached?: ReadonlyArray<string>
  readonly tier?: 0 | 1
}

/** Whether a call is made at once, waits for a person, or is refused, under a policy. */
const outcomeOf = ({ given = {}, of, reached = [], tier = 1, weight = [] }: Story, confirm: ReadonlyArray<string>) => {
  const { layer, writes } = services(
    { "GET /v1/alarms": {}, "GET /v1/iaas/compute/images": {}, "GET /v1/databases/postgres/shop": {} },
    () => confirm,
    weight,
    reached
  )
  return Effect.gen(function* () {
    const { outcome, status } = yield* confirmed(agentOf(tier), toolOf(of), given)
    if (outcome === undefined) return status === 200 || writes.length === 1 ? "made" : "lost"
    assert.lengthOf(writes, 0)
    return outcome
  }).pipe(Effect.provide(layer))
}

describe("confirmation by a person", () => {
  const usual = ["billed", "irreversible"]
  const cases: ReadonlyArray<readonly [title: string, story: Story, confirm: ReadonlyArray<string>, outcome: string]> =
    [
      ["a billed call is planned", { of: create, weight: ["billed"] }, usual, "planned"],
      ["an irreversible call to a proxy is planned", { of: password, weight: ["irreversible"] }, usual, "planned"],
      ["an irreversible call of a route is planned", { of: rotate }, usual, "planned"],
      ["a database's growth is planned", { of: resize, given: { size_gb: 20 } }, usual, "planned"],
      ["a database's additional replicas are made at once", { of: resize, given: { replicas: 2 } }, usual, "made"],
      ["a call on a resource that does not exist is made at once", { of: absent }, usual, "made"],
      ["an unbilled, reversible write is made at once", { of: alarm }, usual, "made"],
      ["a proxied, unbilled and reversible write is made at once", { of: create }, usual, "made"],
      [
        "an unbilled call is made at once when the policy confirms billed calls alone",
        { of: rotate },
        ["billed"],
        "made"
      ],
      [
        "any call is made at once when the policy confirms none",
        { of: create, weight: ["billed", "irreversible"] },
        [],
        "made"
      ],
      ["any write is planned when the policy confirms writes", { of: alarm }, ["writes"], "planned"],
      ["a read is made at once when the policy confirms writes", { of: list }, ["writes"], "made"],
      ["a call is planned when the policy names its tool", { of: alarm }, ["some_tool"], "planned"],
      [
        "a call that reaches a service is planned when the policy names its tool",
        { of: create, reached: ["volume"] },
        ["volume_write"],
        "planned"
      ],
      [
        "a read of a service is planned when the policy names its read tool",
        { of: pictures, reached: ["image"] },
        ["image_read"],
        "planned"
      ],
      [
        "a route is planned when the policy names the tool of the service it acts on",
        { of: { method: "POST", path: "/v1/nat-gateways" } },
        ["network_write"],
        "planned"
      ],
      [
        "a read of a service is made at once when the policy names its write tool",
        { of: pictures, reached: ["image"] },
        ["image_write"],
        "made"
      ],
      [
        "a call that reaches another service than the policy names is made at once",
        { of: create, reached: ["volume"] },
        ["key_manager_write"],
        "made"
      ],
      ["a read is made at once when the policy names another read tool", { of: list }, ["image_read"], "made"],
      ["a read is planned when the policy names its tool", { of: list }, ["some_tool"], "planned"],
      ["a call is made at once when the policy names another tool", { of: alarm }, ["other_tool"], "made"],
      [
        "a billed call is refused when the policy wants the person's own answer",
        { of: create, weight: ["billed"] },
        [...usual, "person"],
        "refused"
      ],
      [
        "a call that the API refuses at tier 0 is passed on",
        { of: create, weight: ["billed"], tier: 0 },
        usual,
        "made"
      ],
      ["a call of a route that the API refuses at tier 0 is passed on", { of: rotate, tier: 0 }, usual, "made"],
      [
        "a call too large to store as a plan is refused",
        { of: rotate, given: { of: "x".repeat(maxPlan) } },
        usual,
        "refused"
      ]
    ]
  for (const [title, story, confirm, outcome] of cases) {
    it.effect(title, () => Effect.map(outcomeOf(story, confirm), (_) => assert.strictEqual(_, outcome)))
  }
})

/** Quotas, a flavor and a server, as the API tells them. */
const cloud = (): Answers => ({
  "GET /v1/quotas": {
    compute: { cores: { limit: 20, used: 4 }, ram: { limit: 51200, used: null }, instances: { limit: 10, used: 2 } },
    block_storage: { volumes: { limit: 10, used: 1 }, gigabytes: { limit: 100, used: 20 } },
    databases: { gigabytes: { limit: 300, used: 10 }, claims: { limit: 10, used: 1 } }
  },
  "GET /v1/iaas/compute/flavors/2": { flavor: { name: "m1.small", vcpus: 1, ram: 2048 } },
  "GET /v1/iaas/compute/flavors/4": { flavor: { name: "m1.large", vcpus: 4, ram: 8192 } },
  "GET /v1/iaas/compute/servers/0f": { server: { status: "ACTIVE", flavor: { id: "2" } } },
  "GET /v1/iaas/volume/volumes/0f": { volume: { size: 10, volume_type: "ssd" } },
  "GET /v1/databases/postgres/shop": { size_gb: 10, replicas: 1, status: "ready" },
  "GET /v1/invoices?limit=100": {
    invoices: [
      { lines: [{ key: "compute.m1.large", unit: "hour", unit_price_eur: "9" }] },
      {
        lines: [
          { key: "compute.m1.large", unit: "second", unit_price_eur: "0.00004" },
          { key: "block-storage.ssd", unit: "GiB-second", unit_price_eur: "0.00000006" }
        ]
      }
    ]
  }
})

const quota = (name: string, limit: number, used: number | string, asked: number, after: number | string) => ({
  quota: name,
  limit,
  used,
  asked,
  after
})

/** What a person sees of a call. */
const shown = (
  of: Story["of"],
  given: Readonly<Record<string, unknown>>,
  { answers = cloud(), billing = true, weight = ["billed"] as ReadonlyArray<Weight> } = {}
) =>
  Effect.map(confirmed(agentOf(1, billing), toolOf(of), given), ({ body }) => ({
    quota: body["quota"],
    price: body["price"]
  })).pipe(Effect.provide(services(answers, () => ["writes"], weight).layer))

describe("the quotas and price shown to a person", () => {
  it.effect("a server's share of each quota, and its price from the newest invoice", () =>
    Effect.gen(function* () {
      const given = { server: { name: "web", flavorRef: "4", min_count: 1, max_count: 2 } }
      const compute = [
        quota("compute.instances", 10, 2, 2, 4),
        quota("compute.cores", 20, 4, 8, 12),
        quota("compute.ram", 51200, "not known", 16384, "not known")
      ]
      const { price, quota: quotas } = yield* shown(create, given)
      assert.deepStrictEqual(quotas, compute)
      assert.deepStrictEqual(price, {
        eur_per_hour: "0.288",
        lines: [{ line: "compute.m1.large", unit: "second", unit_price_eur: "0.00004", quantity: 2 }]
      })
      const disk = { source_type: "image", destination_type: "volume", volume_size: 30 }
      const booted = yield* shown(create, { server: { flavorRef: "4", max_count: 2, block_device_mapping_v2: [disk] } })
      assert.deepStrictEqual(booted, {
        quota: [
          ...compute,
          quota("block_storage.volumes", 10, 1, 2, 3),
          quota("block_storage.gigabytes", 100, 20, 60, 80)
        ],
        price: "not known"
      })
    })
  )

  it.effect('"not known" for each quota and price that the API does not answer', () =>
    Effect.gen(function* () {
      const given = { server: { name: "web", flavorRef: "4" } }
      const poor = { ...cloud(), "GET /v1/invoices?limit=100": { invoices: [] } }
      assert.strictEqual((yield* shown(create, given, { answers: poor })).price, "not known")
      assert.strictEqual((yield* shown(create, given, { billing: false })).price, "not known")
      assert.deepStrictEqual(yield* shown(create, given, { answers: {} }), { quota: "not known", price: "not known" })
      const flavorless = yield* shown(create, { server: { flavorRef: "7" } })
      assert.deepStrictEqual(flavorless, { quota: "not known", price: "not known" })
    })
  )

  it.effect("the additional quota of a resize and of a volume extension", () =>
    Effect.gen(function* () {
      const resized = yield* shown(password, { resize: { flavorRef: "4" } })
      assert.deepStrictEqual(resized.quota, [
        quota("compute.cores", 20, 4, 3, 7),
        quota("compute.ram", 51200, "not known", 6144, "not known")
      ])
      const extend = { method: "POST", path: "/v1/iaas/volume/volumes/0f/action" }
      const extended = yield* shown(extend, { "os-extend": { new_size: 25 } })
      assert.deepStrictEqual(extended.quota, [quota("block_storage.gigabytes", 100, 20, 15, 35)])
      assert.deepInclude(extended.price, { eur_per_hour: "0.0054" })
    })
  )

  it.effect("a database's quota, and that it is not billed", () =>
    Effect.gen(function* () {
      const claims = (asked: number, many: number) => [
        quota("databases.gigabytes", 300, 10, asked, 10 + asked),
        quota("databases.claims", 10, 1, many, 1 + many)
      ]
      const made = yield* shown({ method: "POST", path: "/v1/databases" }, { size_gb: 20, replicas: 3 })
      assert.deepStrictEqual(made, { quota: claims(60, 3), price: "not billed" })
      const grown = yield* shown(resize, { size_gb: 15, replicas: 2 })
      assert.deepStrictEqual(grown.quota, claims(20, 1))
      const restored = yield* shown({ method: "POST", path: `${resize.path}/restore` }, { name: "copy", replicas: 2 })
      assert.deepStrictEqual(restored.quota, claims(20, 2))
    })
  )
})

describe("a plan", () => {
  /** Plans a call, changes what `change` does, and applies the plan. */
  const applied = (of: Story["of"], given: Readonly<Record<string, unknown>>, change: (answers: Answers) => void) => {
    const answers = cloud()
    let confirm: ReadonlyArray<string> = ["writes"]
    const { layer, writes } = services(answers, () => confirm)
    const tool = toolOf(of)
    const apply = applyPlan([tool])
    return Effect.gen(function* () {
      const { body } = yield* confirmed(agentOf(), tool, given)
      change(answers)
      if (answers["policy"] !== undefined) confirm = ["writes", "person"]
      const answer = yield* confirmed(agentOf(), apply, { plan_id: body["plan_id"] })
      return { answer, writes, again: confirmed(agentOf(), apply, { plan_id: body["plan_id"] }) }
    }).pipe(Effect.provide(layer))
  }

  it.effect("is not applied when a price or the state of its target has changed", () =>
    Effect.gen(function* () {
      const dearer = yield* applied(password, { resize: { flavorRef: "4" } }, (_) => {
        _["GET /v1/iaas/compute/servers/0f"] = { server: { status: "SHUTOFF", flavor: { id: "2" } } }
      })
      assert.lengthOf(dearer.writes, 0)
      assert.deepStrictEqual(dearer.answer.body["changed"], ["the present state: 'status' has changed"])
      const gone = yield* applied(resize, { size_gb: 20 }, (_) => {
        delete _["GET /v1/databases/postgres/shop"]
      })
      assert.lengthOf(gone.writes, 0)
      assert.include(gone.answer.body["changed"], "the quotas")
    })
  )

  it.effect("is not applied when the policy now requires a person's answer", () =>
    Effect.gen(function* () {
      const { answer, writes } = yield* applied(resize, { size_gb: 20 }, (_) => {
        _["policy"] = "person"
      })
      assert.lengthOf(writes, 0)
      assert.strictEqual(answer.body["code"], "confirmation_needs_person")
    })
  )

  it.effect("carries its idempotency key to a route that takes one, and to no other", () =>
    Effect.gen(function* () {
      const keyed = yield* applied(rotate, {}, () => {})
      assert.deepStrictEqual(
        keyed.writes.map((_) => _.headers),
        [{ "idempotency-key": "plan-plan-1" }]
      )
      const plain = yield* applied(resize, { size_gb: 20 }, () => {})
      assert.deepStrictEqual(
        plain.writes.map((_) => _.headers),
        [undefined]
      )
    })
  )

  it.effect("can be applied again with its key, unless the API has given a final answer", () =>
    Effect.gen(function* () {
      const cases: ReadonlyArray<readonly [status: number | null, code: string, writes: number]> = [
        [429, "rate_limited", 2],
        [409, "idempotency_in_flight", 2],
        [503, "stopping", 2],
        [null, "answer_lost", 2],
        [422, "validation_error", 1],
        [409, "ceiling_reached", 1]
      ]
      for (const [status, code, many] of cases) {
        const { layer, writes } = services(cloud(), () => ["writes"])
        const tool = toolOf(rotate, {
          run: Effect.fnUntraced(function* (agent) {
            yield* (yield* Api).call(agent, rotate)
            return { status, body: { code }, failed: true }
          })
        })
        const apply = applyPlan([tool])
        const codes = yield* Effect.gen(function* () {
          const { body } = yield* confirmed(agentOf(), tool, {})
          const once = confirmed(agentOf(), apply, { plan_id: body["plan_id"] })
          return [(yield* once).body["code"], (yield* once).body["code"]]
        }).pipe(Effect.provide(layer))
        assert.deepStrictEqual(codes, [code, many === 2 ? code : "plan_spent"])
        assert.lengthOf(writes, many)
      }
    })
  )
})

describe("a person's answer", () => {
  const form = { clientId: 1, protocolVersion: "2026-07-28", clientCapabilities: { elicitation: { form: {} } } }

  it.effect("confirms the call of the tool that asked for it, and no other one with the same arguments", () =>
    Effect.gen(function* () {
      const { layer, writes } = services(cloud(), () => ["writes"])
      const harmless = toolOf(alarm, { name: "harmless" })
      const grave = toolOf(rotate, { name: "grave" })
      const answered = (requestState: string) => ({
        ...form,
        requestState,
        inputResponses: { confirm: { action: "accept" as const, content: { confirm: true } } }
      })
      const call = (tool: typeof grave, context: McpSchema.McpRequestContext["Service"]) =>
        Effect.provideService(confirmed(agentOf(), tool, {}), McpSchema.McpRequestContext, context)
      const stateOf = ({ asks }: Answer) => asks?.requestState ?? assert.fail("it does not ask")
      yield* Effect.gen(function* () {
        const shown = stateOf(yield* call(harmless, form))
        assert.notStrictEqual(stateOf(yield* call(grave, answered(shown))), shown)
        assert.lengthOf(writes, 0)
        yield* call(harmless, answered(shown))
        assert.deepStrictEqual(
          writes.map((_) => _.path),
          [alarm.path]
        )
      }).pipe(Effect.provide(layer))
    })
  )

  it.effect("confirms the same arguments in another order of their keys, and no other ones", () =>
    Effect.gen(function* () {
      const { layer, writes } = services(cloud(), () => ["writes"])
      const call = (given: Arguments, more: Partial<McpSchema.McpRequestContext["Service"]> = {}) =>
        Effect.provideService(confirmed(agentOf(), toolOf(alarm), given), McpSchema.McpRequestContext, {
          ...form,
          ...more
        })
      yield* Effect.gen(function* () {
        const { asks } = yield* call({ a: 1, b: { c: [1, 2], d: null } })
        const requestState = asks?.requestState ?? assert.fail("it does not ask")
        const confirm = { action: "accept" as const, content: { confirm: true } }
        const answered = { requestState, inputResponses: { confirm } }
        assert.isDefined((yield* call({ b: { d: null, c: [2, 1] }, a: 1 }, answered)).asks)
        assert.isDefined((yield* call({ a: 1, b: { c: [1, 2] } }, answered)).asks)
        assert.lengthOf(writes, 0)
        assert.isUndefined((yield* call({ b: { d: null, c: [1, 2] }, a: 1 }, answered)).asks)
        assert.lengthOf(writes, 1)
      }).pipe(Effect.provide(layer))
    })
  )

  const cases: ReadonlyArray<readonly [confirm: ReadonlyArray<string>, code: string]> = [
    [["writes"], "plan_outdated"],
    // No plan, which a model could carry out by itself.
    [["writes", "person"], "confirmation_needs_person"]
  ]
  for (const [confirm, code] of cases) {
    it.effect(`does not confirm a call whose effect has changed meanwhile: ${code}`, () =>
      Effect.gen(function* () {
        const answers = cloud()
        const { layer, writes } = services(answers, () => confirm)
        const elicit = () =>
          Effect.sync(() => {
            answers["GET /v1/databases/postgres/shop"] = { size_gb: 10, replicas: 1, status: "restoring" }
            return { action: "accept" as const, content: { confirm: true } }
          })
        const client = { ...form, getClient: Effect.succeed({ elicit }) }
        const { body } = yield* confirmed(agentOf(), toolOf(rotate), {}).pipe(
          Effect.provideService(McpSchema.McpRequestContext, form),
          // The rest of the client is not asked.
          Effect.provideService(McpSchema.McpServerClient, client as never),
          Effect.provide(layer)
        )
        assert.lengthOf(writes, 0)
        assert.strictEqual(body["code"], code)
        assert.strictEqual(body["plan_id"] === undefined, confirm.includes("person"))
      })
    )
  }
})

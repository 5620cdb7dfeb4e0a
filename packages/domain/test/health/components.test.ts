import { assert, describe, it } from "@effect/vitest"
import { Components } from "@portico/domain/health/Components"
import { judged, type Outcome, type State } from "@portico/domain/health/judgement"
import { readiness } from "@portico/domain/health/readiness"
import { showStatus } from "@portico/domain/status/show"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Probes } from "@portico/upstream/Probes"
import { Effect, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import { inTime } from "@portico/testing/clock"
import { simulatedWith } from "@portico/testing/cloud/Simulated"

/** Its tries within, and pauses that the probes of others make, need time of the test clock. */
const round = Effect.suspend(() =>
  inTime(
    Effect.flatMap(Components, (_) => _.round),
    "100 millis"
  )
)

const componentOf = (name: string) => Effect.map(Components, (_) => _.all()[name])

/** What is logged, as text. */
const logging = () => {
  const lines: Array<string> = []
  const logger = Logger.make(({ logLevel, message }) => {
    lines.push(`${logLevel} ${JSON.stringify(message)}`)
  })
  return { lines, layer: Logger.layer([logger]) }
}

const platform = ["identity", "compute", "network", "volume", "image", "load-balancer", "dns", "key-manager"]
const control = "KEYSTONE_USER, KEYSTONE_PASSWORD, KEYSTONE_PROJECT, KEYSTONE_DOMAIN_ID"

/** Every identity of the gateway with a wrong secret, the components that cannot be used with it, and what is named. */
const wrong: ReadonlyArray<
  readonly [setting: string, components: ReadonlyArray<string>, named: string, services: ReadonlyArray<string>]
> = [
  ["KEYSTONE_PASSWORD", platform, control, ["compute", "storage", "network"]],
  ["KEYSTONE_USER", platform, control, ["compute", "storage", "network"]],
  ["RGW_ACCESS_KEY", ["object-storage"], "RGW_ACCESS_KEY, RGW_SECRET_KEY", ["object-storage"]],
  ["RGW_SECRET_KEY", ["object-storage"], "RGW_ACCESS_KEY, RGW_SECRET_KEY", ["object-storage"]],
  ["ZITADEL_SERVICE_TOKEN", ["identity-provider"], "ZITADEL_SERVICE_TOKEN, ZITADEL_ORG_ID", ["portal"]],
  [
    "INTROSPECTION_CLIENT_SECRET",
    ["identity-provider"],
    "INTROSPECTION_CLIENT_ID, INTROSPECTION_CLIENT_SECRET",
    ["portal"]
  ],
  ["KUBERNETES_TOKEN", ["kubernetes"], "KUBERNETES_TOKEN, KUBERNETES_TOKEN_FILE", ["databases"]],
  ["BILLING_TOKEN", ["billing"], "BILLING_TOKEN", ["billing"]]
]

const secret = "wrong-secret-of-this-test"

describe("a wrong secret", () => {
  for (const [setting, components, named, services] of wrong) {
    const { layer, lines } = logging()
    it.effect(`${setting} is logged by name, once, and its components are unauthorized`, () =>
      Effect.gen(function* () {
        yield* round
        for (const [name, { message, state }] of Object.entries((yield* Components).all())) {
          assert.strictEqual(state, components.includes(name) ? "unauthorized" : "ok", `${name}: ${message}`)
        }
        for (const name of components) assert.isString((yield* componentOf(name))?.message)
        yield* round
        yield* round
        assert.lengthOf(lines, 1, lines.join("\n"))
        assert.include(lines[0], `Error ["the gateway's credentials are refused: ${named}"`)
        assert.notInclude(lines[0], secret)
        assert.strictEqual((yield* readiness("customer")).status, "degraded")
        const { services: rows } = yield* showStatus("customer")
        const down = rows.filter((_) => _.status === "down").map((_) => _.service)
        assert.includeMembers(down, [...services])
      }).pipe(Effect.provide(Layer.merge(simulatedWith({ [setting]: secret }), layer)))
    )
  }

  const { layer, lines } = logging()
  it.effect("several at once are each logged", () =>
    Effect.gen(function* () {
      yield* round
      yield* round
      const named = lines.map((_) => /refused: ([A-Z_, ]+)/.exec(_)?.[1])
      assert.sameMembers(named, [
        control,
        "RGW_ACCESS_KEY, RGW_SECRET_KEY",
        "ZITADEL_SERVICE_TOKEN, ZITADEL_ORG_ID, INTROSPECTION_CLIENT_ID, INTROSPECTION_CLIENT_SECRET",
        "KUBERNETES_TOKEN, KUBERNETES_TOKEN_FILE",
        "BILLING_TOKEN"
      ])
    }).pipe(Effect.provide(Layer.merge(simulatedWith(Object.fromEntries(wrong.map(([_]) => [_, secret]))), layer)))
  )
})

describe("a component", () => {
  const { layer, lines } = logging()
  it.effect("logs a line when it begins and ceases to fail, and none for a single failure", () =>
    Effect.gen(function* () {
      const cloud = yield* SimulatedCloud
      const failing = (status: number) =>
        cloud.fault({ service: "nova", method: "GET", path: "/**", times: "always", when: "before", as: { status } })
      yield* round
      yield* failing(503)
      yield* round
      assert.deepStrictEqual(lines, [])
      yield* round
      yield* cloud.clearFaults
      yield* failing(500)
      yield* round
      yield* cloud.clearFaults
      yield* failing(403)
      yield* Effect.repeat(round, { times: 1 })
      yield* cloud.clearFaults
      yield* Effect.repeat(round, { times: 4 })
      assert.deepStrictEqual(
        lines.map((_) => /^(\w+) \["([^":]*)/.exec(_)?.slice(1)),
        [
          ["Warn", "components do not work"],
          ["Error", "the gateway's credentials are refused"],
          ["Info", "components work again"]
        ]
      )
    }).pipe(Effect.provide(Layer.merge(simulatedWith({}), layer)))
  )

  it.effect("with a slow answer is degraded", () =>
    Effect.gen(function* () {
      yield* round
      assert.deepInclude(yield* componentOf("slow"), { state: "degraded", message: "answered after 3000 ms" })
      assert.deepInclude(yield* componentOf("late"), { state: "down", message: "no answer within 5s" })
      assert.deepInclude(yield* componentOf("broken"), { state: "down", message: "the check itself failed" })
      assert.deepInclude(yield* componentOf("lacking"), { state: "not configured", checked_at: null })
    }).pipe(
      Effect.provide(
        Layer.fresh(Components.layer).pipe(
          Layer.provide(
            Layer.succeed(Probes, {
              systems: [
                { component: "slow", probes: [{ credentials: [], read: Effect.sleep("3 seconds") }] },
                { component: "late", probes: [{ credentials: [], read: Effect.never }] },
                { component: "broken", probes: [{ credentials: [], read: Effect.die("a bug") }] }
              ],
              absent: ["lacking"],
              availability: () => undefined
            })
          ),
          Layer.provideMerge(simulatedWith({}))
        )
      )
    )
  )

  it.effect("has the time since which probes found that state", () =>
    Effect.gen(function* () {
      const cloud = yield* SimulatedCloud
      const later = Effect.andThen(TestClock.adjust("1 second"), round)
      const compute = Effect.map(componentOf("compute"), (_) => [
        _?.state,
        _?.since !== null,
        _?.since === _?.checked_at
      ])
      assert.deepStrictEqual(yield* compute, ["unknown", false, true])
      yield* later
      assert.deepStrictEqual(yield* compute, ["ok", true, true])
      yield* later
      assert.deepStrictEqual(yield* compute, ["ok", true, false])
      yield* cloud.fault({ service: "nova", method: "GET", path: "/**", times: "always", when: "before", as: "reset" })
      yield* later
      assert.deepStrictEqual(yield* compute, ["degraded", true, true])
      yield* later
      yield* later
      assert.deepStrictEqual(yield* compute, ["down", true, false])
      assert.strictEqual((yield* componentOf("billing"))?.state, "ok")
    }).pipe(Effect.provide(Components.layer.pipe(Layer.provideMerge(simulatedWith({})))))
  )

  const judgements: ReadonlyArray<readonly [latestFirst: ReadonlyArray<Outcome>, State]> = [
    [[], "unknown"],
    [["ok"], "ok"],
    [["failed"], "down"],
    [["refused"], "unauthorized"],
    [["slow"], "degraded"],
    [["failed", "ok"], "degraded"],
    [["failed", "slow"], "degraded"],
    [["failed", "failed", "ok"], "down"],
    [["failed", "refused"], "down"],
    [["refused", "ok"], "unauthorized"],
    [["ok", "failed"], "degraded"],
    [["ok", "ok", "ok", "refused"], "degraded"],
    [["ok", "ok", "ok", "ok"], "ok"]
  ]
  for (const [outcomes, state] of judgements) {
    it(`is ${state} after ${outcomes.toReversed().join(", ") || "nothing"}`, () =>
      assert.strictEqual(judged(outcomes), state))
  }
})

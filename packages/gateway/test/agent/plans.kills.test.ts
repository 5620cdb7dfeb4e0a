import type { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { assert, layer } from "@effect/vitest"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { inTime } from "@portico/testing/clock"
import { sampled } from "@portico/testing/sample/sampled"
import { Memory } from "@portico/testing/store/Memory"
import { Effect } from "effect"
import { connected, connectedTo } from "../harness/agents.ts"
import { Cast } from "../harness/Cast.ts"
import { writesOf } from "../routes/census.ts"
import { outcomes } from "../routes/killed.ts"
import { cleanedUp, type Death, Everything, hangs, leasesEnd, mortal, someDeaths, titleOf } from "../routes/mortal.ts"
import { carriedOut, census, contents, difference } from "../routes/undisturbed.ts"
import { argumentsOf, everyWriteConfirmed, stories, type Story } from "./plans.ts"
import { called, type Told } from "./toolCalls.ts"

const inOtherSystems = stories.filter(({ route }) => outcomes[route] !== "rows")

const applied = (client: Client, { body }: Told) => called(client, "plan_apply", { plan_id: body["plan_id"] })

/** An agent, whose every write a person confirms, and which has what the tool is about. */
const prepared = Effect.fnUntraced(function* ({ route, row, tool }: Story) {
  const { acme } = yield* Cast
  yield* everyWriteConfirmed
  const given = argumentsOf(route, yield* inTime(row.prepare))
  yield* carriedOut
  const client = yield* connected(acme.tokens[1])
  const planned = inTime(called(client, tool, given))
  const plan = yield* planned
  assert.isString(plan.body["plan_id"], JSON.stringify(plan.body))
  return { client, plan, planned, before: yield* census, inside: yield* contents }
})

/** What a plan does when nobody disturbs it. */
const undisturbed = Effect.fnUntraced(function* (story: Story) {
  const cloud = yield* SimulatedCloud
  const { before, client, inside, plan } = yield* prepared(story)
  yield* cloud.clearCalls
  const answer = yield* inTime(applied(client, plan))
  assert.isFalse(answer.isError, JSON.stringify(answer.body))
  yield* carriedOut
  const writes = writesOf(yield* cloud.calls)
  const all = difference(before, yield* census)
  const whole = difference(inside, yield* contents)
  if (story.row.after !== undefined) yield* inTime(story.row.after)
  return { all, whole, writes }
}, Effect.scoped)

/** How the calls of `plan_apply` ended, as their records say. */
const outcomesOfPlans = Effect.map(Memory, ({ events }) =>
  [...events.values()].flatMap(({ envelope: { data } }) => {
    const { outcome, tool } = Object(data)
    return tool === "plan_apply" ? [outcome] : []
  })
)

/** The gateway dies as it carries the plan out; another one is left, and is asked to. */
const killed = Effect.fnUntraced(function* (
  story: Story,
  death: Death,
  { all, whole }: Effect.Success<ReturnType<typeof undisturbed>>
) {
  const because = titleOf(death)
  const cloud = yield* SimulatedCloud
  const { acme } = yield* Cast
  const { before, client, inside, plan, planned } = yield* prepared(story)
  const recorded = (yield* outcomesOfPlans).length
  const doomed = yield* mortal
  const itsClient = yield* connectedTo(doomed.agentUrl, acme.tokens[1])
  yield* cloud.clearCalls
  yield* cloud.fault({ ...death.write, when: death.when, as: "hang" })
  yield* Effect.forkChild(applied(itsClient, plan))
  yield* hangs
  yield* doomed.kill
  // While it may be alive, nobody else carries the plan out.
  const early = yield* inTime(applied(client, plan))
  assert.strictEqual(early.body["code"], story.takesKey ? "idempotency_in_flight" : "plan_spent", because)
  yield* leasesEnd
  yield* cleanedUp
  const outcome = outcomes[story.route]
  const seen = difference(before, yield* census)
  const isThere = difference(inside, yield* contents) !== ""
  if (outcome !== "half") assert.include(["", all], seen, because)
  assert.deepStrictEqual((yield* outcomesOfPlans).slice(recorded).toSorted(), ["refused", "unknown"], because)

  const late = yield* inTime(applied(client, plan))
  if (!story.takesKey) assert.strictEqual(late.body["code"], "plan_spent", because)
  // The agent reads what has become of it, and calls the tool again.
  const next = story.takesKey ? undefined : yield* planned
  const again = next === undefined ? late : next.isError ? next : yield* inTime(applied(client, next))
  yield* carriedOut
  const isDone = again.isError && seen === all && [404, 409].includes(Number(again.body["status"]))
  assert.isTrue(!again.isError || isDone, `${because}, asked again: ${JSON.stringify(again.body)}`)
  // Where the first one took effect, nothing tells the second one from another request.
  if (outcome !== "nameless" || !isThere) {
    assert.strictEqual(difference(before, yield* census), all, because)
    assert.strictEqual(difference(inside, yield* contents), whole, because)
  }
  if (story.row.after !== undefined) yield* inTime(story.row.after)
}, Effect.scoped)

layer(Everything)("a gateway that is killed while it applies a plan of an agent", (it) => {
  for (const story of sampled("plans that are killed", 4, inOtherSystems)) {
    it.effect(`of ${story.tool} leaves no leftover or duplicate, and the agent can complete it`, () =>
      Effect.gen(function* () {
        // What only a tenant's first one needs, such as its namespace, is there from then on.
        yield* undisturbed(story)
        const found = yield* undisturbed(story)
        assert.isNotEmpty(found.writes)
        for (const death of someDeaths(story.tool, found.writes)) yield* killed(story, death, found)
      })
    )
  }
})

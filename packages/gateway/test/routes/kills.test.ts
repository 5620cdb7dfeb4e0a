import { assert, layer } from "@effect/vitest"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { inTime } from "@portico/testing/clock"
import { sampled } from "@portico/testing/sample/sampled"
import { Effect } from "effect"
import { rawClient } from "../harness/RawClient.ts"
import { type Outcome, outcomes } from "./killed.ts"
import { cleanedUp, type Death, Everything, hangs, leasesEnd, mortal, someDeaths, titleOf } from "./mortal.ts"
import { nameOf, type Route, routes } from "./routes.ts"
import type { Success } from "./Success.ts"
import { longer, successes } from "./successes.ts"
import { asked, carriedOut, census, contents, destroyed, difference, done, undisturbed } from "./undisturbed.ts"

/** The gateway dies at the write; another one is left, and is asked again. */
const killed = Effect.fnUntraced(function* (
  route: Route,
  row: Success,
  outcome: Outcome,
  death: Death,
  { all, whole }: Effect.Success<ReturnType<typeof undisturbed>>
) {
  const { when, write } = death
  const because = titleOf(death)
  const cloud = yield* SimulatedCloud
  const { bytes, plane, send } = yield* inTime(asked(route, row))
  yield* carriedOut
  const before = yield* census
  const inside = yield* contents
  yield* cloud.clearCalls
  yield* cloud.fault({ ...write, when, as: "hang" })
  const doomed = yield* mortal
  const client = yield* rawClient(doomed.url[plane])
  yield* client.send(bytes)
  yield* hangs
  yield* doomed.kill
  yield* leasesEnd

  yield* cleanedUp
  const seen = difference(before, yield* census)
  const isThere = difference(inside, yield* contents) !== ""
  if (outcome !== "half") assert.include(["", all], seen, because)
  const again = yield* inTime(send)
  yield* destroyed
  yield* carriedOut
  const answers = [row.status, ...done(route), ...(seen === all ? [404, 409] : [])]
  assert.include(answers, again.status, `${because}, asked again: ${again.text}`)
  // Where the first one took effect, nothing tells the second one from another request.
  if (outcome !== "nameless" || !isThere) {
    assert.strictEqual(difference(before, yield* census), all, because)
    assert.strictEqual(difference(inside, yield* contents), whole, because)
  }
  if (row.after !== undefined) yield* inTime(row.after)
})

const changing = routes.filter((_) => !_.proxied && !["GET", "HEAD", "OPTIONS"].includes(_.method))

interface Story {
  readonly of: string
  readonly row: Success | undefined
  readonly outcome: Outcome
}

/** What is killed: each route that writes in other systems as it succeeds, and some with more to do. */
const stories: Readonly<Record<string, Story>> = {
  ...Object.fromEntries(
    Object.entries(outcomes).flatMap(([of, outcome]) =>
      outcome === "rows" ? [] : [[of, { of, row: successes[of], outcome }] as const]
    )
  ),
  ...Object.fromEntries(Object.entries(longer).map(([what, story]) => [`${story.of} ${what}`, story] as const))
}

layer(Everything)("a gateway that is killed", (it) => {
  it.effect("has an outcome for each writing route", () =>
    Effect.sync(() => assert.sameMembers(Object.keys(outcomes), changing.map(nameOf)))
  )

  for (const [what, { of, outcome, row }] of sampled("gateways that are killed", 8, Object.entries(stories))) {
    const route = changing.find((_) => nameOf(_) === of)
    it.effect(`during ${what} leaves nothing behind, and it can be repeated`, () =>
      Effect.gen(function* () {
        if (route === undefined || row === undefined) return assert.fail("the route has no row among the successes")
        // What only a tenant's first one needs, such as its namespace, is there from then on.
        yield* undisturbed(route, row)
        const found = yield* undisturbed(route, row)
        assert.isNotEmpty(found.writes)
        for (const death of someDeaths(what, found.writes)) yield* killed(route, row, outcome, death, found)
      })
    )
  }
})

import { assert, it } from "@effect/vitest"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Humans } from "@portico/upstream/zitadel/Humans"
import { Effect } from "effect"
import { Simulated } from "@portico/testing/cloud/Simulated"

it.effect("a search with another person's result does not find the person", () =>
  Effect.gen(function* () {
    const cloud = yield* SimulatedCloud
    const human = (email: string) => ({ id: email, userName: email, human: { profile: {}, email: { email } } })
    const search = { service: "zitadel", method: "POST", path: "/management/v1/users/_search", when: "before" } as const
    const found = Effect.fnUntraced(function* (...people: ReadonlyArray<string>) {
      yield* cloud.fault({ ...search, as: { status: 200, body: { result: people.map(human) } } })
      return (yield* (yield* Humans).findByEmail("Ann@Acme.example"))?.userId
    })
    assert.strictEqual(yield* found("bob@globex.example"), undefined)
    assert.strictEqual(yield* found("bob@globex.example", "ann@acme.example"), "ann@acme.example")
  }).pipe(Effect.provide(Simulated))
)

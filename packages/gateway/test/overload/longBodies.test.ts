import { assert, it } from "@effect/vitest"
import { bodyIssues } from "@portico/gateway/middleware/body"
import { CallOwner, turnForText } from "@portico/upstream/limits/longTexts"
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"

const post = (body: unknown) =>
  HttpServerRequest.fromWeb(
    new Request("http://gateway.example/v1/credentials", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body)
    })
  )

/** Fills the queue of the owner. An entry leaves it each time that the event loop turns. */
const crowdedBy = (owner: string) =>
  Effect.forEach(
    Array.from({ length: 40 }),
    () => Effect.forkChild(Effect.ignore(turnForText(owner, 1)), { startImmediately: true }),
    {
      discard: true
    }
  )

const long = { label: "x".repeat(5_000) }

for (const [owner, body, outcome] of [
  ["acme", long, "overloaded"],
  ["acme", { label: "x" }, "read"],
  ["globex", long, "read"]
] as const) {
  it.effect(`${owner}'s body of ${JSON.stringify(body).length} bytes is ${outcome} while acme's slots are in use`, () =>
    Effect.gen(function* () {
      const request = post(body)
      // Read before, so that only its turn is waited for.
      yield* Effect.orDie(request.arrayBuffer)
      yield* crowdedBy("acme")
      const read = Effect.match(bodyIssues(request, true), {
        onFailure: (failure) => failure.code,
        onSuccess: (issues) => (issues.length === 0 ? "read" : "wrong")
      })
      assert.strictEqual(yield* Effect.provideService(read, CallOwner, owner), outcome)
    })
  )
}

it.effect("anonymous bodies share slots, apart from those of the platform's jobs", () =>
  Effect.gen(function* () {
    const request = post(long)
    yield* Effect.orDie(request.arrayBuffer)
    yield* crowdedBy("anonymous")
    const { code } = yield* Effect.flip(bodyIssues(request, true))
    assert.strictEqual(code, "overloaded")
    yield* turnForText("", 1)
  })
)

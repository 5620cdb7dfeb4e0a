import { assert } from "@effect/vitest"
import { createClient } from "@portico/client/createClient"
import { Effect } from "effect"
import { eventually } from "../../gateway/test/processes/children.ts"
import { story, tenantOf, twoGateways } from "../../gateway/test/processes/harness.ts"
import { lineTo } from "./Line.ts"

story("events are followed from a gateway that is killed to the next one, and calls are answered there", () =>
  Effect.gen(function* () {
    const [first, second] = yield* twoGateways()
    const { token } = yield* tenantOf(first, "Acme GmbH")
    const line = yield* Effect.acquireRelease(
      Effect.promise(() => lineTo(first.url)),
      (line) => Effect.promise(() => line[Symbol.asyncDispose]())
    )
    const client = createClient({ url: line.url, token })
    const controller = new AbortController()
    const labels: Array<string> = []
    let opened = false
    const follow = async () => {
      const options = { signal: controller.signal, onOpen: () => void (opened = true) }
      for await (const { event } of client.events.tail({ kind: ["credential.created"] }, options)) {
        labels.push(String(event.data["label"]))
      }
    }
    const following = follow().catch((error: unknown) => error)
    yield* eventually(Effect.sync(() => assert.isTrue(opened)))
    yield* first.mint(token, "one")
    yield* first.kill
    yield* second.mint(token, "two")
    line.lead(second.url)
    const minted = yield* Effect.promise(() => client.credentials.mint({ kind: "api-key", tier: 0, label: "three" }))
    assert.isNotNull(minted.pat)
    yield* eventually(Effect.sync(() => assert.deepStrictEqual(labels, ["one", "two", "three"])))
    controller.abort("enough")
    assert.strictEqual(yield* Effect.promise(() => following), "enough")
  })
)

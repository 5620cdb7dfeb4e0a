import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { eventSource } from "./eventSource.ts"
import { eventually, heard } from "../processes/children.ts"
import { story, tenantOf, twoGateways } from "../processes/harness.ts"

story("an event at one gateway is on the other's streams too", () =>
  Effect.gen(function* () {
    const [first, second] = yield* twoGateways()
    const { token } = yield* tenantOf(first, "Acme GmbH")
    const watched = yield* eventSource(second.url, "/v1/events/tail?topic=iam.credentials", token)
    yield* eventually(Effect.sync(() => assert.isDefined(watched.lastId())))
    for (const label of ["one", "two"]) {
      const minted = yield* first.mint(token, label)
      const id = minted.body.credential_id
      yield* eventually(
        Effect.sync(() => assert.strictEqual(watched.events().at(-1)?.key, id)),
        heard
      )
    }
    assert.deepStrictEqual(
      watched.events().map((_) => _.kind),
      ["credential.created", "credential.created"]
    )
  })
)

import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { lineTo } from "../../../client/test/Line.ts"
import { story, tenantOf, twoGateways } from "../../../gateway/test/processes/harness.ts"
import { porticoIn } from "../harness/PseudoTerminal.ts"

story("events tail reconnects from a killed gateway to the next one, with each event once", () =>
  Effect.gen(function* () {
    const [first, second] = yield* twoGateways()
    const { token } = yield* tenantOf(first, "Acme GmbH")
    const line = yield* Effect.acquireRelease(
      Effect.promise(() => lineTo(first.url)),
      (line) => Effect.promise(() => line[Symbol.asyncDispose]())
    )
    const args = ["events", "tail", "--since", "1h", "--kind", "credential.created"]
    const env = { PORTICO_URL: line.url, PORTICO_TOKEN: token }
    const terminal = yield* porticoIn(args, { columns: 300, env })
    yield* first.mint(token, "label-one")
    yield* terminal.waitFor("label-one")
    yield* first.kill
    yield* second.mint(token, "label-two")
    yield* Effect.sleep("300 millis")
    line.lead(second.url)
    yield* second.mint(token, "label-three")
    yield* terminal.waitFor("label-three")
    yield* second.mint(token, "label-four")
    yield* terminal.waitFor("label-four")
    yield* terminal.press("ctrl-c")
    assert.strictEqual(yield* terminal.exit, 130)
    const seen = terminal.transcript().match(/label-\w+/g)
    assert.deepStrictEqual(seen, ["label-one", "label-two", "label-three", "label-four"])
    assert.match(terminal.screen(), /Go on with: portico events tail --kind credential\.created --cursor \S+$/)
  })
)

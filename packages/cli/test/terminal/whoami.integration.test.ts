import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Cast } from "../../../gateway/test/harness/Cast.ts"
import { TestGateway } from "../../../gateway/test/harness/TestGateway.ts"
import { porticoIn } from "../harness/PseudoTerminal.ts"

layer(Cast.layer.pipe(Layer.provideMerge(TestGateway.layer)), { excludeTestServices: true })(
  "portico whoami in a terminal",
  (it) => {
    for (const columns of [80, 30]) {
      it.effect(`fits ${columns} columns`, () =>
        Effect.gen(function* () {
          const { url } = yield* TestGateway
          const { acme } = yield* Cast
          const terminal = yield* porticoIn(["whoami"], {
            columns,
            env: { PORTICO_URL: url.customer, PORTICO_TOKEN: acme.tokens[1] }
          })
          assert.strictEqual(yield* terminal.exit, 0, terminal.transcript())
          // A line that is too long is broken by the terminal.
          assert.include(terminal.transcript().replaceAll("\n", ""), "Acme 1")
          assert.isTrue(
            terminal
              .screen()
              .split("\n")
              .every((line) => line.length <= columns)
          )
        })
      )
    }
  }
)

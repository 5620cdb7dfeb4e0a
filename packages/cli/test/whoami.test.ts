import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Cast } from "../../gateway/test/harness/Cast.ts"
import { TestGateway } from "../../gateway/test/harness/TestGateway.ts"
import { commandLine } from "./harness/commandLine.ts"

layer(Cast.layer.pipe(Layer.provideMerge(TestGateway.layer)), { excludeTestServices: true })("whoami", (it) => {
  it.effect("shows the caller", () =>
    Effect.gen(function* () {
      const { url } = yield* TestGateway
      const { acme } = yield* Cast
      const { exit, stdout } = yield* commandLine(["whoami", "--url", url.customer], {
        env: { PORTICO_TOKEN: acme.tokens[1] }
      })
      assert.strictEqual(exit, 0)
      assert.deepInclude(JSON.parse(stdout), { tier: 1 })
    })
  )

  it.effect("exits with 3 and a message for an unknown token", () =>
    Effect.gen(function* () {
      const { url } = yield* TestGateway
      const { exit, stderr, stdout } = yield* commandLine(["whoami"], {
        env: { PORTICO_URL: url.customer, PORTICO_TOKEN: "unknown" }
      })
      assert.strictEqual(exit, 3)
      assert.strictEqual(stdout, "")
      assert.match(
        stderr,
        /^Token is not active\.\nSet PORTICO_TOKEN to another token, or unset it and log in with 'portico login'\.\n\(token_inactive, request \w{32}\)\n$/
      )
    })
  )
})

import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { isHere, named, tokenizer } from "../../../../scripts/parts/npm/packages.ts"
import { Cast } from "../harness/Cast.ts"
import { TestGateway } from "../harness/TestGateway.ts"
import { texts } from "./toolLists.ts"

const most = 12_000

layer(Cast.layer.pipe(Layer.provideMerge(TestGateway.layer)), { excludeTestServices: true })(
  "a list of tools",
  (it) => {
    it.effect.skipIf(!isHere)(named("is at most 12,000 tokens at every tier"), () =>
      Effect.gen(function* () {
        const { countTokens } = yield* Effect.promise(tokenizer)
        for (const [who, text] of Object.entries(yield* texts("otto"))) {
          process.stdout.write(`${who}: ${countTokens(text)} tokens, ${text.length} characters\n`)
          assert.isAtMost(countTokens(text), most, who)
        }
      })
    )
  }
)

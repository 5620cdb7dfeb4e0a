import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Cast } from "../../../gateway/test/harness/Cast.ts"
import { TestGateway } from "../../../gateway/test/harness/TestGateway.ts"
import { commandLine } from "../harness/commandLine.ts"
import { emptyHome } from "../harness/PseudoTerminal.ts"

const completed = Effect.fnUntraced(function* (words: ReadonlyArray<string>) {
  const { url } = yield* TestGateway
  const { acme } = yield* Cast
  const env = { PORTICO_URL: url.customer, PORTICO_TOKEN: acme.tokens[2], HOME: yield* emptyHome }
  const { exit, stderr, stdout } = yield* commandLine(["__complete", "--", ...words], { env })
  assert.deepStrictEqual({ exit, stderr }, { exit: 0, stderr: "" })
  return stdout.trimEnd().split("\n")
}, Effect.scoped)

layer(Cast.layer.pipe(Layer.provideMerge(TestGateway.layer)), { excludeTestServices: true })(
  "the candidates that complete a command line",
  (it) => {
    it.effect("are the commands, then their verbs, then their flags", () =>
      Effect.gen(function* () {
        assert.include(yield* completed([":who"]), "whoami\tShow who is signed in, and what the credential may do")
        assert.isTrue((yield* completed(["credentials", ":mi"])).some((_) => _.startsWith("mint\t")))
        assert.isTrue((yield* completed(["credentials", "mint", ":--lab"])).some((_) => _.startsWith("--label\t")))
        assert.deepStrictEqual(yield* completed(["whoami", "--output", ":j"]), ["words", "json"])
      })
    )

    it.effect("skip the value of a flag, and never propose a flag twice", () =>
      Effect.gen(function* () {
        const words = yield* completed(["--output", "json", "credentials", "list", "--limit", "3", ":--"])
        assert.isFalse(words.some((_) => _.startsWith("--limit\t") || _.startsWith("--output\t")))
        assert.isTrue(words.some((_) => _.startsWith("--fields\t")))
      })
    )

    it.effect("are names of the caller's resources, and none that could become a command", () =>
      Effect.gen(function* () {
        const { call } = yield* TestGateway
        const { acme } = yield* Cast
        const label = "two\nlines \u001B[31m\u202E"
        const body = { label, tier: 0 }
        const minted = yield* call("customer", "POST", "/v1/credentials", { token: acme.tokens[2], body })
        const words = yield* completed(["credentials", "revoke", ":cred-"])
        assert.isAbove(words.length, 3, JSON.stringify(minted))
        // oxlint-disable-next-line no-control-regex -- they are what is looked for
        assert.isFalse(words.some((_) => /[\u0000-\u0008\u000B-\u001F\u202E]/.test(_)))
        assert.isTrue(
          words.slice(1).every((_) => _.startsWith("cred-")),
          words.join("\n")
        )
      })
    )
  }
)

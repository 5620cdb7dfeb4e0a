import { PorticoError } from "@portico/client/PorticoError"
import { assert, describe, it } from "@effect/vitest"
import { failureTable } from "@portico/contract/Failures"
import { Effect } from "effect"
import { CliFailure } from "../../src/CliFailure.ts"
import { wordsOf } from "../../src/refusals.ts"

const said = (code: string, details: Partial<ConstructorParameters<typeof PorticoError>[1]> = {}) =>
  wordsOf(new PorticoError(code, { detail: "It is refused", status: 409, ...details }))

describe("the text of a failure", () => {
  it.effect("has the detail, the advice, the code and the request id", () =>
    Effect.gen(function* () {
      assert.strictEqual(
        yield* said("database_not_found", { detail: "Database 'log' not found", requestId: "4bf9" }),
        "Database 'log' not found.\nLook the databases up with 'portico databases list'.\n(database_not_found, request 4bf9)"
      )
    })
  )

  it.effect("names the flag of each invalid field", () =>
    Effect.gen(function* () {
      const issues = [
        { loc: ["body", "size_gb"], msg: "must be at most 250", type: "value_error" },
        { loc: ["body", "rules", 0, "port"], msg: "is missing", type: "missing" },
        { loc: ["path", "engine"], msg: "is not known", type: "value_error" },
        { loc: ["body"], msg: "must be an object", type: "value_error" }
      ]
      assert.strictEqual(
        (yield* said("validation_error", { issues })).split("\n").slice(0, 5).join("\n"),
        [
          "The request is not valid:",
          "  --size-gb: must be at most 250",
          "  --rules [0].port: is missing",
          "  <engine>: is not known",
          "  body: must be an object"
        ].join("\n")
      )
    })
  )

  it.effect("has the numbers of the body, and when to try again", () =>
    Effect.gen(function* () {
      const ceiling = { requested: 3, used: 9, limit: 10, remaining: 1 }
      assert.include(
        yield* said("ceiling_reached", { body: { ceiling } }),
        "It is refused.\n  asked for 3, 9 of 10 in use, 1 left\n"
      )
      const admission = { dimensions: [{ dimension: "cores", requested: 8, used: 90, limit: 96, remaining: 6 }] }
      assert.include(
        yield* said("budget_exceeded", { body: { admission } }),
        "\n  cores: asked for 8, 90 of 96 in use, 6 left\n"
      )
      const stopped = yield* said("zone_import_failed", { body: { applied: ["a", "b"], left: ["c"] } })
      assert.include(stopped, "\nDone before, and kept: a, b.\nNot undone yet, and tried again by the platform: c.\n")
      assert.include(yield* said("rate_limited", { retryAfter: 12 }), "\nTry again in 12 s.\n")
    })
  )

  it.effect("names the command to sign in with", () =>
    Effect.gen(function* () {
      for (const code of ["missing_authorization", "token_inactive", "tier_too_low", "login_failed"]) {
        assert.include(yield* said(code), "'portico login'", code)
      }
    })
  )

  it.effect.each(failureTable.map(({ code }) => code))("of %s has advice, and names no HTTP call", (code) =>
    Effect.gen(function* () {
      const lines = (yield* said(code)).split("\n")
      assert.isAtLeast(lines.length, 3)
      assert.notMatch(lines.join("\n"), /(?<!portico api )\b(?:POST|PUT|PATCH|DELETE) \/v1/)
    })
  )

  it.effect("has no secret, even if a library's message has one", () =>
    Effect.gen(function* () {
      const header = 'No answer came: Headers.append: "Bearer s3cret\ns3cret" is an invalid header value'
      const address = "No answer came: https://user:s3cret@gateway.example cannot be reached"
      for (const detail of [header, address]) {
        const words = yield* said("unreachable", { detail, status: 0 })
        assert.notInclude(words, "s3cret")
        assert.notInclude(yield* wordsOf(new CliFailure({ exit: "usage", message: detail })), "s3cret")
      }
    })
  )

  it.effect("has control characters escaped", () =>
    Effect.gen(function* () {
      const words = yield* said("database_exists", {
        detail: "Database '\u001b[2J\u202e' exists",
        requestId: "\u001b[8m"
      })
      assert.include(words, "Database '\\u001b[2J\\u202e' exists.")
      assert.notInclude(words, "\u001b")
    })
  )
})

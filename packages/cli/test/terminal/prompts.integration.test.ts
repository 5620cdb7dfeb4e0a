import { assert, layer } from "@effect/vitest"
import { Server } from "@portico/simulator/Server"
import { gatewaySettings } from "@portico/simulator/settings"
import { Effect, Layer } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { operator, person, tenant } from "../../../gateway/test/harness/Cast.ts"
import { jsonOf, TestGateway } from "../../../gateway/test/harness/TestGateway.ts"
import { emptyHome, porticoIn, pseudoTerminal } from "../harness/PseudoTerminal.ts"
import { portico } from "../harness/programs.ts"

/** A gateway that works its deletions off. */
const Working = TestGateway.layerOf(
  Effect.map(Server, ({ url }) => ({ ...gatewaySettings(url), PURGE_SECONDS: "1" }))
).pipe(Layer.provideMerge(TestGateway.cloud))

layer(Working, { excludeTestServices: true })("a question in a terminal", (it) => {
  it.effect("before a project is deleted requires its exact name", () =>
    Effect.gen(function* () {
      const { call, url } = yield* TestGateway
      const { projectId } = yield* tenant("Hooli")
      const env = {
        PORTICO_URL: url.customer,
        PORTICO_TOKEN: yield* person("gavin", ["customer-owner"], projectId, "customer-owner")
      }
      const state = Effect.map(
        call("operator", "GET", `/v1/projects/${projectId}`, { token: operator }),
        (_) => _.status
      )
      const asked = Effect.gen(function* () {
        const terminal = yield* porticoIn(["projects", "delete", "hooli"], { columns: 100, env })
        yield* terminal.waitFor("Type 'hooli' to delete the project with all of it:")
        return terminal
      })
      const wrong = yield* asked
      yield* wrong.type("holli")
      yield* wrong.press("enter")
      assert.strictEqual(yield* wrong.exit, 130)
      assert.isTrue(wrong.screen().endsWith("Nothing was done: 'holli' is not the name."))
      const left = yield* asked
      yield* left.type("hoo")
      yield* left.press("ctrl-c")
      assert.strictEqual(yield* left.exit, 130)
      assert.isTrue(left.screen().endsWith("with all of it: › hoo\nNothing was done."))
      assert.strictEqual(yield* state, 200)
      const right = yield* asked
      yield* right.type("hooli")
      yield* right.press("enter")
      assert.strictEqual(yield* right.exit, 0, right.transcript())
      assert.isTrue(right.screen().endsWith("hooli is gone."))
      assert.strictEqual(yield* state, 404)
    }).pipe(Effect.scoped)
  )

  it.effect("for a secret does not echo it, and is not part of the result", () =>
    Effect.gen(function* () {
      const { url } = yield* TestGateway
      const { tokens } = yield* tenant("Initech")
      const home = yield* emptyHome
      const env = { PORTICO_TOKEN_STORE: "file", NODE: process.execPath, BIN: portico, URL: url.customer }
      const script = '"$NODE" "$BIN" login "$URL" --pat > "$HOME/out"'
      const terminal = yield* pseudoTerminal(["bash", "--norc", "-c", script], { columns: 100, env, home })
      yield* terminal.waitFor("Paste")
      yield* terminal.type(tokens[1])
      yield* terminal.press("enter")
      assert.strictEqual(yield* terminal.exit, 0, terminal.transcript())
      assert.deepStrictEqual(terminal.screen().split("\n"), [
        "✔ Paste the personal access token … ",
        "Logged in. The tokens are in a file that only you can read."
      ])
      assert.notInclude(terminal.written(), tokens[1])
      assert.strictEqual(JSON.parse(readFileSync(join(home, "out"), "utf8")).credential_label, "Initech 1")
      const who = yield* porticoIn(["whoami"], { env: { PORTICO_TOKEN_STORE: "file" }, home })
      assert.strictEqual(yield* who.exit, 0)
      const left = yield* pseudoTerminal(["bash", "--norc", "-c", script], { columns: 100, env })
      yield* left.waitFor("Paste")
      yield* left.press("ctrl-c")
      assert.strictEqual(yield* left.exit, 130)
      assert.deepStrictEqual(left.screen().split("\n").slice(-1), ["Nothing was entered."])
    }).pipe(Effect.scoped)
  )

  it.effect("about a signup is answered with arrow keys, and a rejection is confirmed", () =>
    Effect.gen(function* () {
      const { call, url } = yield* TestGateway
      yield* call("customer", "POST", "/v1/signup", { body: { email: "ann@pied.example", org_name: "Pied Piper" } })
      const env = { PORTICO_URL: url.operator, PORTICO_TOKEN: operator }
      const terminal = yield* porticoIn(["signups", "review"], { columns: 100, rows: 40, env })
      yield* terminal.waitFor("What about Pied Piper?")
      assert.match(terminal.screen(), /^ +cores +\d+ -> \d+ +\d+ -> \d+ +\d+ -> \d+ +10000$/m)
      assert.match(terminal.screen(), /^❯ Skip/m)
      for (let count = 0; count < 4; count++) yield* terminal.press("down")
      yield* terminal.press("enter")
      yield* terminal.waitFor("Reject Pied Piper, asked by ann@pied.example?")
      yield* terminal.type("y")
      yield* terminal.waitFor("1 signup: 1 rejected.")
      assert.strictEqual(yield* terminal.exit, 0)
      assert.isTrue(
        terminal.screen().endsWith("✔ Reject Pied Piper, asked by ann@pied.example? … yes\n1 signup: 1 rejected.")
      )
      const { signups } = jsonOf(yield* call("operator", "GET", "/v1/signups", { token: operator }))
      assert.deepStrictEqual(
        signups.map((_: { readonly state: string }) => _.state),
        ["rejected"]
      )
    }).pipe(Effect.scoped)
  )
})

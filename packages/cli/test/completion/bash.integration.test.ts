import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { existsSync, readdirSync, statSync } from "node:fs"
import { delimiter, dirname, join } from "node:path"
import { Cast } from "../../../gateway/test/harness/Cast.ts"
import { TestGateway } from "../../../gateway/test/harness/TestGateway.ts"
import { repository } from "../../../gateway/test/processes/children.ts"
import { emptyHome, pseudoTerminal } from "../harness/PseudoTerminal.ts"

const path = [dirname(process.execPath), join(repository, "node_modules/.bin"), process.env["PATH"]].join(delimiter)

/** bash with the script as a person installs it. */
const shell = Effect.gen(function* () {
  const { url } = yield* TestGateway
  const { acme } = yield* Cast
  const home = yield* emptyHome
  const env = { PATH: path, PORTICO_URL: url.customer, PORTICO_TOKEN: acme.tokens[2], PS1: "$ " }
  const terminal = yield* pseudoTerminal(["bash", "--norc", "--noprofile"], { columns: 200, env, home })
  yield* terminal.type("bind 'set bell-style none'; eval \"$(portico completion bash)\"; echo ready-$((1+1))\r")
  yield* terminal.waitFor("ready-2")
  return { ...terminal, acme, home }
})

layer(Cast.layer.pipe(Layer.provideMerge(TestGateway.layer)), { excludeTestServices: true })(
  "completion in bash",
  (it) => {
    it.effect("of commands, flags and their values", () =>
      Effect.gen(function* () {
        const { press, type, waitFor } = yield* shell
        yield* type("portico creden")
        yield* press("tab")
        yield* waitFor(/portico credentials$/m)
        yield* press("ctrl-u")
        yield* type("portico databases show pos")
        yield* press("tab")
        yield* waitFor(/show postgres$/m)
        yield* press("ctrl-u")
        yield* type("portico databases list --stat")
        yield* press("tab")
        yield* waitFor(/list --status$/m)
        yield* type("degr")
        yield* press("tab")
        yield* waitFor(/--status degraded$/m)
        yield* press("ctrl-u")
        yield* type("portico databases list --status=prov")
        yield* press("tab")
        yield* waitFor(/--status=provisioning$/m)
      }).pipe(Effect.scoped)
    )

    it.effect("of names from the gateway, cached in a file of the caller's own", () =>
      Effect.gen(function* () {
        const { acme, home, press, type, waitFor } = yield* shell
        const [id] = acme.credentialIds
        yield* type(`portico credentials revoke ${id.slice(0, -3)}`)
        yield* press("tab")
        yield* waitFor(new RegExp(`revoke ${id}$`, "m"))
        const kept = join(home, ".cache/portico/completions")
        assert.isTrue(existsSync(kept))
        for (const name of readdirSync(kept)) assert.strictEqual(statSync(join(kept, name)).mode & 0o777, 0o600)
      }).pipe(Effect.scoped)
    )

    it.effect("proposes nothing when the gateway is unreachable", () =>
      Effect.gen(function* () {
        const { press, screen, type, waitFor } = yield* shell
        yield* type("export PORTICO_URL=http://127.0.0.1:1\r")
        yield* type("portico credentials revoke cred-")
        yield* press("tab")
        yield* type("x")
        yield* waitFor(/revoke cred-x$/m)
        assert.match(screen(), /:1\n\$ portico credentials revoke cred-x$/)
      }).pipe(Effect.scoped)
    )
  }
)

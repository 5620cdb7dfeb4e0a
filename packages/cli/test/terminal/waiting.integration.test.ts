import { assert, layer } from "@effect/vitest"
import { Server } from "@portico/simulator/Server"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Clock, Effect } from "effect"
import { writeFileSync } from "node:fs"
import { Cast } from "../../../gateway/test/harness/Cast.ts"
import { send } from "../../../gateway/test/harness/http.ts"
import { TestGateway } from "../../../gateway/test/harness/TestGateway.ts"
import { Everything, happens } from "../events/harness.ts"
import { emptyHome, porticoIn } from "../harness/PseudoTerminal.ts"
import { as, newHome } from "../session/home.ts"
import { widthOf } from "../../src/output/width.ts"

const asAcme = Effect.gen(function* () {
  const { url } = yield* TestGateway
  const { acme } = yield* Cast
  return { PORTICO_URL: url.customer, PORTICO_TOKEN: acme.tokens[2] }
})

/** What takes the operators of the cluster a while is done at the process's next look. */
const operatorsAreDone = Effect.gen(function* () {
  const { url } = yield* Server
  const moved = yield* send(url, "POST", "/cloud/clock", { body: { advance_seconds: 60 } })
  assert.strictEqual(moved.status, 200, moved.text)
})

const create = (name: string) => `databases create postgres ${name} --version 17 --size-gb 1 --wait`.split(" ")

layer(Everything, { excludeTestServices: true })("a wait in a terminal", (it) => {
  it.effect("for events that ends on Ctrl-C prints its cursor, from which no event is missed", () =>
    Effect.gen(function* () {
      const env = yield* asAcme
      const home = yield* emptyHome
      const options = { columns: 200, env, home }
      const first = yield* happens({ key: "alm-first" })
      const tail = ["events", "tail", "--topic", "alarms"]
      const terminal = yield* porticoIn([...tail, "--since", "1h"], options)
      yield* terminal.waitFor("alm-first")
      yield* happens({ key: "alm-second" })
      yield* terminal.waitFor("alm-second")
      yield* terminal.press("ctrl-c")
      assert.strictEqual(yield* terminal.exit, 130)
      const [one = "", two = "", last = "", ...others] = terminal.screen().split("\n")
      assert.deepStrictEqual(others, [])
      assert.match(one, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d  alarm\.state_changed  alm-first  words=Grüße$/)
      assert.include(two, "alm-second")
      const [, cursor = ""] = /Go on with: portico events tail --topic alarms --cursor (\S+)$/.exec(last) ?? []
      const third = yield* happens({ key: "alm-third" })
      const again = yield* porticoIn([...tail, "--cursor", cursor, "--timeout-seconds", "0"], options)
      assert.strictEqual(yield* again.exit, 0)
      const [only = "", ...rest] = again
        .screen()
        .split("\n")
        .filter((_) => !_.startsWith("Go on with"))
      assert.deepStrictEqual([only.includes("alm-third"), rest], [true, []])
      assert.notStrictEqual(first.id, third.id)
    }).pipe(Effect.scoped)
  )

  it.effect("for a database that ends on Ctrl-C says what continues, and how to look", () =>
    Effect.gen(function* () {
      const env = yield* asAcme
      const terminal = yield* porticoIn(create("slow"), { columns: 100, env })
      yield* terminal.waitFor("Database postgres/slow - ")
      yield* terminal.press("ctrl-c")
      assert.strictEqual(yield* terminal.exit, 130)
      assert.deepStrictEqual(terminal.screen().split("\n").slice(1), [
        "Database postgres/slow goes on without you.",
        "See how far it is with: portico databases show postgres slow"
      ])
      const back = yield* porticoIn(["databases", "show", "postgres", "slow"], { columns: 100, env })
      assert.strictEqual(yield* back.exit, 0)
      assert.match(back.screen(), /^name: +slow$/m)
    }).pipe(Effect.scoped)
  )

  it.effect("does not notice that the token ends meanwhile", () =>
    Effect.gen(function* () {
      const { url } = yield* TestGateway
      const { world } = yield* SimulatedCloud
      const home = yield* newHome
      const login = ["login", url.customer, "--browser", "--profile", "acme"]
      assert.strictEqual((yield* home.run(login, { browser: as("oscar@people.example") })).exit, 0)
      // The gateway remembers a token for as long as it lasts, so this one lasts for a moment.
      const kept = home.kept("acme")
      const token = world.zitadel.tokens[kept.access_token]
      assert.isDefined(token)
      const short = `short-${kept.access_token}`
      const now = yield* Clock.currentTimeMillis
      world.zitadel.tokens[short] = { ...token, accessToken: short, refresh: null, expiresAt: now + 3000 }
      writeFileSync(home.tokens("acme"), JSON.stringify({ ...kept, access_token: short }), { mode: 0o600 })
      const env = { PORTICO_TOKEN_STORE: "file" }
      const terminal = yield* porticoIn(create("renewed"), { columns: 100, env, home: home.directory })
      yield* terminal.waitFor("Database postgres/renewed - ")
      yield* terminal.waitFor("is ready.")
      assert.strictEqual(yield* terminal.exit, 0)
      assert.notInclude([short, kept.access_token], home.kept("acme").access_token)
    }).pipe(Effect.scoped)
  )

  // Last, because from then on the cloud is ahead of the gateway, and tokens of a few seconds would be over there.
  it.effect("for a database redraws one line, also in a narrowed window, and erases it at the end", () =>
    Effect.gen(function* () {
      const terminal = yield* porticoIn(create("orders"), { columns: 100, env: yield* asAcme })
      yield* terminal.waitFor(/ \ds Database postgres\/orders - (pending|provisioning)/)
      const before = terminal.screen().split("\n")
      assert.lengthOf(before, 2)
      yield* terminal.resize(30)
      yield* terminal.waitFor(/^\S \ds Database postgres\/order…$/m)
      yield* operatorsAreDone
      assert.strictEqual(yield* terminal.exit, 0)
      assert.include(terminal.transcript().replaceAll("\n", ""), "postgres/orders (version 17) is ready.")
      const written = terminal.written()
      const drawn = written.split("\r\u001b[2K").filter((_) => /\ds Database/.test(_))
      assert.isTrue(drawn.some((_) => widthOf(_) < 30))
      // What the terminal broke when it was made narrow is the terminal's; the line itself is gone.
      assert.notMatch(terminal.screen().split("\n").slice(-3).join("\n"), /[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/)
    }).pipe(Effect.scoped)
  )
})

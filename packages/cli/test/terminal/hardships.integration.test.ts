import { assert, layer } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { execFile } from "node:child_process"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { Cast, operator } from "../../../gateway/test/harness/Cast.ts"
import { TestGateway } from "../../../gateway/test/harness/TestGateway.ts"
import { Everything, happens, hostile } from "../events/harness.ts"
import { emptyHome, environmentOf, porticoIn } from "../harness/PseudoTerminal.ts"
import { Memory } from "@portico/testing/store/Memory"
import { portico } from "../harness/programs.ts"

type Answers = (request: IncomingMessage, response: ServerResponse) => void

/** A server in the gateway's place. */
const serving = (answers: Answers) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly url: string; readonly close: () => void }>((resume) => {
      const server = createServer(answers)
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        const port = typeof address === "object" ? address?.port : undefined
        const close = () => void server.close(() => {}).closeAllConnections()
        resume(Effect.succeed({ url: `http://127.0.0.1:${port}`, close }))
      })
    }),
    ({ close }) => Effect.sync(close)
  )

/** An address at which nothing listens any more. */
const closed = Effect.map(Effect.scoped(serving(() => {})), (_) => _.url)

/** One answer for all paths. */
const always =
  (body: unknown, headers: Record<string, string> = {}): Answers =>
  (_, response) => {
    response.writeHead(200, { "content-type": "application/json", ...headers }).end(JSON.stringify(body))
  }

/** Ten thousand databases, a thousand a page. */
const tenThousand: Answers = (request, response) => {
  const page = Number(new URL(request.url ?? "/", "http://gateway").searchParams.get("cursor") ?? 0)
  const rows = Array.from({ length: 1000 }, (_, index) => ({ engine: "kafka", name: `db-${page * 1000 + index}` }))
  always({ databases: rows, next_cursor: page === 9 ? null : String(page + 1) })(request, response)
}

interface Around {
  readonly env?: Readonly<Record<string, string>>
}

/** A shell in which `portico` is the program; what it writes. */
const shell = Effect.fnUntraced(function* (script: string, { env = {} }: Around = {}) {
  const home = yield* emptyHome
  return yield* Effect.callback<{ readonly stdout: string; readonly stderr: string; readonly home: string }>(
    (resume) => {
      const start = `portico() { "${process.execPath}" "${portico}" "$@"; }; ${script}`
      const settings = { PORTICO_TOKEN: "a-token", ...environmentOf(home), ...env }
      execFile("bash", ["--norc", "-c", start], { env: settings }, (_, stdout, stderr) =>
        resume(Effect.succeed({ stdout, stderr, home }))
      )
    }
  )
})

/** The hostile text, as a terminal may show it. */
const spelled = "\\u001b[31mred\\u001b[0m \\u202egnp.exe\\nnext\\u0007"

/** When the styles of the command line are taken away, nothing is left that a terminal obeys. */
const isHarmless = (written: string) => {
  const [first = "", ...others] = written.split("\u001b[")
  const rest = [first, ...others.map((_) => _.replace(/^[\d;]*m/, ""))].join("").replaceAll("\r\n", "")
  assert.notMatch(rest, /[\p{Cc}\p{Cf}]/u)
}

layer(Everything, { excludeTestServices: true })("failures of the environment", (it) => {
  it.effect("ten thousand rows come whole, and end quietly with their reader", () =>
    Effect.gen(function* () {
      const env = { PORTICO_URL: (yield* serving(tenThousand)).url }
      const list = "portico databases list --output tsv"
      const whole = yield* shell(`${list} | wc -l`, { env })
      assert.deepStrictEqual([whole.stdout.trim(), whole.stderr], ["10000", ""])
      const head = yield* shell(`${list} | head -1; echo "\${PIPESTATUS[@]}"`, { env })
      assert.deepStrictEqual([head.stdout, head.stderr], ["db-0\tkafka\t\t\t\t\t\t\n141 0\n", ""])
      const full = yield* shell(`${list} > /dev/full; echo $?`, { env })
      assert.strictEqual(full.stdout, "5\n")
      assert.strictEqual(full.stderr, "The output could not be written: no space is left on the device.\n")
    }).pipe(Effect.scoped)
  )

  it.effect("a read-only home fails only commands that have to store something", () =>
    Effect.gen(function* () {
      const { url } = yield* TestGateway
      const { acme } = yield* Cast
      const token = acme.tokens[1]
      // Nobody makes a directory there, not even the superuser.
      const xdg = { XDG_CONFIG_HOME: "/sys/c", XDG_STATE_HOME: "/sys/s", XDG_CACHE_HOME: "/sys/k" }
      const env = { ...xdg, HOME: "/sys", PORTICO_URL: url.customer, PORTICO_TOKEN: token }
      const who = yield* shell("portico whoami --fields credential_label", { env })
      assert.deepStrictEqual([JSON.parse(who.stdout), who.stderr], [{ credential_label: "Acme 1" }, ""])
      const login = `printf %s "$PORTICO_TOKEN" | PORTICO_TOKEN= portico login ${url.customer} --pat; echo $?`
      const lost = yield* shell(login, { env })
      assert.strictEqual(lost.stdout, "2\n")
      assert.match(lost.stderr, /^The tokens cannot be kept: \/sys\/s\/portico\/tokens\/\S+: permission denied\.$/m)
      assert.notInclude(lost.stdout + lost.stderr, token)
      const home = yield* emptyHome
      writeFileSync(join(home, "file"), "")
      const blocked = yield* shell(login, { env: { ...env, XDG_CONFIG_HOME: join(home, "file") } })
      assert.strictEqual(blocked.stdout, "2\n")
      assert.include(blocked.stderr, "the configuration cannot be read: a part of the path is not a directory.\n")
    }).pipe(Effect.scoped)
  )

  it.effect("a refused connection and a wrong clock are reported", () =>
    Effect.gen(function* () {
      const gone = yield* shell("portico whoami; echo $?", { env: { PORTICO_URL: `${yield* closed}` } })
      assert.strictEqual(gone.stdout, "5\n")
      const [said = "", ...advice] = gone.stderr.split("\n")
      assert.match(said, /^No answer came: connect ECONNREFUSED 127\.0\.0\.1:\d+\.$/)
      assert.deepStrictEqual(advice, [
        "See whether address and network are right: 'portico doctor' looks at each step.",
        "(unreachable)",
        ""
      ])
      const late = new Date((yield* Clock.currentTimeMillis) + 7_200_000).toUTCString()
      const { url } = yield* serving(always({ status: "ok" }, { date: late }))
      const terminal = yield* porticoIn(["doctor"], {
        columns: 100,
        env: { PORTICO_URL: url, PORTICO_TOKEN: "a-token" }
      })
      assert.strictEqual(yield* terminal.exit, 5)
      assert.match(
        terminal.transcript(),
        /^✗ clock {13}This machine's clock is (2 h|1 h 59 min) behind the gateway's$/m
      )
      assert.include(
        terminal.transcript(),
        "    -> Set the clock of this machine, or of the gateway's; let both follow a time\n                       server\n"
      )
    }).pipe(Effect.scoped)
  )

  it.effect("a hostile name is escaped in tables, details, events and questions", () =>
    Effect.gen(function* () {
      const row = { credential_id: "cred-1", label: hostile, kind: "api-key", note: `${hostile}\u009b31m` }
      const columns = 160
      const fake = {
        PORTICO_URL: (yield* serving(always({ credentials: [row], next_cursor: null }))).url,
        PORTICO_TOKEN: "t"
      }
      const list = yield* porticoIn(["credentials", "list"], { columns, env: fake })
      assert.strictEqual(yield* list.exit, 0, list.transcript())
      assert.include(list.screen(), `cred-1         ${spelled}  api-key`)
      isHarmless(list.written())
      const one = {
        PORTICO_URL: (yield* serving(always({ engine: "postgres", name: "x", status: "ready", reason: row.note }))).url,
        PORTICO_TOKEN: "t"
      }
      const details = yield* porticoIn(["databases", "show", "postgres", "x"], { columns, env: one })
      assert.strictEqual(yield* details.exit, 0)
      assert.include(details.screen(), `reason:  ${spelled}\\u009b31m`)
      isHarmless(details.written())

      const { call, url } = yield* TestGateway
      const { acme } = yield* Cast
      yield* happens({ kind: "hostile.kind", key: hostile, data: { text: hostile } })
      const tail = ["events", "tail", "--kind", "hostile.kind", "--since", "1h", "--timeout-seconds", "0"]
      const event = yield* porticoIn(tail, {
        columns,
        env: { PORTICO_URL: url.customer, PORTICO_TOKEN: acme.tokens[2] }
      })
      assert.strictEqual(yield* event.exit, 0)
      assert.match(event.screen(), /^\S+ \S+  hostile\.kind  /)
      assert.include(event.screen(), `  ${spelled}\n`)
      isHarmless(event.written())

      const body = { email: "ann@evil.example", org_name: "Evil corp" }
      yield* call("customer", "POST", "/v1/signup", { body })
      const { signups } = yield* Memory
      // From before such characters were refused.
      for (const row of signups.values()) {
        if (row.org_name === body.org_name) signups.set(row.signup_id, { ...row, org_name: "Evil \u202e corp" })
      }
      const review = yield* porticoIn(["signups", "review"], {
        columns,
        env: { PORTICO_URL: url.operator, PORTICO_TOKEN: operator }
      })
      yield* review.waitFor("What about Evil \\u202e corp?")
      yield* review.press("ctrl-c")
      assert.strictEqual(yield* review.exit, 130)
      assert.notInclude(review.written(), "\u202e")
    }).pipe(Effect.scoped)
  )
})

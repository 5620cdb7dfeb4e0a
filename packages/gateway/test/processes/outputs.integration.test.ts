import { assert, it } from "@effect/vitest"
import { fixtures } from "@portico/simulator/Fixtures"
import { reservedPort } from "@portico/gateway/threads/Workers"
import { Effect } from "effect"
import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { request } from "undici"
import { samplesIn, valueOf } from "../observability/exposition.ts"
import { programOf } from "./bundles.ts"
import { eventually, firstLine, repository, spawned } from "./children.ts"
import { fault, settings, startGateway, story, temporaryDirectory, tenantOf } from "./harness.ts"

/** Node with a program, whose outputs a shell redirects. */
const redirected = (program: string, redirection: string, ...args: ReadonlyArray<string>) => [
  "bash",
  "-c",
  `exec "$@" ${redirection}`,
  "bash",
  process.execPath,
  program,
  ...args
]

const lostLines = (operatorUrl: string) =>
  Effect.promise(async () => {
    const headers = { authorization: `Bearer ${fixtures.idp.operatorToken}` }
    const { body } = await request(`${operatorUrl}/metrics`, { headers })
    return valueOf(samplesIn(await body.text()), "portico_log_lines_lost_total", {}) ?? 0
  })

/** Calls whose service fails, each of which logs a warning. */
const warnings = Effect.fnUntraced(function* (url: string, token: string, count: number) {
  for (let call = 0; call < count; call++) {
    const { body, statusCode } = yield* Effect.promise(() =>
      request(`${url}/v1/quotas`, { headers: { authorization: `Bearer ${token}`, connection: "close" } })
    )
    yield* Effect.promise(() => body.dump())
    assert.strictEqual(statusCode, 200)
  }
})

for (const [what, redirection, processes] of [
  ["the disk of its log is full", "2>/dev/full", "1"],
  ["the disk of its log is full, with threads", "2>/dev/full", "2"],
  ["the reader of its log has ended", "2> >(exec true)", "1"],
  ["the reader of its log has ended, with threads", "2> >(exec true)", "2"]
] as const) {
  story(`a gateway starts, serves and counts the lines that it loses while ${what}`, () =>
    Effect.gen(function* () {
      const first = yield* startGateway()
      const { token } = yield* tenantOf(first, "Acme GmbH")
      assert.strictEqual(yield* lostLines(first.operatorUrl), 0)
      assert.strictEqual(yield* first.stop, 0)
      yield* fault({
        service: "nova",
        method: "GET",
        path: "/**",
        when: "before",
        times: "always",
        as: { status: 503 }
      })
      const child = yield* spawned({
        command: redirected(yield* programOf("gateway"), redirection),
        settings: { ...(yield* settings), PORTICO_PROCESSES: processes }
      })
      const { customer_url = "", operator_url = "" } = yield* firstLine(child)
      const before = yield* lostLines(operator_url)
      assert.isAtLeast(before, 1)
      yield* warnings(customer_url, token, 20)
      yield* eventually(Effect.map(lostLines(operator_url), (_) => assert.isAtLeast(_ - before, 20)))
      yield* child.signal("SIGTERM")
      assert.strictEqual(yield* child.ended, 0)
    })
  )
}

story("the log continues when it has a reader again", () =>
  Effect.gen(function* () {
    const pipe = join(yield* temporaryDirectory, "log")
    execFileSync("mkfifo", [pipe])
    const reader = Effect.acquireRelease(
      Effect.sync(() => {
        const cat = spawn("cat", [pipe])
        let text = ""
        cat.stdout.setEncoding("utf8").on("data", (_: string) => void (text += _))
        return { cat, text: () => text }
      }),
      ({ cat }) => Effect.sync(() => cat.kill())
    )
    const first = yield* startGateway({ PORTICO_PROCESSES: "2" })
    const { token } = yield* tenantOf(first, "Acme GmbH")
    assert.strictEqual(yield* first.stop, 0)
    yield* fault({ service: "nova", method: "GET", path: "/**", when: "before", times: "always", as: { status: 503 } })
    const { cat } = yield* reader
    const child = yield* spawned({
      command: redirected(yield* programOf("gateway"), `2>"${pipe}"`),
      settings: { ...(yield* settings), PORTICO_PROCESSES: "2" }
    })
    const { customer_url = "", operator_url = "" } = yield* firstLine(child)
    const closed = once(cat, "close")
    cat.kill()
    yield* Effect.promise(() => closed)
    yield* warnings(customer_url, token, 5)
    yield* eventually(Effect.map(lostLines(operator_url), (_) => assert.isAtLeast(_, 5)))
    const { text } = yield* reader
    yield* eventually(
      Effect.gen(function* () {
        yield* warnings(customer_url, token, 1)
        assert.include(text(), '"level":"WARN"')
      })
    )
    yield* child.signal("SIGTERM")
    assert.strictEqual(yield* child.ended, 0)
  })
)

it.live("lines without a reader do not fill the memory", () =>
  Effect.gen(function* () {
    const program = join(repository, "packages/gateway/test/processes/chatty.ts")
    const child = yield* spawned({ command: redirected(program, "2> >(exec sleep 600)"), settings: {}, group: true })
    const { lost, megabytes } = yield* firstLine(child)
    assert.isAbove(Number(lost), 150_000)
    assert.isBelow(Number(megabytes), 60)
  }).pipe(Effect.scoped)
)

it.live("the simulated cloud serves while its output is not read", () =>
  Effect.gen(function* () {
    const port = yield* reservedPort("127.0.0.1", 0)
    for (const program of ["main.ts", "bin.ts"]) {
      const child = yield* spawned({
        command: redirected(join(repository, "packages/simulator/src", program), ">/dev/full 2>&1"),
        settings: { CLOUD_PORT: String(port), CLOUD_S3_PORT: "0" }
      })
      const answered = Effect.tryPromise(async () => {
        const { body, statusCode } = await request(`http://127.0.0.1:${port}/cloud/state`)
        await body.dump()
        assert.strictEqual(statusCode, 200)
      })
      yield* Effect.raceFirst(
        eventually(answered),
        Effect.flatMap(child.ended, (_) => Effect.die(`ended with ${_}`))
      )
      yield* child.signal("SIGTERM")
      yield* child.ended
    }
  }).pipe(Effect.scoped)
)

story("programs that print a result exit when it cannot be written", () =>
  Effect.gen(function* () {
    yield* (yield* startGateway()).stop
    const doctor = join(repository, "packages/gateway/src/doctor.ts")
    const looking = [doctor, "--require", "settings,database"]
    const programs: Readonly<Record<string, ReadonlyArray<string>>> = {
      "portico-doctor": looking,
      "portico-doctor, as data": [...looking, "--json"],
      "portico-doctor, its help": [doctor, "--help"],
      "portico-rekey": [yield* programOf("rekey")]
    }
    const ended = Effect.fnUntraced(function* (script: string, program: ReadonlyArray<string>) {
      const command = ["bash", "-c", script, "bash", process.execPath, ...program]
      const child = yield* spawned({ command, settings: yield* settings })
      return { code: yield* child.ended, stderr: child.stderr(), stdout: child.stdout() }
    })
    for (const [what, program] of Object.entries(programs)) {
      const closed = yield* ended('exec 3> >(exec true); wait "$!"; exec "$@" >&3', program)
      assert.deepStrictEqual(closed, { code: 141, stderr: "", stdout: "" }, what)
      const full = yield* ended('exec "$@" >/dev/full', program)
      const [name] = what.split(",")
      const words = `${name}: the output could not be written: ENOSPC: no space left on device, write\n`
      assert.deepStrictEqual(full, { code: 1, stderr: words, stdout: "" }, what)
    }
    // What it finds decides where its output can be written, and where it has none.
    for (const [script, program, code] of [
      ['exec "$@" 2>/dev/full', looking, 0],
      ['exec "$@" >/dev/full 2>&1', [doctor, "--require", "nonsense"], 2]
    ] as const) {
      assert.strictEqual((yield* ended(script, program)).code, code)
    }
  })
)

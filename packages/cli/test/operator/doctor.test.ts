import { NodeFileSystem } from "@effect/platform-node"
import { assert, layer } from "@effect/vitest"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { DateTime, Effect, FileSystem, Layer } from "effect"
import { createServer, request } from "node:http"
import { Cast, operator } from "../../../gateway/test/harness/Cast.ts"
import { TestGateway } from "../../../gateway/test/harness/TestGateway.ts"
import { hasOpenssl, terminator } from "../../../gateway/test/harness/Tls.ts"
import { type Around, commandLine } from "../harness/commandLine.ts"

interface Line {
  readonly check: string
  readonly state: string
  readonly detail: string
  readonly fix: string | null
}

/** The findings, by the name of their check. */
const doctor = Effect.fnUntraced(function* (url: string, token: string | undefined, args: ReadonlyArray<string> = []) {
  const env = {
    PORTICO_URL: url,
    XDG_CONFIG_HOME: "/nonexistent",
    ...(token === undefined ? {} : { PORTICO_TOKEN: token })
  }
  const { exit, stderr, stdout } = yield* commandLine(["doctor", "--timeout", "600", ...args], { env } satisfies Around)
  const lines: ReadonlyArray<Line> = JSON.parse(stdout)
  const states = Object.fromEntries(lines.map((_) => [_.check, _.state]))
  const of = (check: string): Line => lines.find((_) => _.check === check) ?? assert.fail(`no check '${check}'`)
  if (token !== undefined) assert.notInclude(stdout + stderr, token)
  return { exit, lines, states, stderr, of }
})

/** The gateway behind a proxy whose clock is off. */
const offBy = (url: string, millis: number) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly url: string; readonly close: () => void }>((resume) => {
      const server = createServer((asked, answer) => {
        const onward = request(
          new URL(asked.url ?? "/", url),
          { method: asked.method, headers: asked.headers },
          (got) => {
            const date = new Date(Date.parse(String(got.headers.date)) + millis).toUTCString()
            answer.writeHead(got.statusCode ?? 500, { ...got.headers, date })
            got.pipe(answer)
          }
        )
        asked.pipe(onward)
      })
      server.listen(0, "127.0.0.1", () => {
        const at = server.address()
        const port = typeof at === "object" && at !== null ? at.port : 0
        const close = () => {
          server.close()
          server.closeAllConnections()
        }
        resume(Effect.succeed({ url: `http://127.0.0.1:${port}`, close }))
      })
    }),
    ({ close }) => Effect.sync(close)
  )

/** An address where no process listens: the system assigns port 1 to none. */
const nowhere = "http://127.0.0.1:1"

const jwtOf = (exp: number): string =>
  ["{}", JSON.stringify({ exp }), "signature"].map((_) => Buffer.from(_).toString("base64url")).join(".")

layer(Layer.mergeAll(Cast.layer.pipe(Layer.provideMerge(TestGateway.layer)), NodeFileSystem.layer), {
  excludeTestServices: true
})("doctor", (it) => {
  it.effect("finds nothing when everything works, and reads every system behind the operator plane", () =>
    Effect.gen(function* () {
      const { url } = yield* TestGateway
      const cloud = yield* SimulatedCloud
      const before = (yield* cloud.calls).length
      const { exit, of, states, stderr } = yield* doctor(url.operator, operator)
      assert.strictEqual(exit, 0, stderr)
      assert.deepStrictEqual(Object.keys(states).slice(0, 9), [
        "address",
        "connection",
        "tls",
        "gateway",
        "clock",
        "version",
        "ready",
        "token",
        "whoami"
      ])
      const bad = Object.entries(states).filter(([, state]) => state === "failed" || state === "warning")
      assert.deepStrictEqual(bad, [])
      assert.strictEqual(of("whoami").detail, "operator, a platform administrator, tier 2")
      assert.strictEqual(of("compute").detail, "Nova answers GET /v1/iaas/compute/flavors?limit=1")
      assert.strictEqual(of("bus").state, "skipped")
      const asked = new Set((yield* cloud.calls).slice(before).map((_) => _.service))
      for (const service of [
        "keystone",
        "nova",
        "neutron",
        "cinder",
        "glance",
        "octavia",
        "designate",
        "barbican",
        "rgw"
      ]) {
        assert.include([...asked], service)
      }
      assert.includeMembers([...asked], ["kubernetes", "billing", "prometheus"])
    })
  )

  it.effect("draws a line a finding", () =>
    Effect.gen(function* () {
      const { url } = yield* TestGateway
      const env = { PORTICO_URL: url.operator, PORTICO_TOKEN: operator, LANG: "C.UTF-8" }
      const { exit, stderr, stdout } = yield* commandLine(["doctor"], { columns: 100, env })
      assert.deepStrictEqual([exit, stderr], [0, "Everything works.\n"])
      assert.match(stdout, /^✓ address {11}127\.0\.0\.1 needs no resolution\n✓ connection /)
      assert.match(stdout, /\n- tls {15}The address is plain HTTP, on this machine\n/)
    })
  )

  it.effect("does not check the systems for others than operators", () =>
    Effect.gen(function* () {
      const { url } = yield* TestGateway
      const { acme } = yield* Cast
      const { exit, of } = yield* doctor(url.customer, acme.tokens[1])
      assert.strictEqual(exit, 0)
      assert.strictEqual(of("ready").detail, "/health/ready: the customer plane is ready")
      assert.match(of("whoami").detail, / in Acme, tier 1$/)
      assert.deepInclude(of("upstreams"), { state: "skipped" })
    })
  )

  it.effect("names the failing system, and still checks the others", () =>
    Effect.gen(function* () {
      const { url } = yield* TestGateway
      const cloud = yield* SimulatedCloud
      const down = { method: "GET", path: "/**", times: "always", when: "before", as: { status: 503 } } as const
      const rule = yield* cloud.fault({ service: "nova", ...down })
      const { exit, of, states, stderr } = yield* doctor(url.operator, operator)
      yield* cloud.removeFault(rule.id)
      assert.strictEqual(exit, 5)
      assert.match(of("compute").detail, /^Nova: \/v1\/iaas\/compute\/flavors\?limit=1 answers 503: /)
      assert.include(of("compute").fix ?? "", "Check that Nova works")
      assert.deepStrictEqual(
        Object.keys(states).filter((_) => states[_] === "failed"),
        ["compute"]
      )
      assert.match(stderr, /^1 check failed, 0 warnings, \d+ checks in all\.\n$/)
    })
  )

  it.effect("reports an unknown or expired token apart from a failing platform", () =>
    Effect.gen(function* () {
      const { url } = yield* TestGateway
      const { expired } = yield* Cast
      const ended = yield* doctor(url.customer, expired)
      assert.strictEqual(ended.exit, 3)
      assert.deepInclude(ended.of("whoami"), { state: "failed" })
      assert.match(ended.of("whoami").detail, /expired/i)
      assert.deepInclude(ended.states, { gateway: "ok", clock: "ok", version: "ok" })

      // In the middle of an hour: a whole number of days has no hours beside it.
      const end = DateTime.subtract(yield* DateTime.now, { days: 3, hours: 4, minutes: 30 })
      const jwt = yield* doctor(url.operator, jwtOf(Math.floor(end.epochMilliseconds / 1000)))
      assert.strictEqual(jwt.exit, 3)
      assert.strictEqual(jwt.of("token").detail, "From PORTICO_TOKEN; it ended 3 d 4 h ago")
      assert.deepInclude(jwt.states, { whoami: "failed", compute: "ok" })

      const none = yield* doctor(url.operator, undefined)
      assert.strictEqual(none.exit, 3)
      assert.deepInclude(none.states, { token: "failed", gateway: "ok", compute: "ok" })
    })
  )

  it.effect("sees a wrong clock", () =>
    Effect.gen(function* () {
      const { url } = yield* TestGateway
      const behind = yield* doctor((yield* offBy(url.operator, 7_200_000)).url, operator)
      assert.strictEqual(behind.exit, 5)
      assert.match(behind.of("clock").detail, /^This machine's clock is (2 h|1 h 59 min) behind the gateway's$/)
      const ahead = yield* doctor((yield* offBy(url.operator, -60_000)).url, operator)
      assert.deepStrictEqual([ahead.exit, ahead.of("clock").state], [0, "warning"])
      assert.include(ahead.of("clock").detail, "ahead of the gateway's")
    })
  )

  it.effect("runs every check when the address refuses connections", () =>
    Effect.gen(function* () {
      const { exit, of, states } = yield* doctor(nowhere, "a-token")
      assert.strictEqual(exit, 5)
      assert.deepInclude(states, {
        address: "ok",
        connection: "failed",
        tls: "skipped",
        gateway: "failed",
        clock: "failed",
        token: "ok",
        whoami: "failed",
        upstreams: "skipped"
      })
      assert.include(of("connection").detail, "ECONNREFUSED")
    })
  )

  it.effect("runs every check when the name does not resolve", () =>
    Effect.gen(function* () {
      const { exit, states } = yield* doctor("https://portico.invalid", "a-token")
      assert.strictEqual(exit, 5)
      assert.deepInclude(states, { address: "failed", connection: "failed", tls: "failed", token: "ok" })
    })
  )

  it.effect("names the certificate authority that is not trusted", () =>
    Effect.gen(function* () {
      if (!(yield* hasOpenssl)) return
      const { url } = yield* TestGateway
      const directory = yield* (yield* FileSystem.FileSystem).makeTempDirectoryScoped()
      const { ca, port } = yield* terminator(directory, Number(new URL(url.operator).port))
      const { exit, of, states } = yield* doctor(`https://127.0.0.1:${port}`, operator)
      assert.strictEqual(exit, 5)
      assert.deepInclude(of("tls"), {
        state: "failed",
        detail: "the certificate is signed by itself (localhost)",
        fix: "Trust the authority with NODE_EXTRA_CA_CERTS=<its PEM file>"
      })
      assert.deepInclude(states, { connection: "ok", gateway: "failed" })
      assert.isString(ca)
    })
  )

  it.effect("reports a missing address", () =>
    Effect.gen(function* () {
      const env = { XDG_CONFIG_HOME: "/nonexistent" }
      const { exit, stdout } = yield* commandLine(["doctor"], { env })
      assert.strictEqual(exit, 3)
      const lines: ReadonlyArray<Line> = JSON.parse(stdout)
      assert.deepInclude(lines[0], { check: "address", state: "failed", detail: "No address is known" })
    })
  )
})

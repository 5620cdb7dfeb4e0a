import { assert, layer } from "@effect/vitest"
import { verify } from "@portico/client/webhooks"
import { Effect, Fiber } from "effect"
import { createHash, randomUUID } from "node:crypto"
import { readdirSync, statSync, writeFileSync } from "node:fs"
import { createServer, type Server } from "node:http"
import { join } from "node:path"
import { Webhook } from "standardwebhooks"
import { Cast } from "../../../gateway/test/harness/Cast.ts"
import { jsonOf, TestGateway } from "../../../gateway/test/harness/TestGateway.ts"
import { type Got, receiver } from "../../../gateway/test/targets/Receiver.ts"
import { badLine, comes, Everything, folder, happens, hostile, machine } from "./harness.ts"

const idsIn = (got: ReadonlyArray<Got>) => got.map((_) => String(_.headers["webhook-id"]))

/** What a library of Standard Webhooks makes of a delivery, with the key in place of the secret. */
const verified = (secret: string, { body, headers }: Got): unknown => {
  const key = createHash("sha256").update(secret).digest("hex")
  const given = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
  return new Webhook(`whsec_${Buffer.from(key).toString("base64")}`).verify(body, given)
}

const listen = (url: string, ...more: ReadonlyArray<string>) => ["events", "listen", "--forward-to", url, ...more]

const isReady = (written: { readonly stderr: string }) =>
  comes(
    () => written.stderr.includes("Forwarding"),
    () => written.stderr
  )

layer(Everything, { excludeTestServices: true })("events listen", (it) => {
  it.effect("delivers the exact bytes and headers of a webhook, signed with its own secret", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { call } = yield* TestGateway
      const [real, local] = [yield* receiver, yield* receiver]
      const made = yield* call("customer", "POST", "/v1/webhooks", {
        token: acme.tokens[2],
        body: { url: `${real.url}h?x=1` }
      })
      assert.strictEqual(made.status, 201, made.text)
      const { run, start, state } = yield* machine()
      const { written } = yield* start(listen(`${local.url}h?x=1`))
      yield* isReady(written)
      const data = { 10: "b", 2: "a", words: "Grüße \u2028 \u{1f600}", nested: { list: [1.5, null, hostile] } }
      yield* happens({ data })
      yield* comes(
        () => real.got.length > 0 && local.got.length > 0,
        () => [real.got.length, local.got.length]
      )
      const [[theirs], [ours]] = [real.got, local.got]
      assert.isDefined(ours)
      assert.strictEqual(ours?.body, theirs?.body)
      assert.strictEqual(ours?.path, theirs?.path)
      const constant = (got: Got | undefined) => ({
        ...got?.headers,
        host: "",
        "webhook-timestamp": "",
        "webhook-signature": ""
      })
      assert.deepStrictEqual(constant(ours), constant(theirs))

      const secret = (yield* run(listen(`${local.url}h?x=1`, "--print-secret"))).stdout.trim()
      assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
      assert.deepInclude(ours && verified(secret, ours), { data })
      assert.deepInclude(yield* Effect.promise(() => verify(ours?.body ?? "", ours?.headers ?? {}, secret)), { data })
      // Not among the lines of data, and for the user alone.
      assert.notInclude(written.stdout + written.stderr, secret)
      const [file = ""] = readdirSync(join(state, "portico/listeners")).filter((_) => _.endsWith(".json"))
      assert.strictEqual(statSync(join(state, "portico/listeners", file)).mode & 0o777, 0o600)
      yield* comes(
        () => written.stdout.endsWith("\n"),
        () => written.stdout
      )
      assert.deepInclude(JSON.parse(written.stdout), { status: 204, delivered: true, attempt: 1, error: null })
      yield* call("customer", "DELETE", `/v1/webhooks/${jsonOf(made).webhook_id}`, { token: acme.tokens[2] })
    }).pipe(Effect.scoped)
  )

  it.effect("resends what was not accepted before later events, while either side is down", () =>
    Effect.gen(function* () {
      const line = yield* badLine
      const local = yield* receiver
      const { start } = yield* machine(line.url)
      const { written } = yield* start(listen(local.url, "--topic", "alarms"))
      yield* isReady(written)
      local.answer({ status: 500 })
      const [one, two] = [yield* happens(), yield* happens()]
      yield* comes(
        () => local.got.length >= 2,
        () => local.got.length
      )
      line.cut()
      const three = yield* happens()
      local.answer({ status: 302, headers: { location: `${local.url}elsewhere` } })
      const before = local.got.length
      yield* comes(
        () => local.got.length > before,
        () => local.got.length
      )
      local.answer({ status: 200 })
      yield* comes(
        () => idsIn(local.got).includes(three.id),
        () => idsIn(local.got)
      )
      yield* comes(
        () => written.stdout.includes(three.id),
        () => written.stdout
      )
      assert.deepStrictEqual(new Set(local.got.map((_) => _.path)), new Set(["/"]))
      const ids = idsIn(local.got)
      assert.deepStrictEqual(
        ids.slice(0, -2),
        Array.from({ length: ids.length - 2 }, () => one.id)
      )
      assert.deepStrictEqual(ids.slice(-2), [two.id, three.id])
      const rows = written.stdout
        .trim()
        .split("\n")
        .map((_) => JSON.parse(_))
      assert.deepInclude(rows[0], { event_id: one.id, status: 500, error: "it answered 500", again_in: 0.5 })
      assert.deepInclude(
        rows.find((_) => _.status === 302),
        { event_id: one.id, delivered: false }
      )
      assert.deepStrictEqual(
        rows.filter((_) => _.delivered).map((_) => _.event_id),
        [one.id, two.id, three.id]
      )
    }).pipe(Effect.scoped)
  )

  it.effect("resumes after the last run, from now on, or from an hour ago; refuses a second listener", () =>
    Effect.gen(function* () {
      const local = yield* receiver
      const { run, start } = yield* machine()
      const during = (more: ReadonlyArray<string>, expected: ReadonlyArray<string>) =>
        Effect.gen(function* () {
          local.got.length = 0
          const { fiber, written } = yield* start(listen(local.url, "--kind", "replayed.*", ...more))
          yield* isReady(written)
          yield* comes(
            () => local.got.length >= expected.length,
            () => idsIn(local.got)
          )
          yield* Effect.sleep("500 millis")
          yield* Fiber.interrupt(fiber)
          assert.deepStrictEqual(idsIn(local.got), expected)
          return written
        })
      const happened = () => happens({ kind: "replayed.kind" })
      const old = yield* happens({ kind: "replayed.kind", at: "2020-01-01T00:00:00.000Z" })
      const first = yield* happened()
      yield* during([], [])
      const second = yield* happened()
      yield* during([], [second.id])
      yield* during([], [])
      const third = yield* happened()
      yield* during(["--from-now"], [])
      const replayed = yield* during(["--replay", "1h"], [first.id, second.id, third.id])
      assert.include(replayed.stderr, "since 20")
      yield* during([], [])

      local.got.length = 0
      const again = yield* run(listen(local.url, "--resend", old.id))
      assert.deepStrictEqual([again.exit, idsIn(local.got)], [0, [old.id]])
      assert.strictEqual((yield* run(listen(local.url, "--resend", randomUUID()))).exit, 4)
      local.answer({ status: 400 })
      const failed = yield* run(listen(local.url, "--resend", old.id, "--attempts", "2"))
      assert.deepStrictEqual([failed.exit, local.got.length], [5, 3])

      const { written } = yield* start(listen(local.url, "--kind", "none.such"))
      yield* isReady(written)
      const other = yield* run(listen(local.url))
      assert.deepStrictEqual([other.exit, other.stderr.includes(`process ${process.pid}`)], [1, true])
    }).pipe(Effect.scoped)
  )

  it.effect("lets a started attempt finish before it stops, so that it is not repeated", () =>
    Effect.gen(function* () {
      const got: Array<string> = []
      const slow = yield* Effect.acquireRelease(
        Effect.callback<Server>((resume) => {
          const server = createServer((request, response) => {
            got.push(String(request.headers["webhook-id"]))
            setTimeout(() => response.writeHead(204).end(), 700)
          })
          server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
        }),
        (server) => Effect.sync(() => server.close())
      )
      const address = slow.address()
      const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : address}/`
      const { start } = yield* machine()
      const first = yield* start(listen(url, "--kind", "slow.kind"))
      yield* isReady(first.written)
      const { id } = yield* happens({ kind: "slow.kind" })
      yield* comes(
        () => got.length === 1,
        () => got
      )
      yield* Fiber.interrupt(first.fiber)
      assert.include(first.written.stdout, '"delivered":true')
      const second = yield* start(listen(url, "--kind", "slow.kind"))
      yield* isReady(second.written)
      const next = yield* happens({ kind: "slow.kind" })
      yield* comes(
        () => got.length === 2,
        () => got
      )
      assert.deepStrictEqual(got, [id, next.id])
    }).pipe(Effect.scoped)
  )

  it.effect("ends on the receiver's 410, gives up on request, and signs with a given secret", () =>
    Effect.gen(function* () {
      const local = yield* receiver
      const { run, start } = yield* machine()
      const file = join(folder(), "secret")
      writeFileSync(file, "whsec_own\n")
      const args = listen(local.url, "--kind", "gone.kind", "--attempts", "2", "--secret-file", file)
      const { fiber, written } = yield* start(args, 100)
      yield* isReady(written)
      local.answer({ status: 400 })
      const given = yield* happens({ kind: "gone.kind", key: hostile })
      yield* comes(
        () => local.got.length === 2,
        () => local.got.length
      )
      local.answer({ status: 410 })
      const gone = yield* happens({ kind: "gone.kind" })
      const { exit, stderr } = yield* Fiber.join(fiber)
      assert.strictEqual(exit, 1)
      assert.include(stderr, "410")
      assert.deepStrictEqual(idsIn(local.got), [given.id, given.id, gone.id])
      assert.isObject(local.got[0] && verified("whsec_own", local.got[0]))
      assert.match(written.stdout, /gone\.kind  400  \d+ ms  again in 0\.5 s  .*\n.*  given up  /)
      // oxlint-disable-next-line no-control-regex -- that there is none but line breaks
      assert.notMatch(written.stdout, /[\u0000-\u0009\u000b-\u001f\u202e]/)
      assert.notInclude(written.stdout + stderr, "whsec_own")
      // What was refused with 410 comes first the next time; what was given up does not come.
      local.answer({ status: 204 })
      const next = yield* start(args)
      yield* comes(
        () => local.got.length === 4,
        () => idsIn(local.got)
      )
      assert.strictEqual(idsIn(local.got).at(-1), gone.id)
      yield* Fiber.interrupt(next.fiber)
      const wrong = yield* run(listen("ftp://localhost/x"))
      assert.strictEqual(wrong.exit, 2)
      const elsewhere = yield* start(listen("http://hooks.example.invalid/", "--kind", "none.such"))
      yield* isReady(elsewhere.written)
      assert.include(elsewhere.written.stderr, "Warning: hooks.example.invalid is not this machine")
    }).pipe(Effect.scoped)
  )
})

import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Cast } from "../../../gateway/test/harness/Cast.ts"
import { TestGateway } from "../../../gateway/test/harness/TestGateway.ts"
import { badLine, comes, Everything, folder, happens, hostile, machine } from "./harness.ts"

const linesOf = (text: string): ReadonlyArray<string> => text.split("\n").filter((_) => _ !== "")
const idsOf = (text: string): ReadonlyArray<string> => linesOf(text).map((_) => JSON.parse(_).id)
const ended = ["--timeout-seconds", "0"]

layer(Everything, { excludeTestServices: true })("events tail", (it) => {
  it.effect("prints a line of JSON an event from a given time, and resumes from its cursor file", () =>
    Effect.gen(function* () {
      const { run } = yield* machine()
      yield* happens({ at: "2020-01-01T00:00:00.000Z" })
      const first = yield* happens()
      // The log has it later, and it is of an earlier time.
      yield* happens({ at: "2020-01-01T00:00:00.000Z" })
      const second = yield* happens({ kind: "other.kind" })
      const file = join(folder(), "cursor")
      const args = ["events", "tail", "--since", "1h", "--topic", "alarms", "--cursor-file", file, ...ended]
      const { exit, stderr, stdout } = yield* run(args)
      assert.strictEqual(exit, 0)
      assert.deepStrictEqual(
        linesOf(stdout).map((_) => JSON.parse(_)),
        [first, second]
      )
      assert.include(stderr, `portico events tail --topic alarms --timeout-seconds 0 --cursor-file ${file}`)
      // Somebody else's link in the way is not followed.
      const other = join(folder(), "other")
      writeFileSync(other, "of another program")
      symlinkSync(other, `${file}.new`)
      const third = yield* happens()
      assert.deepStrictEqual(idsOf((yield* run(args)).stdout), [third.id])
      assert.deepStrictEqual(idsOf((yield* run(args)).stdout), [])
      const kinds = yield* run(["events", "tail", "--since", "1h", "--kind", "other.*", ...ended])
      assert.deepStrictEqual(idsOf(kinds.stdout), [second.id])
      assert.include(kinds.stderr, 'portico events tail --kind "other.*" --timeout-seconds 0 --cursor ')
      assert.strictEqual(readFileSync(other, "utf8"), "of another program")
      const cursor = readFileSync(file, "utf8").trim()
      const fourth = yield* happens()
      assert.deepStrictEqual(idsOf((yield* run(["events", "tail", "--cursor", cursor, ...ended])).stdout), [fourth.id])
    })
  )

  it.effect("has each event once across a broken connection, and prints its cursor when interrupted", () =>
    Effect.gen(function* () {
      const line = yield* badLine
      const { run, start } = yield* machine(line.url)
      const { fiber, written } = yield* start(["events", "tail", "--topic", "alarms"])
      yield* comes(
        () => line.calls.includes("GET /v1/events/tail"),
        () => line.calls
      )
      const ids: Array<string> = []
      for (let count = 0; count < 3; count++) {
        yield* Effect.sleep("300 millis")
        ids.push((yield* happens()).id)
        yield* comes(
          () => written.stdout.includes(ids.at(-1) ?? ""),
          () => written.stdout
        )
        line.cut()
        ids.push((yield* happens()).id)
      }
      yield* comes(
        () => linesOf(written.stdout).length >= 6,
        () => written.stdout
      )
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(idsOf(written.stdout), ids)
      const [, cursor = ""] =
        /^Go on with: portico events tail --topic alarms --cursor (\S+)$/m.exec(written.stderr) ?? []
      const next = yield* happens()
      assert.deepStrictEqual(idsOf((yield* run(["events", "tail", "--cursor", cursor, ...ended])).stdout), [next.id])
    }).pipe(Effect.scoped)
  )

  it.effect("prints lines that fit a terminal, with any content of the event", () =>
    Effect.gen(function* () {
      const { run } = yield* machine()
      yield* happens({ kind: "odd.kind", key: hostile, data: { text: hostile, nothing: null, size_gb: 10 } })
      const args = ["events", "tail", "--kind", "odd.kind", "--since", "1h", ...ended]
      const wide = yield* run(args, { columns: 400 })
      const [line = "", ...others] = linesOf(wide.stdout)
      assert.deepStrictEqual(others, [])
      assert.match(line, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d  odd\.kind  /)
      // oxlint-disable-next-line no-control-regex -- that there is none
      assert.notMatch(line, /[\u0000-\u001f\u202e]/)
      assert.include(line, "\\u001b[31mred")
      assert.include(line, "size_gb=10")
      assert.notInclude(line, "nothing")
      const narrow = linesOf((yield* run(args, { columns: 40 })).stdout)
      assert.deepStrictEqual(
        narrow.map((_) => [..._].length <= 40),
        [true]
      )
    })
  )

  it.effect("refuses an invalid --since before it calls", () =>
    Effect.gen(function* () {
      const { run } = yield* machine("http://127.0.0.1:1")
      const { exit, stderr } = yield* run(["events", "tail", "--since", "yesterday"])
      assert.strictEqual(exit, 2)
      assert.include(stderr, "24h")
    })
  )
})

layer(Everything, { excludeTestServices: true })("audit tail", (it) => {
  it.effect("has each call once, also while the gateway is away, and filters", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { call } = yield* TestGateway
      const line = yield* badLine
      const { run, start } = yield* machine(line.url)
      const removed = (id: string) => call("customer", "DELETE", `/v1/credentials/${id}`, { token: acme.tokens[2] })
      yield* removed("cred-before")
      const { fiber, written } = yield* start(["audit", "tail", "--method", "DELETE", "--status", "4xx"])
      yield* comes(
        () => line.calls.length >= 2,
        () => line.calls
      )
      yield* removed("cred-one")
      yield* comes(
        () => written.stdout.includes("cred-one"),
        () => written.stdout
      )
      line.lead("http://127.0.0.1:1")
      yield* removed("cred-two")
      yield* Effect.sleep("500 millis")
      line.lead((yield* TestGateway).url.customer)
      yield* comes(
        () => written.stdout.includes("cred-two"),
        () => written.stdout
      )
      yield* Fiber.interrupt(fiber)
      const resources = linesOf(written.stdout).map((_) => JSON.parse(_).resources)
      assert.deepStrictEqual(resources, [["cred-one"], ["cred-two"]])
      assert.include(written.stderr, "Go on with: portico audit tail --method DELETE --status 4xx --cursor ")
      const actor = ["audit", "tail", "--since", "1h", "--resource", "cred-two", ...ended, "--actor"]
      assert.lengthOf(linesOf((yield* run([...actor, acme.credentialIds[2]])).stdout), 1)
      assert.lengthOf(linesOf((yield* run([...actor, acme.credentialIds[0]])).stdout), 0)
      assert.lengthOf(linesOf((yield* run([...actor, "key"])).stdout), 1)
      assert.lengthOf(linesOf((yield* run([...actor, "agent"])).stdout), 0)
      const people = yield* run([...actor, acme.credentialIds[2]], { columns: 200 })
      assert.match(people.stdout, /  DELETE  404  \/v1\/credentials\/:credential_id  cred-/)
    }).pipe(Effect.scoped)
  )
})

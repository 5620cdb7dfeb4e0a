import { assert, layer } from "@effect/vitest"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { inTime, until } from "@portico/testing/clock"
import { Effect, Fiber, FileSystem, Layer } from "effect"
import { NodeServices } from "@effect/platform-node"
import { Cast } from "../../../gateway/test/harness/Cast.ts"
import { jsonOf, TestGateway } from "../../../gateway/test/harness/TestGateway.ts"
import { commandLine } from "../harness/commandLine.ts"
import { atTerminal, started } from "./started.ts"

const Everything = Cast.layer.pipe(Layer.provideMerge(TestGateway.layer), Layer.provideMerge(NodeServices.layer))

const asAcme = Effect.gen(function* () {
  const { url } = yield* TestGateway
  const { acme } = yield* Cast
  return { PORTICO_URL: url.customer, PORTICO_TOKEN: acme.tokens[2] }
})

let made = 0

/** A zone with records, and a file that differs from it. */
const zone = Effect.gen(function* () {
  const { recordsets: held, zones } = (yield* SimulatedCloud).world.designate
  // A tenant has few zones, and names stay taken for a while.
  for (const id of Object.keys(zones)) delete zones[id]
  for (const id of Object.keys(held)) delete held[id]
  const { call } = yield* TestGateway
  const { PORTICO_TOKEN: token } = yield* asAcme
  const name = `import-${(made += 1)}.example.`
  const { zone_id } = jsonOf(yield* call("customer", "POST", "/v1/dns/zones", { token, body: { name } }))
  const recordsets = `/v1/dns/zones/${zone_id}/recordsets`
  const records = [
    { name: "www", type: "A", records: ["192.0.2.1", "192.0.2.2"] },
    { name: "same", type: "A", records: ["192.0.2.9"] },
    { name: "old", type: "TXT", records: ["gone \u202e soon"] }
  ]
  for (const body of records) {
    const answer = yield* call("customer", "POST", recordsets, { token, body })
    assert.strictEqual(answer.status, 201, answer.text)
  }
  const lines = [
    "$TTL 3600",
    "www 300 A 192.0.2.2",
    "www 300 A 192.0.2.3",
    "same A 192.0.2.9",
    "new A 192.0.2.4",
    "other A 192.0.2.5",
    "_sip._tcp SRV 1 1 5060 sip.example."
  ]
  const files = yield* FileSystem.FileSystem
  const file = `${yield* files.makeTempDirectoryScoped()}/zone`
  yield* files.writeFileString(file, `${lines.join("\n")}\n`)
  const names = Effect.map(call("customer", "GET", recordsets, { token }), (_) =>
    (jsonOf(_).recordsets as ReadonlyArray<{ readonly name: string }>).map(({ name }) => name.split(".")[0])
  )
  return { name, zone_id: String(zone_id), file, names }
})

const dryRun = `- old.ZONE TXT "gone \\226\\128\\174 soon"
~ www.ZONE 300 A (ttl of the zone to 300)
-   192.0.2.1
+   192.0.2.3
    192.0.2.2
+ new.ZONE 3600 A 192.0.2.4
+ other.ZONE 3600 A 192.0.2.5
  1 recordset unchanged
  Line 7 is left out: records of type SRV are not written here
`

/** The request and its id apart. */
const stopped = (zone: string) => [
  "The import stopped after 2 of 3 changes.",
  `  done: update www.${zone} A`,
  `  done: create new.${zone} A`,
  `  left: create other.${zone} A`,
  "Run the same command again to continue."
]

layer(Everything)("portico dns import", (it) => {
  it.effect("shows the differences with --dry-run, and changes nothing", () =>
    Effect.gen(function* () {
      const env = yield* asAcme
      const { file, name, names } = yield* zone
      const before = yield* names
      const args = ["dns", "import", name, file, "--dry-run", "--prune"]
      const wide = yield* atTerminal(args, { columns: 100, env })
      assert.strictEqual(wide.stdout.replaceAll(name, "ZONE"), dryRun)
      assert.deepStrictEqual([wide.exit, wide.stderr], [0, ""])
      const narrow = yield* atTerminal(args, { columns: 40, env })
      assert.include(narrow.stdout, "  Line 7 is left out: records of type\n  SRV are not written here\n")
      assert.deepInclude(JSON.parse((yield* commandLine(args, { env })).stdout), { dry_run: true, unchanged: 1 })
      assert.deepStrictEqual(yield* names, before)
    })
  )

  it.effect("imports after a yes, and finds no difference when it is repeated by zone id", () =>
    Effect.gen(function* () {
      const env = yield* asAcme
      const { file, name, names, zone_id } = yield* zone
      const no = yield* atTerminal(["dns", "import", name, file], { columns: 100, env, types: "n" })
      assert.deepStrictEqual([no.exit, no.stderr.endsWith("Nothing was done.\n")], [130, true])
      assert.notInclude(yield* names, "new")
      const yes = yield* atTerminal(["dns", "import", name, file], { columns: 100, env, types: "y" })
      assert.strictEqual(yes.exit, 0)
      assert.match(yes.stdout, new RegExp(`\\n${name}: 2 recordsets created, 1 recordset changed\\.\\n$`))
      assert.includeMembers([...(yield* names)], ["new", "other", "old"])
      const again = yield* atTerminal(["dns", "import", zone_id, file], { columns: 100, env })
      assert.match(again.stdout, new RegExp(`^${name} is like the file already\\.\n  4 recordsets unchanged\\n`))
    })
  )

  it.effect("refuses to ask without a terminal, and reads standard input with --yes", () =>
    Effect.gen(function* () {
      const env = yield* asAcme
      const { file, name, names } = yield* zone
      const silent = yield* commandLine(["dns", "import", name, file], { env })
      assert.deepStrictEqual([silent.exit, silent.stdout], [2, ""])
      assert.match(silent.stderr, /Add --yes if it is meant\.\n$/)
      assert.notInclude(yield* names, "new")
      const done = yield* commandLine(["dns", "import", name, "-", "--yes"], { env, stdin: "new A 192.0.2.4\n" })
      assert.deepInclude(JSON.parse(done.stdout), { dry_run: false, unchanged: 0 })
      assert.include(yield* names, "new")
    })
  )

  it.effect("reports what a half-done import did, and what is left", () =>
    Effect.gen(function* () {
      const env = yield* asAcme
      const { file, name } = yield* zone
      const cloud = yield* SimulatedCloud
      const path = "/v2/zones/*/recordsets"
      const as = { status: 400 }
      yield* cloud.fault({ service: "designate", method: "POST", path, nth: 2, times: "always", when: "before", as })
      const args = ["dns", "import", name, file, "--yes"]
      const half = yield* atTerminal(args, { columns: 100, env })
      yield* cloud.clearFaults
      assert.strictEqual(half.exit, 5)
      assert.deepStrictEqual(half.stderr.split("\n").slice(0, 5), stopped(name))
      assert.include(half.stderr, "zone_import_failed")
      const rest = yield* atTerminal(args, { columns: 100, env })
      assert.match(rest.stdout, /: 1 recordset created\.\n$/)
    })
  )

  it.effect("reports what is wrong with the zone, the file, or a line of it", () =>
    Effect.gen(function* () {
      const env = yield* asAcme
      const { file, name } = yield* zone
      const unknown = yield* commandLine(["dns", "import", "none.example.", file, "--yes"], { env })
      assert.deepStrictEqual(
        [unknown.exit, unknown.stderr],
        [4, "There is no zone 'none.example.'.\nList the zones with: portico dns zones\n"]
      )
      const absent = yield* commandLine(["dns", "import", name, `${file}.none`], { env })
      assert.strictEqual(absent.exit, 2)
      const wrong = yield* commandLine(["dns", "import", name, "-"], { env, stdin: "new A 192.0.2.400\n" })
      assert.strictEqual(wrong.exit, 1)
      assert.include(wrong.stderr, "line 1")
    })
  )

  it.effect("continues at the gateway after Ctrl-C, and says so", () =>
    Effect.gen(function* () {
      const env = yield* asAcme
      const { file, name, names } = yield* zone
      const cloud = yield* SimulatedCloud
      const path = "/v2/zones/*/recordsets"
      yield* cloud.fault({ service: "designate", method: "POST", path, when: "before", as: { delay_ms: 1500 } })
      const { fiber, written } = yield* started(["dns", "import", name, file, "--yes"], { columns: 100, env })
      const creates = Effect.map(cloud.calls, (_) =>
        _.filter((call) => call.method === "POST" && call.path.endsWith("recordsets"))
      )
      const before = (yield* creates).length
      yield* until(Effect.map(creates, (_) => _.length > before))
      yield* Fiber.interrupt(fiber)
      assert.include(written.stderr, `The import into ${name} goes on without you, for 45 seconds at most.\n`)
      yield* inTime(until(Effect.map(names, (_) => _.includes("other"))), "100 millis")
      yield* cloud.clearFaults
    })
  )
})

import { assert, layer } from "@effect/vitest"
import { readZoneFile } from "@portico/domain/dns/zoneFile"
import { Context, Effect, Layer } from "effect"
import { execFile } from "node:child_process"
import { Resolver } from "node:dns/promises"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Tenant } from "../harness/Cast.ts"
import type { Asked } from "../harness/http.ts"
import { jsonOf, TestGateway } from "../harness/TestGateway.ts"
import { polled } from "../real/Administrator.ts"
import { guest, unique } from "../real/Guests.ts"
import { realCloudWith } from "../real/RealGateway.ts"
import { told } from "../real/told.ts"

class Guest extends Context.Service<Guest, Tenant>()("portico/gateway/test/real/dns/Guest") {
  static readonly layer = Layer.effect(Guest, guest("dns", "standard"))
}

/** The name server of the real cloud stands for the DNS of the world. */
const stage = Guest.layer.pipe(
  Layer.provideMerge(realCloudWith(Effect.sync(() => ({ DNS_RESOLVERS: told("REAL_CLOUD_DNS") }))))
)

const zones = "/v1/dns/zones"

const asked = Effect.fnUntraced(function* (method: string, path: string, more: Asked = {}) {
  const { tokens } = yield* Guest
  return yield* (yield* TestGateway).call("customer", method, path, { token: tokens[2], ...more })
})

/** The body of a good answer. */
const good = Effect.fnUntraced(function* (method: string, path: string, body?: unknown) {
  const answer = yield* asked(method, path, { body })
  if (answer.status >= 300) return yield* Effect.die(`${method} ${path} answered ${answer.status}: ${answer.text}`)
  return jsonOf(answer)
})

const answersOf = (name: string, type: "A" | "AAAA" | "MX" | "TXT" | "CNAME") =>
  Effect.promise(async () => {
    const resolver = new Resolver({ timeout: 2_000, tries: 2 })
    resolver.setServers([told("REAL_CLOUD_DNS")])
    return JSON.stringify(await resolver.resolve(name, type).catch((error: NodeJS.ErrnoException) => error.code))
  })

const active = (zone: string) => polled(good("GET", zone), (_) => _.status === "ACTIVE")

layer(stage, { excludeTestServices: true })("zones on a real Designate", (it) => {
  it.effect("records of each type are served as written, and change in place", () =>
    Effect.gen(function* () {
      const name = `${unique("records")}.example.`
      const zone = `${zones}/${(yield* good("POST", zones, { name })).zone_id}`
      yield* active(zone)
      const add = (of: object) => good("POST", `${zone}/recordsets`, of)
      const www = yield* add({ name: "WWW", type: "A", records: ["192.0.2.1"], ttl: 60 })
      yield* add({ name: "@", type: "MX", records: ["10 mail.example.net."] })
      yield* add({ name: "six", type: "AAAA", records: ["2001:DB8:0::1"] })
      yield* add({ name: "also", type: "CNAME", records: [`www.${name}`] })
      yield* add({ name: "text", type: "TXT", records: ['say "hi" \\o/; grün 😀'] })
      yield* active(zone)
      yield* polled(answersOf(`www.${name}`, "A"), (_) => _ === '["192.0.2.1"]')
      assert.deepStrictEqual(JSON.parse(yield* answersOf(name, "MX")), [
        { exchange: "mail.example.net", priority: 10, type: "MX" }
      ])
      assert.strictEqual(yield* answersOf(`six.${name}`, "AAAA"), '["2001:db8::1"]')
      assert.strictEqual(yield* answersOf(`also.${name}`, "A"), '["192.0.2.1"]')
      const [[text]] = JSON.parse(yield* answersOf(`text.${name}`, "TXT"))
      assert.strictEqual(Buffer.from(text, "latin1").toString(), 'say "hi" \\o/; grün 😀')

      const own = `${zone}/recordsets/${www.recordset_id}`
      const changed = yield* good("PATCH", own, { records: ["192.0.2.2"], ttl: null })
      assert.deepStrictEqual([changed.records, changed.ttl, changed.name], [["192.0.2.2"], null, `www.${name}`])
      yield* polled(answersOf(`www.${name}`, "A"), (_) => _ === '["192.0.2.2"]')
      const again = yield* asked("POST", `${zone}/recordsets`, {
        body: { name: "www", type: "A", records: ["192.0.2.9"] }
      })
      assert.deepStrictEqual([again.status, jsonOf(again).detail], [409, "Duplicate RecordSet"])
      assert.strictEqual((yield* asked("DELETE", own)).status, 202)
      yield* polled(answersOf(`www.${name}`, "A"), (_) => _ === '"ENOTFOUND"')

      const delegation = yield* good("GET", `${zone}/delegation`)
      assert.deepInclude(delegation, { zone: name, status: "delegated", missing: [], extra: [] })
      const { tokens } = yield* Guest
      const { call } = yield* TestGateway
      const readOnly = yield* call("customer", "DELETE", zone, { token: tokens[1] })
      assert.strictEqual(readOnly.status, 403)
      assert.strictEqual((yield* asked("DELETE", zone)).status, 202)
      yield* polled(asked("GET", zone), (_) => _.status === 404)
    })
  )

  it.effect("a zone file is imported once, and missing records are removed with prune", () =>
    Effect.gen(function* () {
      const name = `${unique("import")}.example.`
      const zone = `${zones}/${(yield* good("POST", zones, { name })).zone_id}`
      yield* active(zone)
      const zonefile = `$TTL 5m\n@ IN NS ns1.elsewhere.example.\n@ MX 10 mail\nmail A 192.0.2.1\n  A 192.0.2.2\nt TXT ( "a;b"\n ) ; c\n`
      const planned = yield* good("POST", `${zone}/import`, { zonefile })
      assert.deepStrictEqual([planned.dry_run, planned.create.length, planned.skipped.length], [true, 3, 1])
      assert.strictEqual((yield* good("GET", `${zone}/recordsets`)).count, 2, "SOA and NS alone")
      yield* good("POST", `${zone}/import`, { zonefile, dry_run: false })
      const again = yield* good("POST", `${zone}/import`, { zonefile, dry_run: false, prune: true })
      assert.deepStrictEqual([again.create, again.update, again.delete, again.unchanged], [[], [], [], 3])
      yield* active(zone)
      yield* polled(answersOf(`mail.${name}`, "A"), (_) => _.includes("192.0.2.1") && _.includes("192.0.2.2"))
      assert.strictEqual(yield* answersOf(`t.${name}`, "TXT"), '[["a;b"]]')
      const pruned = yield* good("POST", `${zone}/import`, {
        zonefile: "mail 300 A 192.0.2.2",
        dry_run: false,
        prune: true
      })
      assert.deepStrictEqual([pruned.update.length, pruned.delete.length], [1, 2])
      yield* polled(answersOf(`t.${name}`, "TXT"), (_) => _ === '"ENOTFOUND"')
      yield* good("DELETE", zone)
      yield* polled(asked("GET", zone), (_) => _.status === 404)
    })
  )

  it.effect("Designate gets the tier's limit of zones, and its refusals keep its message", () =>
    Effect.gen(function* () {
      const name = `${unique("words")}.example.`
      const { zone_id } = yield* good("POST", zones, { name })
      const limits = yield* good("GET", "/v1/iaas/dns/quotas")
      assert.strictEqual(limits.zones, 20)
      for (const [given, status, detail] of [
        [name, 409, "Duplicate Zone"],
        ["example.", 422, "More than one label is required"]
      ] as const) {
        const answer = yield* asked("POST", zones, { body: { name: given } })
        assert.deepStrictEqual([answer.status, jsonOf(answer).detail], [status, detail])
      }
      const kid = yield* good("POST", zones, { name: `kid.${name}` })
      const held = yield* asked("DELETE", `${zones}/${zone_id}`)
      assert.deepStrictEqual(
        [held.status, jsonOf(held).detail],
        [409, "Please delete any subzones before deleting this zone"]
      )
      yield* good("DELETE", `${zones}/${kid.zone_id}`)
      yield* polled(asked("GET", `${zones}/${kid.zone_id}`), (_) => _.status === 404)
      yield* good("DELETE", `${zones}/${zone_id}`)
    })
  )
})

const head = "$TTL 3600\n@ SOA ns1 host 1 2 3 4 5\n@ NS ns1.example.net.\n"

/** Files that BIND reads too, and those that it refuses as well. (It refuses an unknown type, which is skipped here.) */
const files: ReadonlyArray<string> = [
  "www A 192.0.2.1\n",
  "www 300 IN A 192.0.2.1\nx IN 300 A 192.0.2.1\n",
  "a 1h30m A 192.0.2.1\nb 1W2D IN A 192.0.2.1\n",
  "www A 192.0.2.1\n  A 192.0.2.2\n\tTXT hi\n",
  'www TXT ( "a"\n "b" ; c\n ) ; d\nx ( A\n (192.0.2.9) )\n',
  't TXT "a;b" a\\;b "a\\"b" "c\\\\d" "\\065\\200" "" ; c\n',
  'x TXT a"b""c"d\n',
  'x TXT "grün"\n',
  "$ORIGIN sub\nwww A 192.0.2.1\n$ORIGIN a.example.org.\n A 192.0.2.2\n@ A 192.0.2.3\n",
  "@ MX 10 mail\n@ MX 20 mail.example.net.\nm MX 0 .\n",
  "x AAAA 2001:DB8:0:0::1\ny AAAA ::ffff:192.0.2.1\n",
  "x CNAME @\n*.w A 192.0.2.1\n",
  "www A 192.0.2.1\r\nx A 192.0.2.2\r\n",
  "a A 192.0.2.1\n$TTL 60\nb A 192.0.2.1\nc 0 A 192.0.2.1\n",
  "300 A 192.0.2.1\n_a._tcp TXT x\nx in a 192.0.2.1\n",
  "\n\n; only\n   \nx A 192.0.2.1;c",
  "www A 192.0.2.300\n",
  "www A 192.0.2.1 x\n",
  "x A\n",
  "x 300 300 A 192.0.2.1\n",
  "x IN IN A 192.0.2.1\n",
  "x CH A 192.0.2.1\n",
  't TXT "abc\nx A 192.0.2.1\n',
  "t TXT ( a\n",
  "t TXT a )\n",
  'x TXT "\\256"\n',
  'x TXT "\\12"\n',
  `x TXT "${"x".repeat(256)}"\n`,
  "x MX 65536 a\n",
  "x MX -1 a\n",
  "a..b A 192.0.2.1\n",
  `${"a".repeat(64)} A 192.0.2.1\n`,
  "$ORIGIN a b\n",
  "$TTL x\n",
  "z 4294967296 A 192.0.2.1\n"
]

/** What `named-compilezone` makes of a file; undefined when it refuses it. */
const compiled = (directory: string, text: string) =>
  Effect.promise(async () => {
    const file = join(directory, "zone")
    await writeFile(file, text)
    const options = ["-q", "-i", "none", "-k", "ignore", "-n", "ignore", "-s", "full", "-o", "-", "example.org", file]
    return new Promise<ReadonlyArray<string> | undefined>((resolve) =>
      execFile("named-compilezone", options, (error, output) =>
        resolve(
          error === null
            ? output
                .split("\n")
                .filter((_) => _ !== "" && !/ (SOA|NS) /.test(_.replaceAll("\t", " ")))
                .map((_) => _.replaceAll(/[ \t]+/g, " "))
                .toSorted()
            : undefined
        )
      )
    )
  })

layer(Layer.empty, { excludeTestServices: true })("zone files", (it) => {
  it.effect("are read as BIND reads them", () =>
    Effect.gen(function* () {
      const directory = yield* Effect.acquireRelease(
        Effect.promise(() => mkdtemp(join(tmpdir(), "zones-"))),
        (_) => Effect.promise(() => rm(_, { recursive: true }))
      )
      for (const file of files) {
        const { problems, records } = readZoneFile(`${head}${file}`, "example.org.")
        const ours = records.map(({ data, name, ttl, type }) => `${name} ${ttl} IN ${type} ${data}`).toSorted()
        assert.deepStrictEqual(
          problems.length > 0 ? undefined : ours,
          yield* compiled(directory, `${head}${file}`),
          file
        )
      }
    })
  )
})

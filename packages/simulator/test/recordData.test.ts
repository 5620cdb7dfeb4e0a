import { assert, describe, it } from "@effect/vitest"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { ask, tenantToken } from "./ask.ts"

/** What a real Designate 15.0 says of each: it takes the recordset, or refuses its name or its data. */
type Verdict = "taken" | "name" | "data"

const recorded: ReadonlyArray<
  readonly [string, Verdict, ReadonlyArray<string | readonly [name: string, data: string]>]
> = [
  ["NS", "name", [["*", "ns.x.org."]]],
  ["NS", "taken", [["sub", "ns.x.org."]]],
  ["NS", "data", [["sub", "*.x.org."]]],
  ["CNAME", "data", ["*.x.org."]],
  ["PTR", "data", ["*.x.org."]],
  [
    "SRV",
    "name",
    [
      ["s", "1 2 3 t.x.org."],
      ["_sip", "1 2 3 t.x.org."],
      ["*._tcp", "1 2 3 t.x.org."]
    ]
  ],
  [
    "SRV",
    "taken",
    [
      ["_sip._tcp", "1 2 3 t.x.org."],
      ["_sip._udp", "-0 2 3 t.x.org."],
      ["_sip2._udp", "+1 2 3 t.x.org."],
      ["_a._b._c", "1 2 3 t.x.org."]
    ]
  ],
  [
    "SRV",
    "data",
    [
      ["_sip3._udp", "65536 2 3 t.x.org."],
      ["_sip4._udp", "1 2 3 *.x.org."],
      ["_sip5._udp", "-1 2 3 t.x.org."]
    ]
  ],
  [
    "SSHFP",
    "data",
    [
      "-0 1 0123456789",
      "1 -1 0123456789",
      "5 1 0123456789",
      "1 3 0123456789",
      "1 1 01234",
      "a 1 0123456789",
      "1 1 ",
      "1 1 0123456789 aa"
    ]
  ],
  ["SSHFP", "taken", ["1 1 0123456789"]],
  ["MX", "data", ["10 mail", "010 mail.x.", "65536 mail.x.", "10 a b.x.", "-1 b.x.", "x b.x."]],
  ["MX", "taken", ["10 *.x.", "10 ."]],
  ["CAA", "taken", ["0 issue ca.org", "0 iodef mailto:a@b.org", "0 issue ca.org; a=b", "0 iodef https://x.org/y"]],
  [
    "CAA",
    "data",
    [
      "2 issue ca.org",
      "0 other ca.org",
      "0 issue",
      "0 iodef b.org",
      "0 issue ca.org;a",
      '0 issue "ca.org"',
      "0 issue ;",
      "128 issue ca.org",
      "0 iodef https://x.org"
    ]
  ],
  ["NAPTR", "taken", ["0 0 S SIP+D2U !^.*$!sip:a@b! _sip._udp.x.org.", "0 0 S 9SIP !^.*$!a! x.org."]],
  [
    "NAPTR",
    "data",
    [
      "0 0 X SIP+D2U !^.*$!sip:a@b! _sip._udp.x.org.",
      "65536 0 S SIP+D2U !^.*$!sip:a@b! x.org.",
      "0 0 S SIP+D2U x.org.",
      "0 0 S SIP+D2U !^.*$ x.org.",
      "0 0 S SIP !^.*$!a! x"
    ]
  ],
  ["CERT", "taken", ["PKIX 1 RSASHA256 KR1L0GbocaIOOim1+qdHtOSrDcOsGiI2NCcxuX2/Tqc="]],
  [
    "CERT",
    "data",
    [
      "FOO 1 RSASHA256 KR1L",
      "65536 1 RSASHA256 KR1L",
      "PKIX 65536 RSASHA256 KR1L",
      "PKIX 1 FOO KR1L",
      "PKIX 1 256 KR1L",
      "PKIX 1 RSASHA256 K",
      "1 1 1 K==",
      "PKIX 1 RSASHA256"
    ]
  ],
  ["TXT", "data", ["a b", '"a', "a\\", '"a" "b"', "a".repeat(256), `"${"a".repeat(256)}"`]],
  ["TXT", "data", [`"${"a".repeat(254)}"`, `"${"a".repeat(254)}" "b"`, `"${"a".repeat(200)}"  "${"b".repeat(100)}"`]],
  ["TXT", "taken", [`"${"a".repeat(253)}"`, `"${"a".repeat(253)}" "${"b".repeat(253)}"`]],
  ["TXT", "taken", ['"a b"', '"a\\"b"', `"${"a".repeat(200)}" "${"b".repeat(200)}"`, "", '"\\"', '""a"']],
  ["SPF", "data", ["v=spf1 a", '"a"b"']],
  ["SPF", "taken", ['"v=spf1 a"', '"a', `"${"a".repeat(256)}"`]],
  ["A", "data", ["1.2.3", "1.2.3.04", " 1.2.3.4"]],
  ["AAAA", "data", ["::1%eth0", "1.2.3.4"]],
  ["AAAA", "taken", ["::ffff:1.2.3.4"]]
]

const v2 = "/dns/v2"

const zoned = Effect.gen(function* () {
  const { token } = yield* tenantToken("acme")
  const { json } = yield* ask("POST", `${v2}/zones`, { token, json: { name: "example.org.", email: "a@example.org" } })
  yield* TestClock.adjust("5 seconds")
  return { token, url: `${v2}/zones/${json.id}` }
})

describe("records of each type, judged as Designate judges them", () => {
  it.effect.each(recorded)("%s: %s", ([type, verdict, cases]) =>
    Effect.gen(function* () {
      const { token, url } = yield* zoned
      for (const [i, each] of cases.entries()) {
        const [name, data] = typeof each === "string" ? [`r${i}`, each] : each
        const json = { type, name: `${name}.example.org.`, records: [data] }
        const answer = yield* ask("POST", `${url}/recordsets`, { token, json })
        if (verdict === "taken") assert.strictEqual(answer.status, 202, `${name}: ${data}: ${answer.body}`)
        else {
          assert.deepStrictEqual([answer.status, answer.json.type], [400, "invalid_object"], `${name}: ${data}`)
          const message = verdict === "name" ? answer.json.message : answer.json.errors.errors[0].message
          assert.strictEqual(message, verdict === "name" ? "name is invalid" : `'${data}' is not a '${type}' Record`)
        }
      }
    }).pipe(Effect.provide(SimulatedCloud.layerMemory))
  )
})

it.effect("a transfer is offered without a body, and with none in JSON", () =>
  Effect.gen(function* () {
    const { token, url } = yield* zoned
    const path = `${url}/tasks/transfer_requests`
    for (const body of ["", "null", "{}"]) {
      const { json, status } = yield* ask("POST", path, {
        token,
        body,
        headers: { "content-type": "application/json" }
      })
      assert.strictEqual(status, 201, body)
      assert.strictEqual(
        (yield* ask("DELETE", `${v2}/zones/tasks/transfer_requests/${json.id}`, { token })).status,
        204
      )
    }
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("406 where the Accept header excludes what the route answers with", () =>
  Effect.gen(function* () {
    const { token, url } = yield* zoned
    const { json } = yield* ask("POST", `${url}/tasks/export`, { token })
    yield* TestClock.adjust("5 seconds")
    const file = `${v2}/zones/tasks/exports/${json.id}/export`
    const table = [
      [url, "image/jpeg", 406, "text/plain; charset=UTF-8"],
      [url, "text/dns", 406, "text/plain; charset=UTF-8"],
      [url, "text/html, */*;q=0.1", 200, "application/json"],
      [file, "image/jpeg", 406, "text/plain; charset=UTF-8"],
      [file, "application/json", 406, "application/json"],
      [file, "text/dns", 200, "text/dns"],
      [file, "text/*", 200, "text/dns"],
      [file, "", 200, "text/dns"]
    ] as const
    for (const [path, accept, status, type] of table) {
      const answer = yield* ask("GET", path, { token, headers: { accept } })
      assert.deepStrictEqual([answer.status, answer.headers["content-type"]], [status, type], `${path} ${accept}`)
    }
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

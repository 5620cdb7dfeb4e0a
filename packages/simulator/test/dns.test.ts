import { assert, describe, it } from "@effect/vitest"
import { answerPacket, truncated } from "@portico/simulator/dns/packets"
import { resolve } from "@portico/simulator/dns/resolve"
import { publish } from "@portico/simulator/dns/state"
import { nameServers } from "@portico/simulator/designate/state"
import { Server } from "@portico/simulator/Server"
import { gatewaySettings } from "@portico/simulator/settings"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Resolver } from "@portico/upstream/dns/Resolver"
import { type Answer, decode, encode, type Packet } from "dns-packet"
import { ConfigProvider, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Resolver as Client } from "node:dns/promises"
import { ask, tenantToken } from "./ask.ts"

const v2 = "/dns/v2/zones"

/** Designate takes a second string where one is too short for the text. */
const long = "x".repeat(253)

const recordsets: ReadonlyArray<readonly [string, string, ReadonlyArray<string>]> = [
  ["example.org.", "A", ["192.0.2.1", "192.0.2.2"]],
  ["example.org.", "MX", ["10 mail.example.org."]],
  ["www.example.org.", "AAAA", ["2001:db8::1"]],
  ["Mixed.example.org.", "TXT", [`"${long}" " two"`, '"say \\"hi\\""']],
  ["alias.example.org.", "CNAME", ["www.example.org."]],
  ["away.example.org.", "CNAME", ["www.elsewhere.example."]],
  ["a.deep.example.org.", "A", ["192.0.2.3"]],
  ["*.wild.example.org.", "TXT", ['"any"']],
  ["there.wild.example.org.", "A", ["192.0.2.4"]],
  ["sub.example.org.", "NS", ["ns.elsewhere.example."]],
  ["loop.example.org.", "CNAME", ["loop.example.org."]]
]

/** A zone at the simulated Designate, of which nobody on the internet has heard yet. */
const zone = Effect.gen(function* () {
  const { token } = yield* tenantToken("acme")
  const made = yield* ask("POST", v2, { token, json: { name: "example.org.", email: "a@example.org" } })
  for (const [name, type, records] of recordsets) {
    const added = yield* ask("POST", `${v2}/${made.json.id}/recordsets`, { token, json: { name, type, records } })
    assert.strictEqual(added.status, 202, added.body)
  }
  yield* TestClock.adjust("5 seconds")
  return { token, id: String(made.json.id) }
})

const delegated = Effect.gen(function* () {
  publish((yield* SimulatedCloud).world.dns, "example.org.", "NS", nameServers)
})

const found = Effect.fnUntraced(function* (name: string, type: string) {
  const { world } = yield* SimulatedCloud
  const now = yield* TestClock.testClockWith((clock) => Effect.succeed(clock.currentTimeMillisUnsafe()))
  const { rcode, sets } = resolve(world, name, type, now)
  return [rcode, ...sets.map((_) => `${_.name} ${_.type} ${_.data.join(", ")}`)]
})

const cloud = Effect.provide(SimulatedCloud.layerMemory)

describe("a resolver on the simulated internet", () => {
  it.effect("finds a zone once its parent delegates to the zone's servers", () =>
    Effect.gen(function* () {
      yield* zone
      assert.deepStrictEqual(yield* found("example.org", "A"), ["NXDOMAIN"])
      yield* delegated
      assert.deepStrictEqual(yield* found("example.org", "A"), ["NOERROR", "example.org. A 192.0.2.1, 192.0.2.2"])
    }).pipe(cloud)
  )

  const answers: ReadonlyArray<readonly [string, string, ReadonlyArray<string>]> = [
    ["EXAMPLE.org", "MX", ["NOERROR", "example.org. MX 10 mail.example.org."]],
    ["example.org", "NS", ["NOERROR", "example.org. NS ns1.dns.simulated., ns2.dns.simulated."]],
    ["mixed.example.ORG.", "TXT", ["NOERROR", `mixed.example.org. TXT "${long}" " two", "say \\"hi\\""`]],
    ["www.example.org", "A", ["NOERROR"]],
    ["nobody.example.org", "A", ["NXDOMAIN"]],
    ["deep.example.org", "A", ["NOERROR"]],
    ["x.deep.example.org", "A", ["NXDOMAIN"]],
    ["x.wild.example.org", "TXT", ["NOERROR", 'x.wild.example.org. TXT "any"']],
    ["y.x.wild.example.org", "TXT", ["NOERROR", 'y.x.wild.example.org. TXT "any"']],
    ["x.wild.example.org", "A", ["NOERROR"]],
    ["there.wild.example.org", "TXT", ["NOERROR"]],
    ["x.there.wild.example.org", "TXT", ["NXDOMAIN"]],
    [
      "alias.example.org",
      "AAAA",
      ["NOERROR", "alias.example.org. CNAME www.example.org.", "www.example.org. AAAA 2001:db8::1"]
    ],
    [
      "away.example.org",
      "A",
      ["NOERROR", "away.example.org. CNAME www.elsewhere.example.", "www.elsewhere.example. A 198.51.100.7"]
    ],
    ["alias.example.org", "CNAME", ["NOERROR", "alias.example.org. CNAME www.example.org."]],
    ["loop.example.org", "A", ["SERVFAIL"]],
    ["sub.example.org", "NS", ["NOERROR", "sub.example.org. NS ns.elsewhere.example."]],
    ["host.sub.example.org", "A", ["NOERROR", "host.sub.example.org. A 198.51.100.9"]],
    ["example.com", "A", ["NXDOMAIN"]],
    ["evilexample.org", "A", ["NXDOMAIN"]]
  ]

  it.effect("distinguishes NODATA from NXDOMAIN, follows aliases and matches wildcards", () =>
    Effect.gen(function* () {
      yield* zone
      yield* delegated
      const { world } = yield* SimulatedCloud
      publish(world.dns, "www.elsewhere.example", "A", ["198.51.100.7"])
      publish(world.dns, "host.sub.example.org", "A", ["198.51.100.9"])
      for (const [name, type, answer] of answers) {
        assert.deepStrictEqual(yield* found(name, type), answer, `${name} ${type}`)
      }
    }).pipe(cloud)
  )

  it.effect("follows the parent: foreign servers, some of ours among others, ours without the zone", () =>
    Effect.gen(function* () {
      const { world } = yield* SimulatedCloud
      const { id, token } = yield* zone
      publish(world.dns, "example.org", "NS", ["ns.elsewhere.example."])
      assert.deepStrictEqual(yield* found("example.org", "NS"), ["NOERROR", "example.org. NS ns.elsewhere.example."])
      assert.deepStrictEqual(yield* found("example.org", "A"), ["NOERROR"])
      publish(world.dns, "example.org", "NS", ["ns1.dns.simulated.", "ns.elsewhere.example."])
      assert.deepStrictEqual(yield* found("example.org", "NS"), [
        "NOERROR",
        "example.org. NS ns1.dns.simulated., ns.elsewhere.example."
      ])
      assert.strictEqual((yield* found("example.org", "A")).length, 2)
      yield* delegated
      yield* ask("DELETE", `${v2}/${id}`, { token })
      assert.strictEqual((yield* found("example.org", "A")).length, 2, "the servers have not been told yet")
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(yield* found("example.org", "A"), ["SERVFAIL"])
      publish(world.dns, "example.org", "NS", [])
      assert.deepStrictEqual(yield* found("example.org", "NS"), ["NXDOMAIN"])
    }).pipe(cloud)
  )
})

/** EDNS: a client that takes more than RFC 1035 allows. */
const options: Answer = {
  type: "OPT",
  name: ".",
  udpPayloadSize: 1232,
  flags: 0,
  options: [],
  extendedRcode: 0,
  ednsVersion: 0,
  flag_do: false
}

const OverSockets = Server.layer({ port: 0 }).pipe(Layer.provideMerge(SimulatedCloud.layerMemory))

const ours = Layer.unwrap(
  Effect.map(Server, ({ url }) =>
    Resolver.layer.pipe(Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown(gatewaySettings(url)))))
  )
)

describe("over UDP", () => {
  it.live("answers every DNS client, and the gateway's", () =>
    Effect.gen(function* () {
      const { url } = yield* Server
      const put = (json: unknown) =>
        Effect.promise(() => fetch(`${url}/cloud/dns`, { method: "PUT", body: JSON.stringify(json) }))
      for (const [type, records] of [
        ["A", ["192.0.2.1"]],
        ["AAAA", ["2001:db8::1"]],
        ["MX", ["10 mail.example.org."]],
        ["NS", ["NS2.example.org.", "ns1.example.org."]],
        ["TXT", ['"v=1; a\\"b" "\\065\\\\c"', '"grün"']]
      ] as const) {
        assert.strictEqual((yield* put({ name: "example.org.", type, records })).status, 204)
      }
      const client = new Client()
      client.setServers([new URL(url).host])
      const asked = (type: string, name = "example.org") => Effect.promise(() => client.resolve(name, type))
      assert.deepStrictEqual(yield* asked("A"), ["192.0.2.1"])
      assert.deepStrictEqual(yield* asked("AAAA"), ["2001:db8::1"])
      assert.deepStrictEqual<unknown>(yield* asked("MX"), [{ exchange: "mail.example.org", priority: 10, type: "MX" }])
      assert.deepStrictEqual<unknown>(yield* asked("TXT"), [['v=1; a"b', "A\\c"], ["gr\u00c3\u00bcn"]])

      const resolver = yield* Resolver
      assert.deepStrictEqual(yield* resolver.ns("EXAMPLE.org."), ["ns1.example.org.", "ns2.example.org."])
      assert.deepStrictEqual(yield* resolver.txt("example.org"), ['v=1; a"bA\\c', "grün"])
      assert.deepStrictEqual(yield* resolver.txt("nobody.example.org."), [])
      assert.deepStrictEqual(yield* resolver.txt(`${"x".repeat(64)}.example.org`), [])
      yield* put({ name: "example.org.", type: "TXT", records: [] })
      assert.deepStrictEqual(yield* resolver.txt("example.org"), [], "nothing is remembered of an earlier answer")

      const cloud = yield* SimulatedCloud
      const fault = { service: "resolver", method: "GET", path: "/dns-query", when: "before", times: "always" } as const
      yield* cloud.fault({ ...fault, as: { status: 503 } })
      const failure = yield* Effect.flip(resolver.txt("example.org"))
      assert.include(failure.summary, "ESERVFAIL")
      assert.isTrue(failure.transient)
      const wrong = yield* put({ name: "example.org.", type: "PTR", records: [] })
      assert.strictEqual(wrong.status, 400)
    }).pipe(Effect.provide(ours), Effect.provide(OverSockets))
  )

  it("truncates an answer above the client's size, and sets the TC flag", () => {
    const { world } = Effect.runSync(Effect.provide(SimulatedCloud, SimulatedCloud.layerMemory))
    const records = Array.from({ length: 4 }, (_, i) => `"${i}${"x".repeat(200)}"`)
    publish(world.dns, "big.example.org.", "TXT", records)
    const question: Packet = { type: "query", id: 7, questions: [{ type: "TXT", name: "big.example.org" }] }
    const [plain, extended] = [encode(question), encode({ ...question, additionals: [options] })]
    const whole = answerPacket(world, plain, 0) ?? Buffer.alloc(0)
    const cut = decode(Buffer.from(truncated(plain, whole)))
    assert.deepStrictEqual([cut.flag_tc, cut.answers?.length, cut.id], [true, 0, 7])
    assert.strictEqual(truncated(extended, whole), whole)
    assert.deepStrictEqual(answerPacket(world, Buffer.from("garbage"), 0), undefined)
  })
})

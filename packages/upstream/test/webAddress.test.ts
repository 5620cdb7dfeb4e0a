import { assert, describe, it } from "@effect/vitest"
import { Connector } from "@portico/upstream/delivery/Connector"
import { Guard, notThere } from "@portico/upstream/delivery/Guard"
import { TenantNameLookup } from "@portico/upstream/guardedLookup"
import { readAddress } from "@portico/upstream/webAddress"
import { ConfigProvider, Effect, Layer } from "effect"

const characters = "has characters that no address has: they are written percent-encoded"
const none = "is not an address"
const noHost = "names no host"
const noName = "names a host that is not a name"
const user = "must hold no user name and no password"
const port = "must have a port from 1 to 65535, or none"
const encoded = "must have its host without percent-encoding"
const dot = "must have its host without a dot at the end"
const decimal = "must have an address of IPv4 as four decimal numbers, as 192.0.2.1"
const mapped = "must have an address of IPv4 in its own form, as 192.0.2.1"
const ascii = "must have its host in ASCII (xn--), because programs read these letters differently"

/** Spellings that two readers read differently, or that are no address to one of them. */
const misread: ReadonlyArray<readonly [spelling: string, why: string]> = [
  // Backslashes: the host is example.com to one reader, and 127.0.0.1 to the other.
  ["https://example.com\\@127.0.0.1/x", characters],
  ["https:\\\\127.0.0.1\\x", characters],
  ["https://127.0.0.1\\.example.com/", characters],
  ["https://example.com/a\\b", characters],
  // Characters that one reader skips and the other one does not.
  ["https://127.0.0\t.1/", characters],
  ["https://127.0.0.1\n.example.com/", characters],
  ["https://example.com/\r\nHost: inside", characters],
  [" https://example.com/", characters],
  ["https://example.com/ ", characters],
  ["https://example.com/a b", characters],
  ["https://example.com/\u0000", characters],
  ["https://example.com/\u007f", characters],
  ["https://exam\u00adple.com/", characters],
  ["https://example.com/\u200b", characters],
  ["https://example.com/\u202e", characters],
  ["https://example.com/\ud800", characters],
  ["https://example.com/<x>", characters],
  ['https://example.com/"x"', characters],
  // Slashes: one reader makes two of them, whatever their number.
  ["https:///x", noHost],
  ["https:////example.com/", noHost],
  ["https://", none],
  ["https://?x", none],
  ["https://#x", none],
  ["https://:443/", none],
  ["https:/example.com/x", none],
  ["https:example.com/x", none],
  ["//example.com/x", none],
  ["example.com", none],
  ["", none],
  // Who it is, before an at sign.
  ["https://127.0.0.1@example.com/", user],
  ["https://@example.com/", user],
  ["https://:@example.com/", user],
  ["https://example.com:80@127.0.0.1/", user],
  ["https://a@b@example.com/", user],
  // Ports.
  ["https://example.com:/", port],
  ["https://example.com:0/", port],
  ["https://example.com:0443/", port],
  ["https://example.com:65536/", none],
  ["https://example.com:80:80/", none],
  ["https://example.com:8a/", none],
  // Hosts that one reader decodes.
  ["https://127.0.0.1%2eexample.com/", encoded],
  ["https://%31%32%37.0.0.1/", encoded],
  ["https://example%2Ecom/", encoded],
  ["https://example.com%00.x/", none],
  // Numbers that are an address to one reader, and a name to the other.
  ["https://2130706433/", decimal],
  ["https://0x7f000001/", decimal],
  ["https://0X7F.0.0.1/", decimal],
  ["https://0177.0.0.1/", decimal],
  ["https://127.1/", decimal],
  ["https://127.0.1/", decimal],
  ["https://0/", decimal],
  ["https://08.8.8.8/", none],
  ["https://256.1.1.1/", none],
  ["https://1.2.3.4.5/", none],
  ["https://example.1/", none],
  ["https://１２７.0.0.1/", decimal],
  // Dots at the end.
  ["https://example.com./", dot],
  ["https://127.0.0.1./", dot],
  ["https://localhost./", dot],
  ["https://a.localhost.:8443/", dot],
  // IPv6.
  ["https://[::ffff:127.0.0.1]/", mapped],
  ["https://[::ffff:7f00:1]/", mapped],
  ["https://[0:0:0:0:0:ffff:8.8.8.8]/", mapped],
  ["https://[fe80::1%25eth0]/", none],
  ["https://[fe80::1%eth0]/", none],
  ["https://[::1/", none],
  ["https://::1/", none],
  ["https://[v1.x]/", none],
  ["https://[127.0.0.1]/", none],
  ["https://[2620:fe::fe].example.com/", none],
  // Names.
  ["https://a..example.com/", noName],
  ["https://.example.com/", noName],
  ["https://-a.example.com/", noName],
  ["https://a-.example.com/", noName],
  ["https://a,b.example.com/", noName],
  ["https://example.com;x/", noName],
  ["https://example.com&x=/", noName],
  [`https://${"a".repeat(64)}.example.com/`, noName],
  [`https://${"a.".repeat(130)}example/`, noName],
  // Letters that become others, or other names to some.
  ["https://ｅxample.com/", ascii],
  ["https://example。com/", ascii],
  ["https://①.example/", ascii],
  ["https://straße.example/", ascii],
  ["https://βόλος.example/", ascii],
  ["https://bu\u0308cher.example/", ascii]
]

/** What goes on working, and where it leads. */
const read: ReadonlyArray<readonly [spelling: string, host: string]> = [
  ["https://example.com", "example.com"],
  ["https://example.com/", "example.com"],
  ["HTTPS://EXAMPLE.COM/X", "example.com"],
  ["https://hooks.slack.com/services/T0/B0/x", "hooks.slack.com"],
  ["https://example.com:8443/in?a=b&c[]=d&e={f}#g", "example.com:8443"],
  ["https://example.com:443/", "example.com"],
  ["https://example.com?x=https://user@127.0.0.1/", "example.com"],
  ["https://example.com/@127.0.0.1/", "example.com"],
  ["https://example.com/%5c%20%00/a:b", "example.com"],
  ["https://a_b.xn--bcher-kva.example/", "a_b.xn--bcher-kva.example"],
  ["https://bücher.example/straße?ö=ß", "xn--bcher-kva.example"],
  ["https://BÜCHER.example/", "xn--bcher-kva.example"],
  ["https://例え.テスト/", "xn--r8jz45g.xn--zckzah"],
  ["https://9.9.9.9:8443/x", "9.9.9.9:8443"],
  ["https://[2620:fe::fe]:8443/x", "[2620:fe::fe]:8443"],
  ["https://[2620:FE:0:0::FE]/", "[2620:fe::fe]"],
  ["https://1.example.com/", "1.example.com"],
  ["https://a--b.example/", "a--b.example"],
  ["http://example.com/", "example.com"]
]

describe("an address", () => {
  for (const [spelling, why] of misread) {
    it(`is refused: ${JSON.stringify(spelling)}`, () => assert.deepStrictEqual(readAddress(spelling), { why }))
  }

  for (const [spelling, host] of read) {
    it(`is read: ${JSON.stringify(spelling)}`, () => {
      const url = readAddress(spelling)
      assert.strictEqual("why" in url ? url.why : url.host, host)
    })
  }
})

/** Every name leads to the public internet: only its spelling can refuse it. */
const PublicNames = Layer.succeed(TenantNameLookup, (_, __, found) => found(null, [{ address: "9.9.9.9", family: 4 }]))

const guarded = (settings: Readonly<Record<string, string>> = {}) =>
  Connector.layer.pipe(
    Layer.provideMerge(Guard.layer),
    Layer.provide(PublicNames),
    Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown(settings)))
  )

const local = [
  "localhost",
  "LOCALHOST",
  "a.localhost",
  "a.b.LocalHost",
  "printer.local",
  "portico.default.svc.cluster.local",
  "metadata.google.internal",
  "router.home.arpa",
  "abc.onion",
  "abc.alt",
  "kubernetes",
  "portico"
]

const refusals = Effect.fnUntraced(function* (url: string) {
  const guard = yield* Guard
  const attempt = yield* Effect.flip((yield* Connector).post(url, { headers: {}, body: "" }))
  return [guard.refusal(url), yield* guard.refusalNow(url), attempt.why]
})

describe("an address that events are sent to", () => {
  it.live("is refused when it is configured, and at every attempt", () =>
    Effect.gen(function* () {
      for (const [spelling, why] of misread) {
        assert.deepStrictEqual(
          yield* refusals(spelling),
          Array.from({ length: 3 }, () => `it ${why}`),
          spelling
        )
      }
      for (const host of local) {
        assert.deepStrictEqual(yield* refusals(`https://${host}/`), [notThere, notThere, notThere], host)
      }
    }).pipe(Effect.provide(guarded()))
  )

  it.effect("may be any public name, also one that only begins like a reserved one", () =>
    Effect.gen(function* () {
      const guard = yield* Guard
      for (const host of ["localhost.example.com", "mylocalhost.example", "local.example", "internal.example.com"]) {
        assert.isUndefined(guard.refusal(`https://${host}/`), host)
        assert.isUndefined(yield* guard.refusalNow(`https://${host}/`), host)
      }
    }).pipe(Effect.provide(guarded()))
  )

  it.effect("may be a private name when its networks are allowed, but never localhost", () =>
    Effect.gen(function* () {
      const guard = yield* Guard
      for (const host of ["receiver", "receiver.internal", "receiver.local"]) {
        assert.isUndefined(guard.refusal(`https://${host}/`), host)
      }
      assert.strictEqual(guard.refusal("https://localhost/"), notThere)
    }).pipe(Effect.provide(guarded({ WEBHOOK_ALLOW_ADDRESSES: "10.9.0.0/16" })))
  )
})

import { assert, describe, it } from "@effect/vitest"
import { comparable, dataOf, recordsOf } from "@portico/domain/dns/data"
import { DnsSettings } from "@portico/domain/dns/DnsSettings"
import { qualify, targetName, zoneName } from "@portico/domain/dns/names"
import { ConfigProvider, Effect, Exit, Layer, Result } from "effect"
import * as fc from "fast-check"

const zone = "example.org."

/** What a name becomes, or `refused: why`. */
const told = (result: Result.Result<unknown, string>): unknown =>
  Result.match(result, { onSuccess: (_) => _, onFailure: (why) => `refused: ${why}` })

const labels = "labels have letters, digits, '_' and '-', with no '-' at either end"

describe("the name of a record", () => {
  const names: ReadonlyArray<readonly [string, string]> = [
    ["www", "www.example.org."],
    ["WWW", "www.example.org."],
    ["a.b", "a.b.example.org."],
    ["@", "example.org."],
    ["", "example.org."],
    ["*", "*.example.org."],
    ["*.sub", "*.sub.example.org."],
    ["_dmarc", "_dmarc.example.org."],
    ["_sip._tcp", "_sip._tcp.example.org."],
    ["xn--grn-ioa", "xn--grn-ioa.example.org."],
    ["example.org.", "example.org."],
    ["www.example.org.", "www.example.org."],
    ["WWW.Example.ORG.", "www.example.org."],
    ["www.example.com", "www.example.com.example.org."],
    ["evilexample.org", "evilexample.org.example.org."],
    [
      "www.example.org",
      "refused: 'www.example.org' would be 'www.example.org.example.org.': send 'www.example.org.' or 'www'"
    ],
    ["Example.org", "refused: 'Example.org' would be 'Example.org.example.org.': send 'Example.org.' or '@'"],
    ["www.example.com.", "refused: 'www.example.com.' is not inside the zone 'example.org.'"],
    ["evilexample.org.", "refused: 'evilexample.org.' is not inside the zone 'example.org.'"],
    ["org.", "refused: 'org.' is not inside the zone 'example.org.'"],
    [".", "refused: '.' is not inside the zone 'example.org.'"],
    ["a..b", "refused: 'a..b.example.org.' has an empty label"],
    ["-a", `refused: '-a.example.org.' has the label '-a': ${labels}`],
    ["a b", `refused: 'a b.example.org.' has the label 'a b': ${labels}`],
    ["a.*", `refused: 'a.*.example.org.' has the label '*': ${labels}`],
    ["a*", `refused: 'a*.example.org.' has the label 'a*': ${labels}`],
    ["@.example.org.", `refused: '@.example.org.' has the label '@': ${labels}`],
    ["grün", "refused: 'grün' is not ASCII: send its punycode form 'xn--grn-ioa'"],
    ["a".repeat(64), `refused: '${"a".repeat(64)}.example.org.' has a label of more than 63 characters`]
  ]
  for (const [given, wanted] of names) {
    it(`'${given.slice(0, 30)}' is ${wanted.slice(0, 60)}`, () =>
      assert.strictEqual(told(qualify(given, zone)), wanted))
  }

  it("ends with the zone's own spelling, because Designate compares it exactly", () => {
    assert.strictEqual(told(qualify("www.example.org.", "Example.org.")), "www.Example.org.")
    assert.strictEqual(told(qualify("WWW", "Example.org.")), "www.Example.org.")
    assert.strictEqual(told(qualify("@", "Example.org.")), "Example.org.")
  })

  const label = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,8}[a-z0-9])?$/)
  const short = fc.array(label, { minLength: 1, maxLength: 4 }).map((_) => _.join("."))
  const zones = fc.array(label, { minLength: 2, maxLength: 3 }).map((_) => `${_.join(".")}.`)

  it("is the same short and absolute, is inside the zone, and is stable when qualified again", () => {
    fc.assert(
      fc.property(short, zones, (name, zone) => {
        const absolute = `${name}.${zone}`
        const direct = qualify(absolute, zone)
        assert.deepStrictEqual(told(direct), absolute)
        assert.deepStrictEqual(told(Result.flatMap(direct, (_) => qualify(_, zone))), absolute)
        // A short one that happens to end with the zone's name is the mistake that is refused.
        const isTwofold = `${name}.` === zone || `${name}.`.endsWith(`.${zone}`)
        assert.strictEqual(Result.isFailure(qualify(name, zone)), isTwofold)
        if (!isTwofold) assert.deepStrictEqual(told(qualify(name, zone)), absolute)
      })
    )
  })

  it("is inside the zone, for any input", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.string().map((_) => `${_}.`),
          fc.string().map((_) => `${_}.${zone}`)
        ),
        (given) => {
          const name = Result.getOrUndefined(qualify(given, zone))
          assert.isTrue(name === undefined || name === zone || name.endsWith(`.${zone}`), given)
        }
      )
    )
  })
})

it("a zone's name is absolute and ASCII", () => {
  const names: ReadonlyArray<readonly [string, string]> = [
    ["Example.org.", "example.org."],
    ["a.b.c.example.org.", "a.b.c.example.org."],
    ["example.org", "refused: a zone's name ends with a dot: send 'example.org.'"],
    ["grün.example.", "refused: 'grün.example.' is not ASCII: send its punycode form 'xn--grn-ioa.example.'"],
    ["*.example.org.", `refused: '*.example.org.' has the label '*': ${labels}`],
    ["example..", "refused: 'example..' has an empty label"],
    [".", "refused: '.' is the root of all names"],
    ["", "refused: a zone has a name such as 'example.org.'"]
  ]
  for (const [given, wanted] of names) assert.strictEqual(told(zoneName(given)), wanted)
  const long = `${"a".repeat(63)}.`.repeat(4)
  assert.match(String(told(zoneName(long))), /is longer than 253 characters$/)
  assert.strictEqual(told(targetName("www")), "refused: a record's target is an absolute name: send 'www.'")
})

describe("the data of a record", () => {
  const mx = "refused: an MX record is a preference and a mail server such as 10 mail.example.org."
  const a = "refused: an A record is an IPv4 address such as 192.0.2.1"
  const aaaa = "refused: an AAAA record is an IPv6 address such as 2001:db8::1"
  const escape = "refused: an escape is \\ and a character, or \\ and three digits up to 255"
  const data: ReadonlyArray<readonly ["A" | "AAAA" | "CNAME" | "MX" | "TXT", string, string]> = [
    ["A", "192.0.2.1", "192.0.2.1"],
    ["A", "192.0.2.01", a],
    ["A", "192.0.2.1 ", a],
    ["A", "2001:db8::1", a],
    ["A", "www.example.org.", a],
    ["AAAA", "2001:DB8:0:0::1", "2001:db8::1"],
    ["AAAA", "::ffff:192.0.2.1", "::ffff:192.0.2.1"],
    ["AAAA", "fe80::1%eth0", aaaa],
    ["AAAA", "192.0.2.1", aaaa],
    ["CNAME", "WWW.example.net.", "www.example.net."],
    ["CNAME", "_x.example.net.", "_x.example.net."],
    ["CNAME", "www", "refused: a record's target is an absolute name: send 'www.'"],
    ["CNAME", "*.example.net.", `refused: '*.example.net.' has the label '*': ${labels}`],
    ["MX", "10 Mail.example.org.", "10 mail.example.org."],
    ["MX", "010  mail.example.org.", "10 mail.example.org."],
    ["MX", "0 .", "0 ."],
    ["MX", "mail.example.org.", mx],
    ["MX", "65536 mail.example.org.", mx],
    ["MX", "-1 mail.example.org.", mx],
    ["MX", "10 mail.example.org", "refused: a record's target is an absolute name: send 'mail.example.org.'"],
    ["TXT", "v=spf1 -all", '"v=spf1 -all"'],
    ["TXT", "", '""'],
    ["TXT", 'say "hi" \\o/', '"say \\"hi\\" \\\\o/"'],
    ["TXT", "a;b", '"a;b"'],
    ["TXT", "grün 😀", '"gr\\195\\188n \\240\\159\\152\\128"'],
    ["TXT", "a\nb\t", '"a\\010b\\009"'],
    ["TXT", '"v=spf1 -all"', '"v=spf1 -all"'],
    ["TXT", '"one"   "two"', '"one" "two"'],
    ["TXT", '"\\065\\;"', '"A;"'],
    ["TXT", '"one" two', '"\\"one\\" two"'],
    ["TXT", '"half', '"\\"half"'],
    ["TXT", '"\\256"', escape],
    ["TXT", '"\\1"', escape],
    [
      "TXT",
      `"${"x".repeat(256)}"`,
      "refused: a quoted string of a TXT record has at most 255 bytes: split it, or send it without quotes"
    ],
    ["TXT", "x".repeat(253), `"${"x".repeat(253)}"`],
    ["TXT", "x".repeat(256), `"${"x".repeat(253)}" "xxx"`],
    ["TXT", "ü".repeat(40), `"${"\\195\\188".repeat(31)}\\195" "\\188${"\\195\\188".repeat(8)}"`],
    ["TXT", `"${"x".repeat(255)}" "y"`, `"${"x".repeat(253)}" "xx" "y"`]
  ]
  for (const [type, given, wanted] of data) {
    it(`${type} ${JSON.stringify(given.slice(0, 30))} is ${wanted.slice(0, 50)}`, () =>
      assert.strictEqual(told(dataOf(type, given)), wanted))
  }

  it("has one spelling, which is stable", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 600 }), (text) => {
        const once = Result.getOrUndefined(dataOf("TXT", text))
        if (once === undefined) return
        assert.match(once, /^"[ -~]*"$/)
        assert.strictEqual(told(dataOf("TXT", once)), once)
        assert.strictEqual(comparable("TXT", once), once)
      })
    )
  })

  it("is a set with an error for each invalid place", () => {
    assert.deepStrictEqual(told(recordsOf("A", ["192.0.2.2", "192.0.2.1", "192.0.2.2"])), ["192.0.2.2", "192.0.2.1"])
    assert.strictEqual(told(recordsOf("A", ["192.0.2.2", "x"])), `refused: records[1]: ${a.slice("refused: ".length)}`)
    assert.strictEqual(
      told(recordsOf("CNAME", ["a.example.", "b.example."])),
      "refused: records: a CNAME has one record"
    )
  })
})

describe("the platform's own namespace", () => {
  const settings = (zones: string) =>
    Effect.provide(
      DnsSettings,
      DnsSettings.layer.pipe(
        Layer.provide(
          ConfigProvider.layer(
            ConfigProvider.fromUnknown({ PLATFORM_DNS_ZONES: zones, EDGE_DOMAIN: "edge.cloud.test" })
          )
        )
      )
    )

  const reserved: ReadonlyArray<readonly [string, boolean]> = [
    ["cloud.example.", true],
    ["CLOUD.Example.", true],
    ["cloud.example", true],
    ["a.cloud.example.", true],
    ["b.a.cloud.example.", true],
    ["evilcloud.example.", false],
    ["cloud.example.org.", false],
    ["example.", true],
    ["other.example.", false],
    ["internal.test.", true],
    ["test.", true],
    ["edge.cloud.test.", true],
    ["Edge.Cloud.TEST", true],
    ["web.edge.cloud.test.", true],
    ["cloud.test.", true],
    ["badedge.cloud.test.", false],
    ["other.cloud.test.", false],
    ["in-addr.arpa.", true],
    ["113.0.203.in-addr.arpa", true],
    ["IP6.ARPA.", true],
    ["8.b.d.0.1.0.0.2.ip6.arpa.", true],
    ["co.uk.", true],
    ["CO.UK", true],
    ["globex.co.uk.", false],
    ["a.globex.co.uk.", false],
    ["kawasaki.jp.", true],
    ["acme.kawasaki.jp.", true],
    ["city.kawasaki.jp.", false],
    ["eu.org.", true],
    ["acme.eu.org.", false],
    ["uk.com.", true],
    ["acme.com.", false],
    ["com.", false],
    ["_acme-challenge.acme.com.", false],
    ["home.arpa.", true],
    ["lab.home.arpa.", false],
    [`${"a.".repeat(100_000)}co.uk.`, false]
  ]
  it.effect("ends at a label boundary, and a zone around it belongs to it", () =>
    Effect.gen(function* () {
      const { email, refusalOf } = yield* settings(" Cloud.Example. , internal.test")
      assert.deepStrictEqual(
        reserved.map(([name]) => [name, refusalOf(name) !== undefined]),
        reserved.map(([name, is]) => [name, is])
      )
      assert.strictEqual(email("example.org."), "hostmaster@example.org")
      const none = yield* settings("")
      const alone = [
        "cloud.example.",
        "edge.cloud.test.",
        "a.edge.cloud.test.",
        "cloud.test.",
        "test.",
        "x.cloud.test."
      ]
      assert.deepStrictEqual(
        alone.map((_) => none.refusalOf(_) !== undefined),
        [false, true, true, true, false, false]
      )
      assert.isTrue(Exit.isFailure(yield* Effect.exit(settings("cloud example."))))
    })
  )
})

import { assert, describe, it } from "@effect/vitest"
import { textOf } from "@portico/domain/dns/data"
import { readZoneFile } from "@portico/domain/dns/zoneFile"
import * as fc from "fast-check"

const zone = "example.org."

/** A file's records as `name ttl type data`, or what is wrong with it as `line: why`. */
const read = (text: string): ReadonlyArray<string> => {
  const { problems, records } = readZoneFile(text, zone)
  return problems.length > 0
    ? problems.map(({ line, msg }) => `${line}: ${msg}`)
    : records.map(({ data, name, ttl, type }) => `${name} ${ttl ?? "-"} ${type} ${data}`)
}

const outside = "'www.example.net.' is not inside the zone 'example.org.'"
const a = "an A record is an IPv4 address such as 192.0.2.1"

const files: ReadonlyArray<readonly [what: string, file: string, records: ReadonlyArray<string>]> = [
  ["nothing", "", []],
  ["comments and empty lines alone", "; hello\n\n  ; again\n", []],
  ["a relative owner", "www A 192.0.2.1\n", ["www.example.org. - A 192.0.2.1"]],
  ["an absolute owner", "WWW.Example.Org. a 192.0.2.1", ["www.example.org. - A 192.0.2.1"]],
  ["the zone itself", "@ A 192.0.2.1", ["example.org. - A 192.0.2.1"]],
  ["a wildcard", "*.w A 192.0.2.1", ["*.w.example.org. - A 192.0.2.1"]],
  [
    "an owner that is left out",
    "www A 192.0.2.1\n\tA 192.0.2.2\n  TXT hi\nftp A 192.0.2.3",
    [
      "www.example.org. - A 192.0.2.1",
      "www.example.org. - A 192.0.2.2",
      'www.example.org. - TXT "hi"',
      "ftp.example.org. - A 192.0.2.3"
    ]
  ],
  [
    "an owner that is left out with nothing before it",
    " A 192.0.2.1",
    ["1: no owner: there is no record before this one"]
  ],
  [
    "an owner that is left out behind another origin",
    "www A 192.0.2.1\n$ORIGIN sub\n  A 192.0.2.2\n@ A 192.0.2.3\n$ORIGIN a.example.org.\nb A 192.0.2.4",
    [
      "www.example.org. - A 192.0.2.1",
      "www.example.org. - A 192.0.2.2",
      "sub.example.org. - A 192.0.2.3",
      "b.a.example.org. - A 192.0.2.4"
    ]
  ],
  [
    "a time and a class, in either order",
    "a 60 IN A 192.0.2.1\nb IN 60 A 192.0.2.1",
    ["a.example.org. 60 A 192.0.2.1", "b.example.org. 60 A 192.0.2.1"]
  ],
  [
    "times with units",
    "a 1h30m A 192.0.2.1\nb 1W2D A 192.0.2.1",
    ["a.example.org. 5400 A 192.0.2.1", "b.example.org. 777600 A 192.0.2.1"]
  ],
  ["no time at all", "a 0 A 192.0.2.1", ["a.example.org. 0 A 192.0.2.1"]],
  [
    "$TTL, from where it stands",
    "a A 192.0.2.1\n$TTL 1h\nb A 192.0.2.1\nc 60 A 192.0.2.1\nd A 192.0.2.1\n$TTL 5\ne A 192.0.2.1",
    [
      "a.example.org. - A 192.0.2.1",
      "b.example.org. 3600 A 192.0.2.1",
      "c.example.org. 60 A 192.0.2.1",
      "d.example.org. 3600 A 192.0.2.1",
      "e.example.org. 5 A 192.0.2.1"
    ]
  ],
  [
    "the last time that was given, without $TTL",
    "a 60 A 192.0.2.1\nb A 192.0.2.1",
    ["a.example.org. 60 A 192.0.2.1", "b.example.org. 60 A 192.0.2.1"]
  ],
  [
    "owners that look like something else",
    "300 A 192.0.2.1\nIN A 192.0.2.1\nA A 192.0.2.1",
    ["300.example.org. - A 192.0.2.1", "in.example.org. - A 192.0.2.1", "a.example.org. - A 192.0.2.1"]
  ],
  [
    "parentheses over lines",
    't TXT ( a ; one (\n "b"\n) c ; end\nu (\n A ( 192.0.2.1 ) )',
    ['t.example.org. - TXT "a" "b" "c"', "u.example.org. - A 192.0.2.1"]
  ],
  [
    "quotes, comments and escapes",
    't TXT "a;b" c\\;d "e\\"f" "\\065" "" ; x',
    ['t.example.org. - TXT "a;b" "c;d" "e\\"f" "A" ""']
  ],
  ["strings that touch", 't TXT a"b""c"d', ['t.example.org. - TXT "a" "b" "c" "d"']],
  ["text beyond ASCII", "t TXT grün", ['t.example.org. - TXT "gr\\195\\188n"']],
  [
    "lines of Windows",
    "a A 192.0.2.1\r\n  A 192.0.2.2\r\n",
    ["a.example.org. - A 192.0.2.1", "a.example.org. - A 192.0.2.2"]
  ],
  [
    "names in data",
    "$ORIGIN sub.example.org.\na CNAME b\nc CNAME @\n@ MX 10 mail\n@ MX 0 .",
    [
      "a.sub.example.org. - CNAME b.sub.example.org.",
      "c.sub.example.org. - CNAME sub.example.org.",
      "sub.example.org. - MX 10 mail.sub.example.org.",
      "sub.example.org. - MX 0 ."
    ]
  ],
  ["an address of IPv6", "a AAAA 2001:DB8:0::1", ["a.example.org. - AAAA 2001:db8::1"]],
  ["$INCLUDE", "$INCLUDE /etc/passwd", ["1: $INCLUDE is not supported: write out what it stands for"]],
  ["$GENERATE", "\n$generate 1-9 a$ A 192.0.2.$", ["2: $GENERATE is not supported: write out what it stands for"]],
  [
    "a directive without its value",
    "$TTL\n$ORIGIN a b\n$TTL soon",
    ["1: $TTL takes one value", "2: $ORIGIN takes one value", "3: $TTL takes seconds, or a time such as 1h30m"]
  ],
  [
    "every mistake by its line",
    "a A 192.0.2.300\n\nb A ; none\nc A 192.0.2.1 192.0.2.2\nd 192.0.2.5\ne",
    [`1: ${a}`, "3: A takes 1 value", "4: A takes 1 value", "5: '192.0.2.5' is not a record type", "6: no record type"]
  ],
  ["a mistake within parentheses, by the first line", "a A 192.0.2.1\nb (\nMX\n10 )", ["2: MX takes 2 values"]],
  ["another class", "a CH A 192.0.2.1", ["1: class CH: only IN is served"]],
  ["another zone's name", "www.example.net. A 192.0.2.1", [`1: ${outside}`]],
  ["an origin elsewhere", "$ORIGIN example.net.\nwww A 192.0.2.1", [`2: ${outside}`]],
  ["a quote without an end", 'a TXT "b\nc A 192.0.2.1', ["1: a quote that is not closed on its line"]],
  ["parentheses without an end or a beginning", "a TXT ( b\nc TXT d", ["1: a parenthesis that is never closed"]],
  ["a parenthesis too many", "a TXT b )\n", ["1: a parenthesis that none opened"]],
  ["an escape in a name", "a\\.b A 192.0.2.1", ["1: an escape in a name: no name with one is served"]],
  ["a wrong escape", 'a TXT "\\300"', ["1: an escape is \\ and a character, or \\ and three digits up to 255"]],
  [
    "a string that is too long",
    `a TXT ${"x".repeat(256)}`,
    ["1: a string of a TXT record has at most 255 bytes: split it into several"]
  ],
  [
    "an origin that is longer than any name, which is not put behind other names",
    `$ORIGIN ${"x.".repeat(15_000)}\na A 192.0.2.1`,
    [`1: '${"x.".repeat(31)}x…' is longer than 253 characters`]
  ],
  [
    "an owner that becomes longer than any name",
    `$ORIGIN ${"x.".repeat(100)}example.org.\n${"y.".repeat(40)}y A 192.0.2.1`,
    [`2: '${"y.".repeat(31)}y…' is longer than 253 characters`]
  ],
  ["a time that is too long", "a 2147483648 A 192.0.2.1", ["1: '2147483648' is not a record type"]],
  [
    "the root as its origin, as BIND and PowerDNS write it",
    "$ORIGIN .\n$TTL 60\nexample.org IN SOA ns1 host 1 2 3 4 5\n A 192.0.2.1\n MX 10 mail.example.org\n MX 0 @\n" +
      "a.example.org CNAME b.example.org\n$ORIGIN example.org\nc A 192.0.2.3\n$ORIGIN sub\nd CNAME @",
    [
      "example.org. 60 A 192.0.2.1",
      "example.org. 60 MX 10 mail.example.org.",
      "example.org. 60 MX 0 .",
      "a.example.org. 60 CNAME b.example.org.",
      "c.example.org. 60 A 192.0.2.3",
      "d.sub.example.org. 60 CNAME sub.example.org."
    ]
  ],
  ["the root as an owner", "$ORIGIN .\n@ A 192.0.2.1", ["2: '.' is not inside the zone 'example.org.'"]],
  ["another zone's name below the root", "$ORIGIN .\nwww.example.net A 192.0.2.1", [`2: ${outside}`]],
  ["an alias of the root", "a CNAME .", ["1: '.' is the root of all names"]],
  [
    "types, classes and data in the generic spelling",
    "a CLASS1 TYPE1 192.0.2.1\nb A \\# 4 C0000202\nc type1 \\# 4 ( C000\n 0203 )\nd TYPE28 \\# 16 20010db8000000000000000000000001\n" +
      "e TYPE5 \\# 15 0177076578616d706c65036f726700\nf TYPE15 \\# 5 000a016100\ng MX \\# 3 000000\nh TYPE016 \\# 8 046b656570 020022",
    [
      "a.example.org. - A 192.0.2.1",
      "b.example.org. - A 192.0.2.2",
      "c.example.org. - A 192.0.2.3",
      "d.example.org. - AAAA 2001:db8::1",
      "e.example.org. - CNAME w.example.org.",
      "f.example.org. - MX 10 a.",
      "g.example.org. - MX 0 .",
      'h.example.org. - TXT "keep" "\\000\\""'
    ]
  ],
  [
    "texts that begin like the generic spelling",
    'u TXT \\# abc\nv TXT "\\#" 4\nw TXT \\#',
    ['u.example.org. - TXT "#" "abc"', 'v.example.org. - TXT "#" "4"', 'w.example.org. - TXT "#"']
  ],
  [
    "generic data that is not what it says",
    "a A \\# 5 C0000201\nb A \\# 5 C000020101\nc TXT \\# 0\nd TXT \\# 2 0261\ne CNAME \\# 2 c000\nf CNAME \\# 3 016161\n" +
      "g CNAME \\# 5 03612e6200\nh MX \\# 2 0000\ni AAAA \\# 1 00\nj A \\# 4 C00002g1\nk CNAME \\# 4 00016100",
    [
      "1: data behind \\# is its length in bytes and as many bytes in hexadecimal",
      "2: an A record has 4 bytes",
      "3: a TXT record has at least one string, each behind its length",
      "4: a TXT record has at least one string, each behind its length",
      "5: the data is not a name: its labels, each behind its length, and a zero byte",
      "6: the data is not a name: its labels, each behind its length, and a zero byte",
      "7: the name in the data has a label with other characters than letters, digits, '_' and '-'",
      "8: an MX record has 2 bytes and a name",
      "9: an AAAA record has 16 bytes",
      "10: data behind \\# is its length in bytes and as many bytes in hexadecimal",
      "11: the data is not a name: its labels, each behind its length, and a zero byte"
    ]
  ],
  [
    "a class and a type that no number has",
    "a CLASS3 A 192.0.2.1\nb TYPE65536 \\# 0",
    ["1: class CLASS3: only IN is served", "2: 'TYPE65536' is not a record type"]
  ],
  ["a class that stands twice", "a IN IN A 192.0.2.1", ["1: 'IN' is not a record type"]],
  ["a type in quotes", 'a "A" 192.0.2.1', ["1: 'A' is not a record type"]],
  ["a type that becomes one in upper case", "a \u017fRV 1 2 3 b", ["1: '\u017fRV' is not a record type"]],
  [
    "a name that becomes ASCII in lower case",
    "\u212aey A 192.0.2.1",
    ["1: '\u212aey.example.org.' is not ASCII: send its punycode form 'key.example.org.'"]
  ],
  [
    "Unicode white space in a text",
    "t TXT a\u3000b\u00a0c\u2028d\ve\ff",
    ['t.example.org. - TXT "a\\227\\128\\128b\\194\\160c\\226\\128\\168d\\011e\\012f"']
  ],
  ["a byte order mark", "\ufeffa A 192.0.2.1", ["a.example.org. - A 192.0.2.1"]],
  ["a byte order mark that is a text", "a TXT \ufeffb", ['a.example.org. - TXT "\\239\\187\\191b"']],
  [
    "lines that end with CR alone",
    "a TXT b\rc TXT d ; e\rf TXT g",
    ['a.example.org. - TXT "b"', 'c.example.org. - TXT "d"', 'f.example.org. - TXT "g"']
  ],
  [
    "an SOA without a time, whose minimum is the default for others",
    "@ SOA ns1 host 1 2 3 4 5\na A 192.0.2.1\nb 60 A 192.0.2.1\nc A 192.0.2.1",
    ["a.example.org. - A 192.0.2.1", "b.example.org. 60 A 192.0.2.1", "c.example.org. - A 192.0.2.1"]
  ],
  [
    "an SOA with a time, which is the last one",
    "@ 77 SOA ns1 host 1 2 3 4 5\na A 192.0.2.1\nb 60 A 192.0.2.1\nc A 192.0.2.1",
    ["a.example.org. 77 A 192.0.2.1", "b.example.org. 60 A 192.0.2.1", "c.example.org. 60 A 192.0.2.1"]
  ]
]

describe("a zone file", () => {
  for (const [what, file, records] of files) {
    it(`has ${what}`, () => assert.deepStrictEqual(read(file), records))
  }

  it("may have records that are skipped, each listed with its line", () => {
    const { problems, records, skipped } = readZoneFile(
      "$TTL 60\n@ SOA ns1 host (\n 1 2 3 4 5 )\n@ NS ns1\nsub NS ns.elsewhere.example.\n_sip._tcp SRV 1 2 3 sip\nx TYPE65280 \\# 1 00\nwww A 192.0.2.1",
      zone
    )
    assert.deepStrictEqual(problems, [])
    assert.strictEqual(records.length, 1)
    assert.deepStrictEqual(skipped, [
      { line: 2, why: "SOA records are written by the platform alone" },
      { line: 4, why: "NS records are written by the platform alone" },
      { line: 5, why: "NS records are written by the platform alone" },
      { line: 6, why: "records of type SRV are not written here" },
      { line: 7, why: "records of type TYPE65280 are not written here" }
    ])
  })

  const skipsOf = (text: string) => readZoneFile(text, zone).skipped

  it("may have unknown types, each listed with its line", () => {
    const { problems, skipped } = readZoneFile(
      "x DSYNC CDS NOTIFY 5359 ns.example.net.\ny FOO-2 bar\nz type6 \\# 0",
      zone
    )
    assert.deepStrictEqual(problems, [])
    assert.deepStrictEqual(skipped, [
      { line: 1, why: "records of type DSYNC are not written here" },
      { line: 2, why: "the record type FOO-2 is not known here", unknownType: "FOO-2" },
      { line: 3, why: "SOA records are written by the platform alone" }
    ])
  })

  it("notes where the minimum of an SOA is ignored, and only there", () => {
    const soa = "@ SOA ns1 host 1 2 3 4 5\n"
    const plain = "SOA records are written by the platform alone"
    const told = `${plain}, and without $TTL its minimum is not used: the zone's ttl is`
    const cases = [
      [`${soa}a A 192.0.2.1`, told],
      [`${soa}b 60 A 192.0.2.1\na A 192.0.2.1`, told],
      [`${soa}a 60 A 192.0.2.1`, plain],
      [`${soa}b SRV 1 2 3 c`, plain],
      [`$TTL 60\n${soa}a A 192.0.2.1`, plain],
      [`${soa}$TTL 60\na A 192.0.2.1`, plain],
      [`@ 60 SOA ns1 host 1 2 3 4 5\na A 192.0.2.1`, plain]
    ] as const
    for (const [text, why] of cases) assert.strictEqual(skipsOf(text)[0]?.why, why, text)
    assert.deepStrictEqual(skipsOf("a A 192.0.2.1"), [])
  })

  const label = fc.stringMatching(/^[a-z0-9_]([a-z0-9-]{0,6}[a-z0-9])?$/)
  const name = fc.oneof(
    fc.constant(zone),
    fc.array(label, { minLength: 1, maxLength: 3 }).map((_) => `${_.join(".")}.${zone}`)
  )
  const host = fc.array(label, { minLength: 1, maxLength: 3 }).map((_) => `${_.join(".")}.`)
  const bytes = fc.uint8Array({ maxLength: 40 })
  const data = fc.oneof(
    fc.ipV4().map((_) => ({ type: "A" as const, data: _ })),
    host.map((_) => ({ type: "CNAME" as const, data: _ })),
    fc.tuple(fc.nat(65_535), host).map(([preference, _]) => ({ type: "MX" as const, data: `${preference} ${_}` })),
    fc.array(bytes, { minLength: 1, maxLength: 3 }).map((_) => ({ type: "TXT" as const, data: textOf(_) }))
  )
  const record = fc.record({ name, ttl: fc.nat(2_147_483_647), data })
  /** The ways of writing the same thing that are chosen between. */
  const style = fc.record({
    relative: fc.boolean(),
    omit: fc.boolean(),
    classFirst: fc.boolean(),
    noClass: fc.boolean(),
    parentheses: fc.boolean(),
    comment: fc.boolean(),
    upper: fc.boolean(),
    blank: fc.constantFrom(" ", "\t", "   "),
    end: fc.constantFrom("\n", "\r\n", "\n\n; (\n")
  })

  it("in any valid notation is read the same", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(record, style), { maxLength: 8 }), (lines) => {
        let before: string | undefined
        const text = lines
          .map(
            ([
              {
                data: { data, type },
                name,
                ttl
              },
              style
            ]) => {
              const short = style.relative ? (name === zone ? "@" : name.slice(0, -zone.length - 1)) : name
              const owner = style.omit && before === name ? "" : style.upper ? short.toUpperCase() : short
              before = name
              const middle = style.noClass ? [ttl] : style.classFirst ? ["IN", ttl] : [ttl, "in"]
              const body = style.parentheses ? `(\n ${data} ; )"\n )` : data
              const words = [owner, ...middle, style.upper ? type : type.toLowerCase(), body]
              return `${words.join(style.blank)}${style.comment ? ' ; "' : ""}${style.end}`
            }
          )
          .join("")
        assert.deepStrictEqual(
          read(text),
          lines.map(([{ data, name, ttl }]) => `${name} ${ttl} ${data.type} ${data.data}`),
          text
        )
      }),
      { numRuns: 500 }
    )
  })

  it("of random words is read in time, with its records inside the zone", () => {
    const words = fc.constantFrom(
      "www",
      "A",
      "192.0.2.1",
      "\n",
      " ",
      "(",
      ")",
      '"',
      ";",
      "\\",
      "$TTL",
      "$ORIGIN",
      "@",
      "IN",
      "60",
      "TXT",
      "\r",
      ".",
      "MX",
      "*"
    )
    fc.assert(
      fc.property(fc.array(words, { maxLength: 60 }), (pieces) => {
        const { records } = readZoneFile(pieces.join(" ").replaceAll(" \n ", "\n"), zone)
        for (const { name } of records) assert.isTrue(name === zone || name.endsWith(`.${zone}`))
      }),
      { numRuns: 500 }
    )
  })
})

import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as fc from "fast-check"
import { proxyTarget } from "../../src/proxy/path.ts"
import { patience, runs } from "./compared.ts"
import { accentReader, pathReaders, suffixReader } from "./paths.ts"
import { mostly } from "./spelled.ts"

const prefix = "/v1/iaas/"
const services = ["compute", "network", "volume", "image", "dns", "load-balancer", "key-manager", "identity"] as const

const words = fc.constantFrom(
  "servers",
  "detail",
  "routers",
  "security-group-rules",
  "os-security-group-rules",
  "auto-allocated-topology",
  "images",
  "locations",
  "v1",
  "secrets",
  "payload",
  "zones",
  "lbaas",
  "add_external_gateways",
  "os-volume_attachments"
)
const names = fc.constantFrom(
  "web",
  "my%20server",
  "m1.small",
  "a+b",
  "a:b@c,d=e",
  "~a-b_c.d!$&'()*",
  "%E2%82%AC",
  "stra%C3%9Fe",
  "%F0%9F%8C%8D",
  "...",
  "a..b",
  "Key.Pair",
  "%5B1%5D",
  "10%3A20",
  "%22quoted%22",
  "a%7Cb"
)

/** Paths as clients send them. Those of the load balancer hold words and ids. */
const ordinary = fc
  .constantFrom(...services)
  .chain((service) =>
    fc.tuple(
      fc.constant(service),
      words,
      fc.array(service === "load-balancer" ? fc.oneof(words, fc.uuid()) : fc.oneof(words, fc.uuid(), names), {
        maxLength: 4
      })
    )
  )
  .map((_) => _.flat().join("/"))

const pieces = [
  "%2e",
  "%2E%2e",
  "..",
  ".",
  "/",
  "//",
  "%2f",
  "%2F",
  "%252f",
  "%252e%252e",
  "%5c",
  "\\",
  ";x=1",
  "%3b",
  "%3Bx",
  "%00",
  "%23",
  "#",
  "%3f",
  "%20",
  "%0a",
  "%0D%0A",
  "%7f",
  "%c0%ae",
  "%c0%af",
  "%ff",
  "%e2%82",
  "%ef%bc%8f",
  "%u002f",
  "%",
  "%2",
  "%zz",
  "%25",
  "%73",
  "%53",
  "%2d",
  "%5f",
  "%7e",
  "%30",
  ".json",
  ".JSON",
  ".xml",
  ".json%20",
  "/../",
  "/./",
  "/..;/",
  "/.%2e/",
  "\u00e9",
  "\uff0e",
  " ",
  "\t",
  "{",
  "|",
  "^",
  "`",
  "<",
  '"'
]

/** An ordinary path with something slipped in. */
const slipped = fc
  .tuple(
    ordinary,
    fc.constantFrom(...pieces),
    fc.nat({ max: 60 }),
    mostly(fc.constant(""), fc.constantFrom("/", "/..", "/."), 3)
  )
  .map(([path, piece, at, end]) => `${path.slice(0, at)}${piece}${path.slice(at)}${end}`)

/** One of its letters encoded, once or twice. */
const encoded = fc.tuple(ordinary, fc.nat({ max: 60 }), fc.boolean()).map(([path, at, twice]) => {
  const letter = path.charAt(at)
  if (letter === "" || letter === "%") return path
  const once = `%${letter.charCodeAt(0).toString(16)}`
  return `${path.slice(0, at)}${twice ? once.replace("%", "%25") : once}${path.slice(at + 1)}`
})

const targets = fc.oneof(ordinary, slipped, slipped, encoded)

/** Services whose frameworks take a format off the end. */
const formatted: ReadonlySet<string> = new Set(["compute", "network", "volume", "load-balancer"])

describe("a forwarded path has one meaning", () => {
  it("every reader gets the gateway's meaning, from the original and the forwarded path", patience, () => {
    const counts = { accepted: 0, refused: 0 }
    const parameters = runs(6_000)
    fc.assert(
      fc.property(targets, (path) => {
        const read = proxyTarget(`${prefix}${path}`, prefix)
        if (Result.isFailure(read)) {
          counts.refused++
          assert.isAbove(read.failure.detail.length, 10)
          return
        }
        counts.accepted++
        const { segments, service } = read.success
        const onward = [service, ...segments].join("/")
        const meant = [service, ...segments].map(decodeURIComponent)
        const readers = [
          ...pathReaders,
          ...(formatted.has(service) ? [suffixReader] : []),
          ...(service === "load-balancer" ? [accentReader] : [])
        ]
        for (const { name, read } of readers) {
          assert.deepStrictEqual(read(onward), meant, `${name} reads ${onward} otherwise`)
          assert.deepStrictEqual(read(path.replace(/\/$/, "")), meant, `${name} reads ${path} otherwise`)
        }
        assert.deepStrictEqual(
          proxyTarget(`${prefix}${onward}`, prefix),
          Result.succeed({ ...read.success, slash: false })
        )
      }),
      parameters
    )
    assert.isAbove(counts.accepted, parameters.numRuns / 10)
    assert.isAbove(counts.refused, parameters.numRuns / 10)
  })

  it("words that rules match have one spelling", patience, () => {
    fc.assert(
      fc.property(targets, (path) => {
        const read = proxyTarget(`${prefix}${path}`, prefix)
        if (Result.isFailure(read)) return
        for (const [code] of path.matchAll(/%[0-7][0-9A-Fa-f]/g)) {
          assert.notMatch(decodeURIComponent(code), /[A-Za-z0-9._~-]/, `${code} in ${path}`)
        }
      }),
      runs(6_000)
    )
  })

  it("ordinary paths are never refused, and are forwarded unchanged", patience, () => {
    fc.assert(
      fc.property(
        ordinary,
        fc.constantFrom("", "/"),
        fc.constantFrom("", "?", "?a=%2e%2e/;x"),
        (path, slash, query) => {
          const [service = "", ...segments] = path.split("/")
          assert.deepStrictEqual(
            proxyTarget(`${prefix}${path}${slash}${query}`, prefix),
            Result.succeed({ service, segments, query: query === "" ? undefined : query.slice(1), slash: slash !== "" })
          )
        }
      ),
      runs(5_000)
    )
  })
})

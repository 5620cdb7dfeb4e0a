import { describe, it } from "@effect/vitest"
import type { PlatformCall } from "@portico/gateway/proxy/rules/Rule"
import * as fc from "fast-check"
import { actionVerdict, importVerdict, membersVerdict, restoreVerdict } from "./acts.ts"
import { agrees, patience } from "./compared.ts"
import { refuses } from "./decided.ts"
import { documented } from "./documented.ts"
import { bytes, id, idText, list, member, mostly, object, oneOf, type Raw, text } from "./spelled.ts"
import type { Arriving } from "./verdict.ts"
import { ifWellFormed } from "./wellFormed.ts"

/** The tier below the one that destroys. */
const operating: PlatformCall["caller"] = { admin: false, human: false, tier: 1 }

const show = ({ body, method, segments }: Arriving): string =>
  `${method} ${segments.join("/")} ${body === undefined ? "" : Buffer.from(body).toString("utf8")}`

const call = (segments: ReadonlyArray<string>, body: Raw): fc.Arbitrary<Arriving> =>
  fc.record({
    method: fc.constant("POST"),
    segments: id.map((id) => segments.map((_) => (_ === "ID" ? id : _))),
    headers: fc.constant<Arriving["headers"]>({ "content-type": "application/json" }),
    body: bytes(body)
  })

const keysOf = (service: "compute" | "volume", path: string): ReadonlyArray<string> =>
  (["destroys", "never", "operates"] as const).flatMap((_) =>
    documented[service][_].split("\n").flatMap((line) => {
      const [, at, key] = line.trim().split(" ")
      return at === path && key !== undefined ? [key] : []
    })
  )

const values: Raw = oneOf("null", "{}", '{"imageRef":"x"}', "true", "[]", '{"rotation":1}')

/** Now and then in other letters, several at once, or no object. */
const actions = (keys: ReadonlyArray<string>): Raw => {
  const named = fc.constantFrom(...keys).chain((_) => member(_, values))
  const odd = fc.constantFrom(...keys).chain((_) => member(_.toUpperCase(), values))
  return fc.oneof(
    { weight: 16, arbitrary: object(named) },
    { weight: 1, arbitrary: object(odd) },
    { weight: 1, arbitrary: object(named, named) },
    { weight: 1, arbitrary: list(object(named)) },
    { weight: 1, arbitrary: fc.constantFrom(...keys).chain(text) }
  )
}

describe("destructive acts are refused below tier 2 as the upstream reads them, and no others", () => {
  const collections = [
    ["compute", "servers"],
    ["volume", "volumes"]
  ] as const
  for (const [service, collection] of collections) {
    it(`actions of ${collection}`, patience, () => {
      agrees(call([collection, "ID", "action"], actions(keysOf(service, `${collection}/*/action`))), {
        verdict: ifWellFormed(actionVerdict(service, collection)),
        refuses: refuses(service, { caller: operating }),
        show
      })
    })
  }

  it("backups that are restored", patience, () => {
    const volume = fc.oneof(idText, idText, oneOf("null", "null", '""', "0", "false", "[]"))
    const restore = object(
      mostly(member("volume_id", volume, fc.oneof(idText, oneOf("null"))), fc.constant([]), 2),
      mostly(member("name", oneOf('"fresh"', '"volume_id"')), fc.constant([]))
    )
    const body = mostly(object(member("restore", restore, restore)), fc.oneof(restore, list(restore)))
    agrees(call(["backups", "ID", "restore"], body), {
      verdict: ifWellFormed(restoreVerdict),
      refuses: refuses("volume", { caller: operating }),
      show
    })
  })

  it("imports of images from an address", patience, () => {
    const name = fc.oneof(
      text("web-download"),
      text("glance-download"),
      text("glance-direct"),
      text("copy-image"),
      oneOf('"Web-Download"', '"web-download "', "null", "[]")
    )
    const method = object(member("name", name, name), mostly(member("uri", oneOf('"http://h/x"')), fc.constant([])))
    const body = mostly(object(member("method", method, method)), fc.oneof(method, list(method)))
    agrees(call(["images", "ID", "import"], body), {
      verdict: ifWellFormed(importVerdict),
      refuses: refuses("image"),
      show
    })
  })

  it("members of a pool that a list omits", patience, () => {
    const value = fc.constantFrom("true", "True", "true", "false", "1", "yes", "0", "", " true", "TRUE", "no", "null")
    const query = mostly(
      value.map((_) => `additive_only=${encodeURIComponent(_)}`),
      fc.oneof(
        fc.constantFrom("", "additive_only", "Additive_only=true", "additive-only=true", "x=additive_only%3Dtrue"),
        fc.tuple(value, value).map(([one, other]) => `additive_only=${one}&additive_only=${other}`),
        value.map((_) => `additive%5Fonly=${_}`)
      ),
      2
    )
    const segments = ["lbaas", "pools", "0d7e5f1c-9a3b-4c58-8e21-6f4b7a90c2d3", "members"]
    const body = Buffer.from('{"members":[]}')
    agrees(query, {
      verdict: membersVerdict,
      refuses: (query) =>
        refuses("load-balancer", { caller: operating, query })({ method: "PUT", segments, headers: {}, body }),
      show: (_) => _
    })
  })
})

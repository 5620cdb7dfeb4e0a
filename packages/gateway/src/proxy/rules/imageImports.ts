import { Forbidden } from "@portico/contract/Failures"
import { Effect, Predicate } from "effect"
import { word } from "../../acts/reading.ts"
import type { PlatformCall, Rule } from "./Rule.ts"

/** Ways of import whose bytes are here already: staged by the client, or another store's copy of the image. */
const harmless: ReadonlySet<unknown> = new Set(["glance-direct", "copy-image"])

/**
 * No tenant makes Glance fetch an address: neither by `web-download`, nor from
 * another Glance by `glance-download`, nor by a way that is not known here.
 * The address cannot be checked instead. Glance looks the name up again when
 * it fetches, follows redirects, and may do so from a network that reaches
 * what the gateway cannot see, so that no answer to a check is still true
 * then. Uploads and staged data need no address.
 */
export const imageImports: Rule = {
  concerns: (call) => (isImport(call) ? "body" : "nothing"),
  check: Effect.fnUntraced(function* (call, body) {
    if (!isImport(call)) return
    const method = Predicate.isReadonlyObject(body) ? body["method"] : undefined
    const name = Predicate.isReadonlyObject(method) ? method["name"] : undefined
    // Without a name Glance refuses it in its own words.
    if (name !== undefined && !harmless.has(name)) return yield* Forbidden.imageImport()
  })
}

const isImport = ({ caller, method, segments, service }: PlatformCall): boolean =>
  !caller.admin &&
  service === "image" &&
  method === "POST" &&
  word(segments[0]) === "images" &&
  word(segments[2]) === "import"

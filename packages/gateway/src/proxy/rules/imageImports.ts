import { Forbidden } from "@portico/contract/Failures"
import { Effect, Predicate } from "effect"
import { word } from "../../acts/reading.ts"
import type { PlatformCall, Rule } from "./Rule.ts"

/** Import methods that fetch no address: data that the client staged, or a copy of the image from another store. */
const harmless: ReadonlySet<unknown> = new Set(["glance-direct", "copy-image"])

/**
 * No tenant can make Glance fetch an address: neither by `web-download`, nor from another Glance by
 * `glance-download`, nor by an unknown method. A check of the address would not help. Glance resolves the name again
 * when it fetches, follows redirects, and may reach networks that the gateway cannot see, so the result of a check
 * may no longer hold. Uploads and staged data need no address.
 */
export const imageImports: Rule = {
  concerns: (call) => (isImport(call) ? "body" : "nothing"),
  check: Effect.fnUntraced(function* (call, body) {
    if (!isImport(call)) return
    const method = Predicate.isReadonlyObject(body) ? body["method"] : undefined
    const name = Predicate.isReadonlyObject(method) ? method["name"] : undefined
    // Glance itself rejects an import without a method name.
    if (name !== undefined && !harmless.has(name)) return yield* Forbidden.imageImport()
  })
}

const isImport = ({ caller, method, segments, service }: PlatformCall): boolean =>
  !caller.admin &&
  service === "image" &&
  method === "POST" &&
  word(segments[0]) === "images" &&
  word(segments[2]) === "import"

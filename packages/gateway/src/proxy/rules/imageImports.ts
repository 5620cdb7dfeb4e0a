import { Forbidden } from "@portico/contract/Failures"
import { Effect, Predicate } from "effect"
import { memberOf, word } from "../../acts/reading.ts"
import { type ConcernedCall, ruleAt } from "./Rule.ts"

/** Import methods that fetch no address: data that the client staged, or a copy of the image from another store. */
const harmless: ReadonlySet<unknown> = new Set(["glance-direct", "copy-image"])

/**
 * No tenant can make Glance fetch an address: neither by `web-download`, nor from another Glance by
 * `glance-download`, nor by an unknown method. A check of the address would not help. Glance resolves the name again
 * when it fetches, follows redirects, and may reach networks that the gateway cannot see, so the result of a check
 * may no longer hold. Uploads and staged data need no address.
 */
export const imageImports = ruleAt({
  at: (call) => isImport(call) || undefined,
  reads: () => "body",
  check: (_, call, body) => {
    const name = memberOf(body, "method", "name")
    // Glance itself rejects an import without a method name.
    return name === undefined || harmless.has(name) ? Effect.void : Forbidden.imageImport()
  }
})

/** Whether the call asks by which methods images can be imported, of which a tenant is told those that it may use. */
export const asksForImports = ({ caller, segments, service }: Pick<ConcernedCall, "caller" | "segments" | "service">) =>
  !caller.admin && service === "image" && segments.length === 2 && segments[0] === "info" && segments[1] === "import"

/** @param answer `{"import-methods": {"value": ["glance-direct", …], …}}` */
export const offeredImports = (answer: unknown): unknown => {
  const methods = memberOf(answer, "import-methods")
  const names = memberOf(methods, "value")
  if (!Predicate.isReadonlyObject(answer) || !Predicate.isReadonlyObject(methods) || !Array.isArray(names))
    return answer
  return { ...answer, "import-methods": { ...methods, value: names.filter((_) => harmless.has(_)) } }
}

const isImport = ({ caller, method, segments, service }: ConcernedCall): boolean =>
  !caller.admin &&
  service === "image" &&
  method === "POST" &&
  word(segments[0]) === "images" &&
  word(segments[2]) === "import"

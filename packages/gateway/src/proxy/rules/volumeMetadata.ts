import { Conflict } from "@portico/contract/Failures"
import { Effect, Predicate } from "effect"
import { isWrite, memberOf, word } from "../../acts/reading.ts"
import { type PlacedCall, ruleAt } from "./Rule.ts"

/** Nova allows a server half of these; with all of them, as long as Cinder takes them, the JSON has less than a megabyte. */
export const mostKeys = 256

/** A call that adds metadata to what a volume or a snapshot has. */
interface Adding {
  readonly what: "volume" | "snapshot"
  readonly at: ReadonlyArray<string>
  /** The members of the body on the way to the metadata. */
  readonly below: ReadonlyArray<string>
  readonly field: "metadata" | "volume_image_metadata"
}

/**
 * The metadata of a volume or a snapshot has a bounded number of keys. Cinder bounds the length of a key, of a value and
 * of a body (112 KiB), and adds what a call brings to what is there, so that one volume could make the list of all
 * tenants' volumes too long to read. What has more keys already keeps them, and its values may be changed.
 */
export const volumeMetadata = ruleAt<Adding>({
  at: (call) => addingBy(call),
  reads: () => "body",
  check: Effect.fnUntraced(function* ({ at, below, field, what }, call, body) {
    const given = keysOf(memberOf(body, ...below))
    if (given.length === 0) return
    const present = new Set(keysOf(memberOf(yield* call.read(at), what, field)))
    const requested = given.filter((_) => !present.has(_)).length
    if (requested === 0 || present.size + requested <= mostKeys) return
    return yield* Conflict.ceilingReached(`metadata of a ${what}`, " keys", {
      requested,
      used: present.size,
      limit: mostKeys
    })
  })
})

const keysOf = (value: unknown): ReadonlyArray<string> => (Predicate.isReadonlyObject(value) ? Object.keys(value) : [])

const whatIs: ReadonlyMap<string, Adding["what"]> = new Map([
  ["volumes", "volume"],
  ["snapshots", "snapshot"]
])

const addingBy = ({ caller, method, segments, service }: PlacedCall): Adding | undefined => {
  if (caller.admin || service !== "volume" || !isWrite(method)) return undefined
  const [collection, id = "", part] = segments
  const what = whatIs.get(word(collection))
  if (what === undefined) return undefined
  const at = [`${what}s`, id]
  if (word(part) === "action") {
    return { what, at, below: ["os-set_image_metadata", "metadata"], field: "volume_image_metadata" }
  }
  // A PUT of the whole replaces what is there.
  if (word(part) !== "metadata" || (method !== "POST" && segments.length === 3)) return undefined
  return { what, at, below: [segments.length > 3 ? "meta" : "metadata"], field: "metadata" }
}

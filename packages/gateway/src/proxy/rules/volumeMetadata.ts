import { Conflict } from "@portico/contract/Failures"
import { TtlCache } from "@portico/upstream/TtlCache"
import { Clock, Effect, Predicate } from "effect"
import { isWrite, memberOf, word } from "../../acts/reading.ts"
import { type ConcernedCall, type Rule, ruleAt } from "./Rule.ts"

/** Nova allows a server half of these; with all of them, as long as Cinder takes them, the JSON has less than a megabyte. */
export const mostKeys = 256

/** Cinder takes 255 characters at most, which are two units at most. */
const longestKey = 2 * 255

/** A call that adds metadata to what a volume or a snapshot has. */
interface Adding {
  readonly what: "volume" | "snapshot"
  readonly at: ReadonlyArray<string>
  /** The members of the body on the way to the metadata. */
  readonly below: ReadonlyArray<string>
  readonly field: "metadata" | "volume_image_metadata"
}

/** Keys that calls under way may have added, by what they are added to. */
class UnderWay {
  readonly #keys = new TtlCache<ReadonlySet<string>>(1_000)

  get(of: string, now: number): ReadonlySet<string> {
    return this.#keys.get(of, now) ?? new Set()
  }

  /** A call ends within a minute, because the proxy waits no longer for an answer. Cinder refuses keys that are too long. */
  keep(of: string, keys: ReadonlyArray<string>, now: number): void {
    this.#keys.keep(of, new Set(keys.filter((_) => _.length <= longestKey)), now + 60_000)
  }
}

/**
 * The metadata of a volume or a snapshot has a bounded number of keys. Cinder bounds the length of a key, of a value and
 * of a body (112 KiB), and adds what a call brings to what is there, so that one volume could make the list of all
 * tenants' volumes too long to read. What has more keys already keeps them, and its values may be changed. Calls at the
 * same time do not see each other's keys in Cinder, so they are remembered here: each process takes no more than so many.
 */
export const volumeMetadata = (): Rule => {
  const underWay = new UnderWay()
  return ruleAt<Adding>({
    at: (call) => addingBy(call),
    reads: () => "body",
    check: Effect.fnUntraced(function* ({ at, below, field, what }, call, body) {
      const given = keysOf(memberOf(body, ...below))
      if (given.length === 0) return
      const found = memberOf(yield* call.read(at), what)
      const id = memberOf(found, "id")
      // Cinder has nothing to add to.
      if (typeof id !== "string") return
      const now = yield* Clock.currentTimeMillis
      // By the id that Cinder says: in a path its case does not matter.
      const of = `${field} ${id}`
      const used = new Set([...keysOf(memberOf(found, field)), ...underWay.get(of, now)])
      const added = given.filter((_) => !used.has(_))
      if (added.length === 0) return
      if (used.size + added.length <= mostKeys) return underWay.keep(of, [...underWay.get(of, now), ...added], now)
      return yield* Conflict.ceilingReached(`metadata of a ${what}`, " keys", {
        requested: added.length,
        used: used.size,
        limit: mostKeys
      })
    })
  })
}

const keysOf = (value: unknown): ReadonlyArray<string> => (Predicate.isReadonlyObject(value) ? Object.keys(value) : [])

const whatIs: ReadonlyMap<string, Adding["what"]> = new Map([
  ["volumes", "volume"],
  ["snapshots", "snapshot"]
])

const addingBy = ({ caller, method, segments, service }: ConcernedCall): Adding | undefined => {
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

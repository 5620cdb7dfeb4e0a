import type { Arriving, Verdict } from "./verdict.ts"

/**
 * A harmless call whose body only some readers of JSON take, or none, may be
 * refused as well: whoever sends it does without an answer of the upstream.
 */
export const ifWellFormed =
  (verdict: (call: Arriving) => Verdict) =>
  (call: Arriving): Verdict => {
    const judged = verdict(call)
    return judged === "harmless" && !isWellFormed(call.body) ? "either" : judged
  }

const isWellFormed = (body: Uint8Array | undefined): boolean => {
  if (body === undefined) return true
  try {
    JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body))
    return true
  } catch {
    return false
  }
}

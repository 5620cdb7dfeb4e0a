import { Option } from "effect"
import type { Arriving, Verdict } from "./verdict.ts"

/**
 * A harmless call may be refused as well when its path ends in a format, or
 * when only some readers of JSON take its body, or none.
 */
export const ifWellFormed =
  (verdict: (call: Arriving) => Verdict) =>
  (call: Arriving): Verdict => {
    const judged = verdict(call)
    return judged === "harmless" && !(isPlain(call.segments) && isWellFormed(call.body)) ? "either" : judged
  }

const isPlain = (segments: ReadonlyArray<string>): boolean => !segments.some((_) => _ === "" || _.includes("."))

const isWellFormed = (body: Uint8Array | undefined): boolean => body === undefined || Option.isSome(decoded(body))

const decoded = Option.liftThrowable((body: Uint8Array): unknown =>
  JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body))
)

/**
 * What a call would do upstream. `either`: the upstream refuses it by itself,
 * releases differ without danger, or the contract does not say; the gateway is
 * free.
 */
export type Verdict = "dangerous" | "harmless" | "either"

/** Of many things that one call does. */
export const worst = (verdicts: ReadonlyArray<Verdict>): Verdict =>
  verdicts.includes("dangerous") ? "dangerous" : verdicts.includes("either") ? "either" : "harmless"

/** A call as it arrives upstream. */
export interface Arriving {
  readonly method: string
  readonly segments: ReadonlyArray<string>
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Uint8Array | undefined
}

/** Segments as a router sees them that drops a slash at the end, and a format that it knows. */
export const withoutFormat = (spelled: ReadonlyArray<string>, format = /\.(?:json|xml)$/i): ReadonlyArray<string> => {
  const segments = spelled.at(-1) === "" ? spelled.slice(0, -1) : spelled
  return segments.map((_, i) => (i === segments.length - 1 ? _.replace(format, "") : _))
}

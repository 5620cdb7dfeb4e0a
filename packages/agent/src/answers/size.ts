const encoder = new TextEncoder()

/** The most text of one answer, in bytes of UTF-8: about 15,000 tokens. */
export const longestText = 60_000

/** The bytes of a value as JSON. */
export const sizeOf = (value: unknown): number => encoder.encode(JSON.stringify(value) ?? "").length

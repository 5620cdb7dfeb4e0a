/** Annotates `words`, the former name of `message`. Responses have both, with the same value. */
export const formerWords = {
  description: "Use `message`; this field has the same value, and a later version omits it.",
  deprecated: true
} as const

/** A row with its message under both names. */
export const withWords = <Row extends { readonly message: string | null }>(
  row: Row
): Row & { readonly words: Row["message"] } => ({ ...row, words: row.message })

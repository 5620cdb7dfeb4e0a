const mark = "after:"

/** The token that a page of objects ends with: the last key on it, in letters that a query can hold. Clients pass it on as it is. */
export const continuationOf = (lastKey: string): string =>
  Buffer.from(`${mark}${lastKey}`, "utf8").toString("base64url")

/** The key behind which the next page begins; undefined for what is no such token. */
export const afterOf = (token: string): string | undefined => {
  const text = Buffer.from(token, "base64url").toString("utf8")
  // Decoding passes over whatever it does not know; only what can be written again was written here.
  if (!text.startsWith(mark) || text.length === mark.length) return undefined
  const key = text.slice(mark.length)
  return continuationOf(key) === token ? key : undefined
}

import { cursorWith, textOf } from "./cursorText.ts"

const mark = "after:"

/** The token at the end of a page of objects: its last key, encoded for a query. Clients pass it on unchanged. */
export const continuationOf = (lastKey: string): string => cursorWith(`${mark}${lastKey}`)

/** The key after which the next page starts; undefined for an invalid token. */
export const afterOf = (token: string): string | undefined => {
  const text = textOf(token)
  // Base64url decoding ignores unknown characters, so a token is valid only if encoding it again gives the same text.
  if (!text.startsWith(mark) || text.length === mark.length) return undefined
  const key = text.slice(mark.length)
  return continuationOf(key) === token ? key : undefined
}

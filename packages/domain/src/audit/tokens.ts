/** How many characters of a token are recorded: enough to tell random names apart, too few to use a token. */
const shown = 8

/** A text with each token cut off after its first characters: a client may send one in the place of an id. */
export const withoutTokens = (text: string): string =>
  text.replaceAll(/[\w-]{32,}/g, (part) => (isToken(part) ? `${part.slice(0, shown)}…` : part))

/**
 * Whether a text is a token. A token is random base64url: it has small letters, capitals and digits, and most neighbours
 * differ in that. An id has one case, and a name is made of words.
 */
export const isToken = (text: string): boolean => {
  if (text.length < 32) return false
  const kinds = text
    .replaceAll(/[^A-Za-z0-9]/g, "")
    .replaceAll(/[a-z]/g, "a")
    .replaceAll(/[A-Z]/g, "A")
    .replaceAll(/\d/g, "0")
  const runs = kinds.replaceAll(/(.)\1+/g, "$1")
  return kinds.length >= 32 && new Set(kinds).size === 3 && runs.length >= 0.4 * kinds.length
}

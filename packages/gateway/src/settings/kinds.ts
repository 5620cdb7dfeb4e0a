import { Schema } from "effect"

/** Text that passes a test. */
export const textThat = (expected: string, isValid: (text: string) => boolean) =>
  Schema.String.check(Schema.makeFilter(isValid, { expected }))

/** Text that must not be empty. */
export const text = Schema.NonEmptyString

/** A secret. Only the system that it belongs to can tell whether it is right. */
export const secret = textThat("one line without white space at its ends", (text) =>
  /^[^\s\p{Cc}](?:[^\p{Cc}]*[^\s\p{Cc}])?$/u.test(text)
)

/** The address of an HTTP server. */
export const url = textThat("an address that begins with http:// or https://", (text) => {
  const url = URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol) && url.hostname !== ""
})

/** A whole number from `least` to `most`, if there is one. */
export const count = (least: number, most: number = Number.MAX_SAFE_INTEGER) => {
  const expected =
    most === Number.MAX_SAFE_INTEGER ? `a whole number, at least ${least}` : `a whole number from ${least} to ${most}`
  return textThat(expected, (text) => /^-?\d{1,15}$/.test(text) && Number(text) >= least && Number(text) <= most)
}

/** As `Config.Boolean` reads it. */
export const flag = textThat("true or false", (text) => /^(?:true|false|yes|no|on|off|y|n|1|0)$/.test(text))

/** One of the given words. */
export const oneOf = (words: ReadonlyArray<string>) =>
  textThat(`one of ${words.join(", ")}`, (text) => words.includes(text))

/** The number of key bytes in a text, in the encoding that it uses. */
const bytesOf = (key: string): number => {
  if (/^(?:[0-9a-f]{2})+$/i.test(key)) return key.length / 2
  for (const encoding of ["base64", "base64url"] as const) {
    const bytes = Buffer.from(key, encoding)
    // `Buffer.from` skips characters that do not belong to the encoding.
    if (bytes.toString(encoding).replace(/=+$/, "") === key.replace(/=+$/, "")) return bytes.length
  }
  return Buffer.byteLength(key)
}

/** A long text of one repeated letter is not a key. */
const fewestLetters = 10

/** A random key that cannot be guessed: at least 32 bytes. */
export const key = textThat(
  "at least 32 random bytes, in hexadecimal, in base64 or as they are: openssl rand -hex 32 makes some",
  (text) => bytesOf(text) >= 32 && new Set(text).size >= fewestLetters
)

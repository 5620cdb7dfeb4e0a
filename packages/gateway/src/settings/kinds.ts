import { Schema } from "effect"

/** Text that must say something. */
export const text = Schema.NonEmptyString

/** Whether it is right, only the system that it is for can tell. */
export const secret = Schema.String.check(
  Schema.makeFilter((text: string) => /^[^\s\p{Cc}](?:[^\p{Cc}]*[^\s\p{Cc}])?$/u.test(text), {
    expected: "one line without white space at its ends"
  })
)

/** Where something is that speaks HTTP. */
export const url = Schema.String.check(
  Schema.makeFilter(
    (text: string) => {
      const url = URL.parse(text)
      return url !== null && /^https?:$/.test(url.protocol) && url.hostname !== ""
    },
    { expected: "an address that begins with http:// or https://" }
  )
)

/** A whole number from `least` on, and to `most` where there is one. */
export const count = (least: number, most: number = Number.MAX_SAFE_INTEGER) => {
  const expected =
    most === Number.MAX_SAFE_INTEGER ? `a whole number, at least ${least}` : `a whole number from ${least} to ${most}`
  return Schema.String.check(
    Schema.makeFilter((text: string) => /^-?\d{1,15}$/.test(text) && Number(text) >= least && Number(text) <= most, {
      expected
    })
  )
}

/** As `Config.Boolean` reads it. */
export const flag = Schema.String.check(
  Schema.makeFilter((text: string) => /^(?:true|false|yes|no|on|off|y|n|1|0)$/.test(text), {
    expected: "true or false"
  })
)

/** One of a few words. */
export const oneOf = (words: ReadonlyArray<string>) =>
  Schema.String.check(
    Schema.makeFilter((text: string) => words.includes(text), { expected: `one of ${words.join(", ")}` })
  )

/** How many bytes of a key a text holds, in the encoding that it is given in. */
const bytesOf = (key: string): number => {
  if (/^(?:[0-9a-f]{2})+$/i.test(key)) return key.length / 2
  for (const encoding of ["base64", "base64url"] as const) {
    const bytes = Buffer.from(key, encoding)
    // What it does not understand it skips.
    if (bytes.toString(encoding).replace(/=+$/, "") === key.replace(/=+$/, "")) return bytes.length
  }
  return Buffer.byteLength(key)
}

/** A repeated letter is long as well. */
const fewestLetters = 10

/** A key that nothing derives and that is not guessed: at least 32 random bytes. */
export const key = Schema.String.check(
  Schema.makeFilter((text: string) => bytesOf(text) >= 32 && new Set(text).size >= fewestLetters, {
    expected: "at least 32 random bytes, in hexadecimal, in base64 or as they are: openssl rand -hex 32 makes some"
  })
)

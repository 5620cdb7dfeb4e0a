import { Option } from "effect"
import { jsonOf } from "../requestBody.ts"

/** No object of the API nests as deeply, but schemas of custom kinds, which tenants do not write. */
const deepest = 100

/**
 * Why a text of JSON can be read in two ways: a name that an object has twice,
 * of which some readers take the last and others the sum; or nesting that some
 * readers refuse. Undefined for every other text, JSON or not.
 */
export const reasonAgainstJson = (text: string): string | undefined => {
  const open: Array<Set<string> | undefined> = []
  let nameNext = false
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x7b: // {
        open.push(new Set())
        nameNext = true
        break
      case 0x5b: // [
        open.push(undefined)
        nameNext = false
        break
      case 0x7d: // }
      case 0x5d: // ]
        open.pop()
        nameNext = false
        break
      case 0x2c: // ,
        nameNext = open.at(-1) !== undefined
        break
      case 0x22: {
        const end = endOfText(text, at)
        const names = open.at(-1)
        if (nameNext && names !== undefined) {
          const name = nameOf(text.slice(at, end + 1))
          if (names.has(name)) return `the name '${name.slice(0, 100)}' is there twice in one object`
          names.add(name)
          nameNext = false
        }
        at = end
      }
    }
    if (open.length > deepest) return "it nests too deeply"
  }
  return undefined
}

/** Where the text ends that begins with a quotation mark. */
const endOfText = (text: string, begin: number): number => {
  for (let at = begin + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x5c) at++
    else if (code === 0x22) return at
  }
  return text.length
}

/** Without its escapes: `"sp\u0065c"` is `spec`. */
const nameOf = (quoted: string): string =>
  quoted.includes("\\") ? String(Option.getOrElse(jsonOf(Buffer.from(quoted)), () => quoted)) : quoted.slice(1, -1)

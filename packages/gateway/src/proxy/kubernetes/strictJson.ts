import { Option } from "effect"
import { endOfString } from "@portico/upstream/jsonLimits"

/** Maximum nesting depth. Only schemas of custom kinds nest deeper, and tenants do not write those. */
const maxDepth = 100

/**
 * Why a JSON text is ambiguous: an object repeats a name, of which some readers take the last value and others merge
 * them; or the nesting is so deep that some readers reject it. Undefined for every other text, JSON or not.
 */
export const reasonAgainstJson = (text: string): string | undefined => {
  const openObjects: Array<Set<string> | undefined> = []
  let nameNext = false
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x7b: // {
        openObjects.push(new Set())
        nameNext = true
        break
      case 0x5b: // [
        openObjects.push(undefined)
        nameNext = false
        break
      case 0x7d: // }
      case 0x5d: // ]
        openObjects.pop()
        nameNext = false
        break
      case 0x2c: // ,
        nameNext = openObjects.at(-1) !== undefined
        break
      case 0x22: {
        const end = endOfString(text, at)
        const names = openObjects.at(-1)
        if (nameNext && names !== undefined) {
          const name = nameOf(text.slice(at, end + 1))
          if (names.has(name)) return `the name '${name.slice(0, 100)}' is there twice in one object`
          names.add(name)
          nameNext = false
        }
        at = end
      }
    }
    if (openObjects.length > maxDepth) return "it nests too deeply"
  }
  return undefined
}

const parsed = Option.liftThrowable((quoted: string): unknown => JSON.parse(quoted))

/** The name without escapes: `"sp\u0065c"` is `spec`. */
const nameOf = (quoted: string): string =>
  quoted.includes("\\") ? String(Option.getOrElse(parsed(quoted), () => quoted)) : quoted.slice(1, -1)

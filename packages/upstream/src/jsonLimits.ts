/** What a JSON text may be at most. */
export interface JsonLimits {
  /** Levels of lists and objects inside each other. */
  readonly depth: number
  /** Members of objects and items of lists, all together. Each costs whoever checks it. */
  readonly values: number
}

/**
 * Which limit a JSON text exceeds; undefined for neither. It reads the text once, without parsing it. The result is
 * meaningless for text that is not JSON.
 */
export const exceededBy = (text: string, limits: JsonLimits): keyof JsonLimits | undefined => {
  let depth = 0
  let values = 0
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case quote:
        at = endOfString(text, at)
        break
      case 0x5b: // [
      case 0x7b: // {
        if (++depth > limits.depth) return "depth"
        if (++values > limits.values) return "values"
        break
      case 0x2c: // ,
        if (++values > limits.values) return "values"
        break
      case 0x5d: // ]
      case 0x7d: // }
        depth -= 1
    }
  }
  return undefined
}

const quote = 0x22

/** The end of the JSON string that begins with a quotation mark; the length of the text when nothing ends it. */
export const endOfString = (text: string, begin: number): number => {
  for (let at = begin + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x5c) at++
    else if (code === quote) return at
  }
  return text.length
}

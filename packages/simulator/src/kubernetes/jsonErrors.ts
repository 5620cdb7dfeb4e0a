const literals = ["null", "true", "false"]

/** What Go's decoder says about a text that is no JSON; undefined when this reader finds nothing wrong. */
export const syntaxError = (text: string): string | undefined => {
  const trimmed = text.trim()
  const [first = ""] = trimmed
  if (first === "") return "unexpected end of JSON input"
  const word = literals.find((_) => _.startsWith(first))
  if (word === undefined) {
    if (/["[{\d-]/.test(first)) return "unexpected end of JSON input"
    return `invalid character ${quoted(first)} looking for beginning of value`
  }
  const at = [...word].findIndex((_, index) => trimmed[index] !== _)
  const wrong = trimmed[at]
  if (at < 0) return undefined
  return wrong === undefined
    ? "unexpected end of JSON input"
    : `invalid character ${quoted(wrong)} in literal ${word} (expecting ${quoted(word[at] ?? "")})`
}

const quoted = (character: string): string => {
  const code = character.codePointAt(0) ?? 0
  if (character === "'") return "'\\''"
  return code < 0x20 || (code >= 0x7f && code < 0xa0) ? `'\\u${code.toString(16).padStart(4, "0")}'` : `'${character}'`
}

/** What Go's decoder says when it wants an object. */
export const notAnObject = (text: string, value: unknown): string => {
  if (value === undefined) return syntaxError(text) ?? "unexpected end of JSON input"
  const word = Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value
  return `json: cannot unmarshal ${word} into Go value of type map[string]interface {}`
}

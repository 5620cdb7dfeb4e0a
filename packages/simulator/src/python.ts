/** Python's `repr()` of a JSON value, which the services use in their messages. */
export const repr = (value: unknown): string => {
  if (value === null || value === undefined) return "None"
  if (typeof value === "boolean") return value ? "True" : "False"
  if (typeof value === "string") return quoted(value)
  if (typeof value !== "object") return String(value)
  if (Array.isArray(value)) return `[${value.map(repr).join(", ")}]`
  return `{${Object.entries(value)
    .map(([key, _]) => `${quoted(key)}: ${repr(_)}`)
    .join(", ")}}`
}

/** Python's `str()`: text stays as it is. */
export const str = (value: unknown): string => (typeof value === "string" ? value : repr(value))

/** The path of `urlsplit()`. */
export const pathOfUrl = (url: string): string =>
  url
    .replaceAll(/^[\0-\x20]+|[\t\r\n]/g, "")
    .replace(/^[a-z][a-z\d+.-]*:/i, "")
    .replace(/[?#][^]*$/, "")
    .replace(/^\/\/[^/]*/, "")

const quoted = (text: string): string => {
  const escaped = text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")
  return escaped.includes("'") && !escaped.includes('"') ? `"${escaped}"` : `'${escaped.replaceAll("'", "\\'")}'`
}

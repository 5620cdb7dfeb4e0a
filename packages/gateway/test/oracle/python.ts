/**
 * JSON as Python holds it: whole numbers apart from those with a fraction,
 * and objects whose last mention of a key wins.
 */
export type PyValue = null | boolean | bigint | number | string | ReadonlyArray<PyValue> | PyObject
export type PyObject = ReadonlyMap<string, PyValue>

export const isObject = (value: PyValue | undefined): value is PyObject => value instanceof Map

export const isList = (value: PyValue | undefined): value is ReadonlyArray<PyValue> => Array.isArray(value)

/** `bool(value)`: nothing, zero and whatever is empty are false. */
export const truthy = (value: PyValue | undefined): boolean => {
  if (value === undefined || value === null || value === false || value === "") return false
  if (typeof value === "bigint") return value !== 0n
  if (typeof value === "number") return value !== 0
  if (isList(value)) return value.length > 0
  return isObject(value) ? value.size > 0 : true
}

/** The characters of `str.isspace`, as the inside of a character class. */
const spaces = "\\t-\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000"
/** Four separators are white space to `strip`, and not to `int`. */
const around = new RegExp(`^[\\u001c-\\u001f${spaces}]+|[\\u001c-\\u001f${spaces}]+$`, "g")
const aroundNumber = new RegExp(`^[${spaces}]+|[${spaces}]+$`, "g")

/** `str.strip()`, which takes off other characters than `String.prototype.trim`. */
export const strip = (text: string): string => text.replace(around, "")

const wholeNumber = /^[+-]?\p{Nd}+(?:_\p{Nd}+)*$/u

/**
 * `int(value)`; undefined where it raises. A text may have spaces around it, a
 * sign, leading zeros, low lines between digits, and digits of any script; a
 * fraction is cut off; true is one.
 */
export const int = (value: PyValue | undefined): bigint | undefined => {
  if (typeof value === "boolean") return value ? 1n : 0n
  if (typeof value === "bigint") return value
  if (typeof value === "number") return Number.isFinite(value) ? BigInt(Math.trunc(value)) : undefined
  if (typeof value !== "string") return undefined
  const text = value.replace(aroundNumber, "")
  if (!wholeNumber.test(text)) return undefined
  const digits = text.replace(/[+\-_]/g, "").replace(/\p{Nd}/gu, (digit) => String(digitValue(digit)))
  return text.startsWith("-") ? -BigInt(digits) : BigInt(digits)
}

/** Unicode keeps the ten digits of a script together, from a code point that ends in 0 or in 6. */
const digitValue = (digit: string): number => {
  const code = digit.codePointAt(0) ?? 0
  if (code >= 0x1d7ce && code <= 0x1d7ff) return (code - 0x1d7ce) % 10
  const low = code & 0xf
  return low <= 9 && /\p{Nd}/u.test(String.fromCodePoint(code - low)) ? low : low - 6
}

/** `urllib.parse.unquote`: what is no escape stays, and bytes that are no UTF-8 become the replacement character. */
export const unquote = (text: string): string =>
  text.replace(/(?:%[0-9A-Fa-f]{2})+/g, (run) => Buffer.from(run.replaceAll("%", ""), "hex").toString("utf8"))

import type { PyValue } from "./python.ts"

/**
 * `json.loads` of a body: what a Python service understands, or undefined
 * where it raises. Other than `JSON.parse` it takes NaN and Infinity.
 */
export const loads = (bytes: Uint8Array): PyValue | undefined => {
  const text = utf8(bytes)
  if (text === undefined) return undefined
  const reader = new Reader(text)
  return reader.document()
}

/** A byte order mark stays, and is an error for the reader. */
const utf8 = (bytes: Uint8Array): string | undefined => {
  const text = Buffer.from(bytes).toString("utf8")
  return Buffer.from(text, "utf8").equals(Buffer.from(bytes)) ? text : undefined
}

/** Marks where the text is no JSON. No value of JSON is a symbol. */
const wrong = Symbol("wrong")
type Read = PyValue | typeof wrong

const words: ReadonlyArray<readonly [word: string, value: PyValue]> = [
  ["null", null],
  ["true", true],
  ["false", false],
  ["NaN", Number.NaN],
  ["Infinity", Number.POSITIVE_INFINITY],
  ["-Infinity", Number.NEGATIVE_INFINITY]
]
const number = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/y
const space = /[ \t\n\r]*/y
const plain = /[^"\\]*/y
const hex = /[0-9A-Fa-f]{4}/y
const escapes: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ["\\", "\\"],
  ["/", "/"],
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"]
])

class Reader {
  readonly text: string
  at = 0

  constructor(text: string) {
    this.text = text
  }

  document(): PyValue | undefined {
    this.take(space)
    const value = this.value()
    this.take(space)
    return value === wrong || this.at !== this.text.length ? undefined : value
  }

  private value(): Read {
    if (this.eat("{")) return this.object()
    if (this.eat("[")) return this.list()
    if (this.eat('"')) return this.string() ?? wrong
    for (const [word, value] of words) if (this.eat(word)) return value
    return this.number()
  }

  private object(): Read {
    const object = new Map<string, PyValue>()
    this.take(space)
    if (this.eat("}")) return object
    for (;;) {
      this.take(space)
      const key = this.eat('"') ? this.string() : undefined
      this.take(space)
      if (key === undefined || !this.eat(":")) return wrong
      this.take(space)
      const value = this.value()
      if (value === wrong) return wrong
      object.set(key, value)
      this.take(space)
      if (this.eat("}")) return object
      if (!this.eat(",")) return wrong
    }
  }

  private list(): Read {
    const list: Array<PyValue> = []
    this.take(space)
    if (this.eat("]")) return list
    for (;;) {
      this.take(space)
      const value = this.value()
      if (value === wrong) return wrong
      list.push(value)
      this.take(space)
      if (this.eat("]")) return list
      if (!this.eat(",")) return wrong
    }
  }

  /** After its first quotation mark. */
  private string(): string | undefined {
    let string = ""
    for (;;) {
      const characters = this.take(plain)
      if ([...characters].some((_) => _ < " ")) return undefined
      string += characters
      if (this.eat('"')) return string
      if (!this.eat("\\")) return undefined
      if (this.eat("u")) {
        const digits = this.take(hex)
        if (digits === "") return undefined
        string += String.fromCharCode(Number.parseInt(digits, 16))
        continue
      }
      const escaped = escapes.get(this.text.charAt(this.at))
      if (escaped === undefined) return undefined
      this.at++
      string += escaped
    }
  }

  private number(): Read {
    const digits = this.take(number)
    if (digits === "") return wrong
    return /[.eE]/.test(digits) ? Number(digits) : BigInt(digits)
  }

  private eat(word: string): boolean {
    if (!this.text.startsWith(word, this.at)) return false
    this.at += word.length
    return true
  }

  private take(pattern: RegExp): string {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.text)?.[0] ?? ""
    this.at += found.length
    return found
  }
}

import { Option, Schema } from "effect"

/** The role of an object or array in an answer with images. */
type Level = "root" | "images" | "image" | "other"

/** The treatment of the next bytes. */
type Mode = "passed" | "key" | "dropped" | "page"

/** Maximum length of member names and of links to pages. */
const heldUpTo = 64 * 1024

const decodeString = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.String))
const none = Buffer.alloc(0)

/**
 * Filters an image or a list of images as it streams, and removes the hidden members: those of the answer itself, and
 * of each object in its list `images`. Everything else passes byte by byte; only the name or the link of one member
 * is in memory. Broken JSON ends in an error, because it is unknown how a client would read it.
 */
export class ImageStream {
  readonly #hidden: ReadonlySet<string>
  /** Rewrites a path that the service names, by the name of its member in the answer or in an image. */
  readonly #pages: ReadonlyMap<string, (link: string) => string>
  readonly #levels: Array<Level> = []
  /** For each level, whether a member has already passed. */
  readonly #begun: Array<boolean> = []
  #mode: Mode = "passed"
  #held = none
  #name = ""
  #inString = false
  #escaped = false
  #ended = false
  #out: Array<Buffer> = []

  constructor(hidden: ReadonlySet<string>, pages: ReadonlyMap<string, (link: string) => string>) {
    this.#hidden = hidden
    this.#pages = pages
  }

  /** @returns undefined for broken JSON */
  push(piece: Buffer): Buffer | undefined {
    this.#out = []
    let from = 0
    for (let at = 0; at < piece.length; at += 1) {
      const byte = piece[at] ?? 0
      if (this.#inString) {
        if (this.#escaped) this.#escaped = false
        else if (byte === backslash) this.#escaped = true
        else if (byte !== quote) at = stringEnd(piece, at) - 1
        else {
          this.#inString = false
          if (this.#mode === "key") {
            this.#take(piece.subarray(from, at + 1))
            from = at + 1
            if (!this.#memberNamed()) return undefined
          }
        }
        continue
      }
      switch (byte) {
        case quote:
          this.#inString = true
          break
        case openBrace:
        case openBracket:
          if (this.#mode === "key" || (this.#ended && this.#levels.length === 0)) return undefined
          if (this.#open(byte === openBrace)) {
            this.#take(piece.subarray(from, at + 1))
            from = at + 1
            this.#mode = "key"
          }
          break
        case comma:
          if (!isObject(this.#levels.at(-1))) break
          this.#take(piece.subarray(from, at))
          from = at + 1
          if (!this.#memberEnded()) return undefined
          this.#mode = "key"
          break
        case closeBrace:
        case closeBracket: {
          const level = this.#levels.pop()
          if (level === undefined) return undefined
          this.#begun.pop()
          this.#ended = this.#levels.length === 0
          if (!isObject(level)) break
          this.#take(piece.subarray(from, at))
          from = at
          if (!this.#memberEnded()) return undefined
          this.#mode = "passed"
          break
        }
        default:
      }
    }
    this.#take(piece.subarray(from))
    return this.#held.length > heldUpTo ? undefined : Buffer.concat(this.#out)
  }

  /** Whether the JSON is complete. */
  get isWhole(): boolean {
    return this.#ended && this.#levels.length === 0 && !this.#inString
  }

  #take(bytes: Buffer): void {
    if (bytes.length === 0 || this.#mode === "dropped") return
    if (this.#mode === "passed") this.#out.push(bytes)
    else this.#held = this.#held.length === 0 ? Buffer.from(bytes) : Buffer.concat([this.#held, bytes])
  }

  /** @returns whether it is an object whose members are filtered */
  #open(isBrace: boolean): boolean {
    const above = this.#levels.at(-1)
    const level: Level =
      this.#mode === "dropped" || this.#mode === "page"
        ? "other"
        : above === undefined && isBrace
          ? "root"
          : above === "images" && isBrace
            ? "image"
            : above === "root" && !isBrace && this.#name === "images"
              ? "images"
              : "other"
    this.#levels.push(level)
    this.#begun.push(false)
    return isObject(level)
  }

  /** The name of a member is complete: decides whether the member passes. */
  #memberNamed(): boolean {
    const text = this.#held.toString("latin1")
    const name = plainName.exec(text)?.[1] ?? Option.getOrUndefined(decodeString(this.#held.toString()))
    if (name === undefined) return false
    this.#name = name
    if (this.#hidden.has(name)) {
      this.#held = none
      this.#mode = "dropped"
      return true
    }
    const level = this.#levels.length - 1
    if (this.#begun[level] === true) this.#out.push(Buffer.from(","))
    this.#begun[level] = true
    this.#out.push(this.#held)
    this.#held = none
    this.#mode = this.#pages.has(name) ? "page" : "passed"
    return true
  }

  /** A member is complete, or the object has no further one. */
  #memberEnded(): boolean {
    const held = this.#held
    this.#held = none
    if (this.#mode === "key" && held.toString().trim() !== "") return false
    this.#out.push(this.#mode === "page" ? this.#rewriteLink(held) : held)
    return true
  }

  /** @param value the text after the name, including the colon */
  #rewriteLink(value: Buffer): Buffer {
    const [, before = "", link = ""] = /^(\s*:\s*)(".*")\s*$/s.exec(value.toString()) ?? []
    const decoded = plainLink.exec(link)?.[1] ?? Option.getOrUndefined(decodeString(link))
    const change = this.#pages.get(this.#name)
    return decoded === undefined || change === undefined
      ? value
      : Buffer.from(`${before}${JSON.stringify(change(decoded))}`)
  }
}

/** Texts without escapes. Others are decoded, which costs more. */
const plainName = /^[ \t\r\n]*"(\w*)"$/
const plainLink = /^"([\w./:?&=%-]*)"$/

/** The next index from `at` on where the string may end or have an escape; the end of the piece when there is none. */
const stringEnd = (piece: Buffer, at: number): number => {
  let end = at
  while (end < piece.length && piece[end] !== quote && piece[end] !== backslash) end += 1
  return end
}

const isObject = (level: Level | undefined): boolean => level === "root" || level === "image"

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const openBrace = 0x7b
const closeBrace = 0x7d
const openBracket = 0x5b
const closeBracket = 0x5d

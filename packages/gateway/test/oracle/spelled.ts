import * as fc from "fast-check"

/**
 * Requests as bytes, spelled in all the ways that mean the same or nearly the
 * same: a field is raw JSON text, so that `22`, `22.0` and `"\u0032\u0032"`
 * stay apart.
 */
export type Raw = fc.Arbitrary<string>

/** One of these raw values. */
export const oneOf = (...raw: ReadonlyArray<string>): Raw => fc.constantFrom(...raw)

/** Mostly the first, now and then the second. */
export const mostly = <A>(usual: fc.Arbitrary<A>, rarely: fc.Arbitrary<A>, weight = 9): fc.Arbitrary<A> =>
  fc.oneof({ weight, arbitrary: usual }, { weight: 1, arbitrary: rarely })

/** A JSON string, some of its characters as escapes. */
export const text = (value: string): Raw =>
  mostly(
    fc.constant(JSON.stringify(value)),
    fc
      .array(fc.boolean(), { minLength: value.length, maxLength: value.length })
      .map((escaped) => `"${[...value].map((_, i) => (escaped[i] === true ? escape(_) : inString(_))).join("")}"`)
  )

const escape = (character: string): string =>
  character
    .split("")
    .map((_) => `\\u${_.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("")

const inString = (character: string): string => JSON.stringify(character).slice(1, -1)

/** A member of an object, or its absence; now and then it is there twice, and the last mention counts. */
export const member = (name: string, value: Raw, decoy: Raw = value): fc.Arbitrary<ReadonlyArray<string>> =>
  fc
    .tuple(text(name), value, mostly(fc.constant<string | undefined>(undefined), decoy, 19))
    .map(([key, value, decoy]) => (decoy === undefined ? [`${key}:${value}`] : [`${key}:${decoy}`, `${key}:${value}`]))

export const absent: fc.Arbitrary<ReadonlyArray<string>> = fc.constant([])

/** Its members in any order, but the mentions of one key in theirs. */
export const object = (...members: ReadonlyArray<fc.Arbitrary<ReadonlyArray<string>>>): Raw =>
  fc.tuple(fc.tuple(...members), mostly(fc.constant(0), fc.nat({ max: 7 }), 1), gap).map(([members, turn, gap]) => {
    const start = members.length === 0 ? 0 : turn % members.length
    return `{${gap}${[...members.slice(start), ...members.slice(0, start)].flat().join(`,${gap}`)}${gap}}`
  })

export const list = (element: Raw, maxLength = 3): Raw =>
  fc.array(element, { maxLength }).map((_) => `[${_.join(",")}]`)

const gap = mostly(fc.constant(""), oneOf(" ", "\n", "\t", "\r\n"), 3)

/** The bytes of a document; some with what no parser of JSON should take, or only some do. */
export const bytes = (document: Raw): fc.Arbitrary<Uint8Array> =>
  mostly(
    document.map((_) => Buffer.from(_)),
    fc.tuple(document, fc.constantFrom(...spoilers)).map(([document, spoil]) => spoil(document)),
    19
  )

const spoilers: ReadonlyArray<(document: string) => Uint8Array> = [
  (_) => Buffer.from(`\u{feff}${_}`),
  (_) => Buffer.from(` \n${_}\n `),
  (_) => Buffer.from(_.replace(/\}$/, ',"also":NaN}')),
  (_) => Buffer.from(_.replace(/\}$/, ',"also":-Infinity}')),
  (_) => Buffer.from(_.replace(/\}$/, ',"__proto__":{}}')),
  (_) => Buffer.from(_.replace(/\}$/, ",}")),
  (_) => Buffer.from(`${_}x`),
  (_) => Buffer.from(`${_}\u{0}`),
  (_) => Buffer.from(`${_}{}`),
  (_) => Buffer.from(`// \n${_}`),
  (_) => Buffer.from(_, "utf16le"),
  (_) => Buffer.concat([Buffer.from(_), Buffer.from([0xff])]),
  (_) => Buffer.from(_.replace(/"$/, ""))
]

/** An id as the platform makes them. */
export const id: fc.Arbitrary<string> = fc.uuid()
export const idText: Raw = id.map((_) => JSON.stringify(_))

/** Now and then with a slash behind, or with a format. */
export const ended = (segments: fc.Arbitrary<ReadonlyArray<string>>): fc.Arbitrary<ReadonlyArray<string>> =>
  fc
    .tuple(segments, mostly(fc.constant(""), fc.constantFrom("/", ".json", ".JSON", ".xml", ".txt", ".json/"), 19))
    .map(([segments, end]) => {
      const [format = "", slash] = end.split("/")
      const last = `${segments.at(-1) ?? ""}${format}`
      return [...segments.slice(0, -1), last, ...(slash === undefined ? [] : [""])]
    })

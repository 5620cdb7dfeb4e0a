import { assert, describe, it } from "@effect/vitest"
import { OperatorApi } from "@portico/contract/Api"
import { isVisible, spelledOut, spelledOutOnOneLine } from "@portico/contract/spelledOut"
import { Option, Schema, SchemaAST } from "effect"
import { HttpApi, type HttpApiEndpoint } from "effect/http-api"
import { readFileSync } from "node:fs"
import { charactersModule } from "../../../scripts/characters.ts"

/** Characters that are not seen, or that change how others are. */
const hidden: ReadonlyArray<readonly [what: string, character: string]> = [
  ["a right-to-left override", "\u202e"],
  ["a left-to-right embedding", "\u202a"],
  ["a right-to-left isolate", "\u2067"],
  ["the end of an isolate", "\u2069"],
  ["a left-to-right mark", "\u200e"],
  ["an Arabic letter mark", "\u061c"],
  ["a zero-width space", "\u200b"],
  ["a zero-width non-joiner between Latin letters", "\u200c"],
  ["a zero-width joiner between Latin letters", "\u200d"],
  ["a word joiner", "\u2060"],
  ["a byte order mark", "\ufeff"],
  ["a soft hyphen", "\u00ad"],
  ["a grapheme joiner", "\u034f"],
  ["a Hangul filler", "\u3164"],
  ["a half-width Hangul filler", "\uffa0"],
  ["a variation selector", "\ufe0f"],
  ["a further variation selector", "\u{e0100}"],
  ["a tag", "\u{e0041}"],
  ["an annotation", "\ufff9"],
  ["a line separator", "\u2028"],
  ["an empty first of Hangul", "\u115f"],
  ["an empty middle of Hangul", "\u1160"],
  ["an empty vowel of Khmer", "\u17b4"],
  ["a Braille pattern without dots", "\u2800"],
  ["a note without a head", "\u{1d159}"],
  ["a blank of hieroglyphs", "\u{13441}"],
  ["a filler of Khitan", "\u{16fe4}"],
  ["in place of an object", "\ufffc"],
  ["a private character", "\ue000"],
  ["the logo of a company", "\uf8ff"],
  ["a private character of a further plane", "\u{10fffd}"],
  ["a noncharacter", "\ufdd0"],
  ["a noncharacter at the end of a plane", "\u{1ffff}"],
  ["an unassigned code point", "\u0378"],
  ["an unassigned ideograph", "\u{3347a}"],
  ["an unassigned code point of a right-to-left block", "\u{1e8ff}"]
]

/** Blanks that look like the space: no name has them, and they are shown as they are. */
const blanks: ReadonlyArray<string> = [
  "\u00a0",
  "\u1680",
  ..."\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a",
  "\u202f",
  "\u205f",
  "\u3000"
]

/** Names of people and things. */
const ordinary: ReadonlyArray<readonly [what: string, text: string]> = [
  ["letters of Europe", "Müller & Søn Łódź, Straße 5 (übrig)"],
  ["Arabic", "شركة الأفق ١٢٣"],
  ["Hebrew", "חברת האופק 2026"],
  ["Persian with its non-joiner", "می\u200cخواهم"],
  ["Hindi with its joiners", "क्\u200dष क्\u200cष"],
  ["Sinhala with its joiner", "ශ්\u200dරී"],
  ["Chinese, Japanese and Korean", "株式会社 株式會社 주식회사"],
  ["Thai", "บริษัท"],
  ["marks that combine", "e\u0301 n\u0303"],
  ["letters of Africa, America and Indonesia", "ሰላም ⵜⴰⵎⴰⵣⵉⵖⵜ ᏣᎳᎩ ᮞᮥᮔ᮪ᮓ"],
  ["Burmese and Tibetan", "မြန်မာ བོད་ཡིག"],
  ["Hangul in parts", "\u1112\u1161\u11ab"],
  ["rare ideographs", "𠮷野家 \u{31350}\u{323b0}"],
  ["a script of 2024", "\u{10d50}\u{10d51}"],
  ["signs of money, mathematics and cards", "10 € ₿ ∑ 𝔛 🂡 ♥ ①"],
  ["a pattern of Braille with dots", "⠃⠗⠇"],
  ["a pictograph in colour", "I \u2764\ufe0f clouds"],
  ["a family, and a person with a tone of skin", "👩\u200d👩\u200d👧 🏳\ufe0f\u200d🌈 👩🏽\u200d💻"],
  ["a flag and key caps", "🇨🇭 1\ufe0f\u20e3"],
  ["pictographs of 2024 and 2025", "\u{1fae9} \u{1faea}\u200d\u2764\ufe0f"],
  ["a pictograph that is to come", "\u{1faeb} \u{1fc00}\u200d\u2640\ufe0f"]
]

/** Fields, by the end of their path, with text that is not written for people. Each with its reason. */
const notShown: Readonly<Record<string, string>> = {
  instance_id: "an id: no other is found",
  group_id: "an id: no other is found",
  alarm_id: "an id: no other is found",
  project_id: "an id: no other is found",
  event_id: "an id: no other is found",
  flavor_id: "an id of the platform",
  image_id: "an id of the platform",
  network_id: "an id of the platform",
  key_name: "the name of something that is there already",
  "security_groups[]": "the name of something that is there already",
  user_data: "a program of the tenant's servers",
  "zones.name": "the operation refuses what is not ASCII",
  "recordsets.name": "the operation refuses what is not ASCII",
  "records[]": "data that is published as it is, by the rules of its type",
  zonefile: "the same as a file",
  confirm: "has to be what the account is called",
  version: "one of a list that the platform has",
  "denies[]": "one of a list of areas",
  code: "a proof",
  subject_token: "a proof"
}

const isShown = ({ path }: Field): boolean => !Object.keys(notShown).some((_) => path.endsWith(_))

const endpoints: ReadonlyArray<HttpApiEndpoint.Top> = (() => {
  const found: Array<HttpApiEndpoint.Top> = []
  HttpApi.reflect(OperatorApi, { onGroup: () => {}, onEndpoint: ({ endpoint }) => void found.push(endpoint) })
  return found
})()

interface Field {
  readonly path: string
  readonly takes: (text: string) => boolean
}

/** The fields of a body that are text, by their path. */
const textsIn = (ast: SchemaAST.AST, path: string): ReadonlyArray<Field> => {
  if (SchemaAST.isObjects(ast)) {
    return ast.propertySignatures.flatMap(({ name, type }) => textsIn(type, `${path}.${String(name)}`))
  }
  if (SchemaAST.isArrays(ast)) return [...ast.elements, ...ast.rest].flatMap((_) => textsIn(_, `${path}[]`))
  if (SchemaAST.isUnion(ast)) return ast.types.flatMap((_) => textsIn(_, path))
  if (!SchemaAST.isString(ast)) return []
  const decode = Schema.decodeUnknownOption(Schema.make<Schema.Codec<string>>(ast))
  return [{ path, takes: (text) => Option.isSome(decode(text)) }]
}

const fields = endpoints.flatMap((endpoint) =>
  [...endpoint.payload.values()]
    .flatMap((_) => _.schemas)
    .flatMap((schema) => textsIn(SchemaAST.toType(schema.ast), `${endpoint.method} ${endpoint.path}`))
)

/** Fields in which people write what they like. */
const free = fields.filter((_) => _.takes("Ann's thing"))

describe("text that people write and see", () => {
  it("is written in as many fields as are known", () => {
    assert.isAtLeast(free.filter(isShown).length, 17)
  })

  it("has no hidden character in any field", () => {
    const wrong = free
      .filter(isShown)
      .flatMap(({ path, takes }) => hidden.filter(([, _]) => takes(`ac${_}me`)).map(([what]) => `${path}: ${what}`))
    assert.deepStrictEqual(wrong, [])
  })

  it("has no blank but the space in any field, which every field takes", () => {
    const wrong = free
      .filter(isShown)
      .flatMap(({ path, takes }) =>
        blanks.filter((_) => takes(`ac${_}me`)).map((_) => `${path}: ${_.codePointAt(0)?.toString(16)}`)
      )
    assert.deepStrictEqual(wrong, [])
  })

  it("may be in every script in every field", () => {
    const wrong = free
      // Designate keeps nothing beyond U+FFFF, and a header has ASCII alone.
      .filter((_) => isShown(_) && !_.path.includes("/dns/") && !_.path.endsWith("headers[].value"))
      .flatMap(({ path, takes }) => ordinary.filter(([, _]) => !takes(_)).map(([what]) => `${path}: ${what}`))
    assert.deepStrictEqual(wrong, [])
  })

  it("notShown lists only fields that take hidden characters", () => {
    const taking = free.filter((_) => _.takes("ac\u202eme")).map((_) => _.path)
    assert.deepStrictEqual(
      Object.keys(notShown).filter((end) => !taking.some((_) => _.endsWith(end))),
      []
    )
  })
})

describe("the sets of characters", () => {
  const recorded = readFileSync(new URL("../src/characters.ts", import.meta.url), "utf8")
  // A Node with another version of Unicode has other sets, and decides by the recorded ones.
  it.runIf(recorded.includes(` Unicode ${process.versions["unicode"]}:`))(
    "are those of their Unicode; `npx node scripts/characters.ts` writes them",
    () => assert.strictEqual(recorded, charactersModule)
  )
})

describe("a foreign text", () => {
  for (const [what, character] of hidden) {
    it(`with ${what} is shown with it escaped`, () => {
      const text = `ac${character}me`
      const shown = `ac\\u{${character.codePointAt(0)?.toString(16).padStart(4, "0")}}me`
      assert.deepStrictEqual([isVisible(text), spelledOut(text)], [false, shown])
    })
  }

  for (const [what, text] of ordinary) {
    it(`with ${what} is shown as it is`, () =>
      assert.deepStrictEqual([isVisible(text), spelledOut(text), spelledOutOnOneLine(text)], [true, text, text]))
  }

  it("keeps its blanks, which a console's own numbers and dates have too", () => {
    for (const blank of blanks) {
      const text = `10${blank}000`
      assert.deepStrictEqual([spelledOut(text), spelledOutOnOneLine(text)], [text, text])
    }
  })

  it("keeps its lines, or becomes one", () => {
    assert.strictEqual(spelledOut("a\n\tb\u001b[31m\r"), "a\n\tb\\u{001b}[31m\\u{000d}")
    assert.strictEqual(spelledOutOnOneLine(" a\r\n\tb\u2028c\u202e "), "a b c\\u{202e}")
  })
})

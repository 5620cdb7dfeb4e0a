import { type ESTree, parseSync, Visitor } from "rolldown/utils"
import { readdirSync, readFileSync, statSync } from "node:fs"

const root = new URL("../../../", import.meta.url).pathname

/** A text, and where it begins. */
export interface Found {
  /** Relative to the repository's root. */
  readonly file: string
  readonly offset: number
  readonly text: string
}

export const read = (file: string): string => readFileSync(`${root}${file}`, "utf8")

export const filesIn = (folder: string, name: RegExp): ReadonlyArray<string> =>
  readdirSync(`${root}${folder}`, { recursive: true, encoding: "utf8" })
    .map((_) => `${folder}/${_}`)
    .filter((_) => name.test(_))

export interface Source {
  /** String and template literals of several words. Literals that `+` joins are one text; a hole is `…`. */
  readonly texts: ReadonlyArray<Found>
  /** The titles of tests and of groups of tests. */
  readonly titles: ReadonlyArray<Found>
  readonly identifiers: ReadonlyArray<Found>
}

const titled: ReadonlySet<string> = new Set(["describe", "it", "live", "story", "test"])

export const sourceOf = (file: string): Source => {
  const { errors, program } = parseSync(file, read(file))
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`)
  const texts: Array<Found> = []
  const titles: Array<Found> = []
  const identifiers: Array<Found> = []
  /** The nodes of texts that are read already. */
  const parts = new Set<ESTree.Node>()

  const joined = (node: ESTree.Node): string => {
    parts.add(node)
    if (node.type === "Literal") return typeof node.value === "string" ? node.value : "…"
    if (node.type === "TemplateLiteral") return node.quasis.map((_) => _.value.cooked ?? "").join("…")
    return node.type === "BinaryExpression" && node.operator === "+" ? joined(node.left) + joined(node.right) : "…"
  }

  const add = (node: ESTree.Node): void => {
    if (parts.has(node)) return
    const text = joined(node)
    if (/\p{L}{4}/u.test(text) && text.includes(" ")) texts.push({ file, offset: node.start, text })
  }

  new Visitor({
    BinaryExpression: add,
    CallExpression: ({ arguments: [first], callee }) => {
      if (first !== undefined && titled.has(nameOf(callee))) {
        titles.push({ file, offset: first.start, text: joined(first) })
      }
    },
    Identifier: ({ name, start }) => void identifiers.push({ file, offset: start, text: name }),
    Literal: add,
    TemplateLiteral: add
  }).visit(program)
  return { texts, titles, identifiers }
}

/** `it` of `it`, of `it.effect` and of `it.each(…)`. */
const nameOf = (callee: ESTree.Node): string => {
  if (callee.type === "MemberExpression") return nameOf(callee.object)
  if (callee.type === "CallExpression") return nameOf(callee.callee)
  return callee.type === "Identifier" ? callee.name : ""
}

/** The sentences of a text in Markdown of more than so many words. Items of lists and cells of tables have their own. */
export const longSentencesOf = ({ file, offset, text }: Found, most: number): ReadonlyArray<Found> => {
  const prose = text
    .replaceAll(/^ *```[\s\S]*?^ *```/gm, blank)
    // Code is one word.
    .replaceAll(/`[^`]+`/g, (_) => `\`${"x".repeat(_.length - 2)}\``)
    .replaceAll(/(?<=\])\([^)\n]*\)/g, blank)
  return [...prose.matchAll(sentence)]
    .filter(([_]) => _.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length > most)
    .map((_) => ({ file, offset: offset + _.index, text: text.slice(_.index, _.index + _[0].length).trim() }))
}

/** Up to a full stop, an empty line, or the beginning of an item, a heading, a cell or a quotation. */
const sentence = /(?:(?!\n\s*\n|\n\s*(?:[-*#>|]|\d+\.) |\||(?<=[.?!]["')*]*)\s)[\s\S])+/g

const blank = (text: string): string => text.replaceAll(/[^\n]/g, " ")

/** A line for each text, those of the files that changed last first. */
export const placesOf = (found: ReadonlyArray<Found>): string => {
  const changed = new Map(found.map(({ file }) => [file, statSync(`${root}${file}`).mtimeMs]))
  const lines = found
    .toSorted((a, b) => (changed.get(b.file) ?? 0) - (changed.get(a.file) ?? 0))
    .map(({ file, offset, text }) => {
      const line = read(file).slice(0, offset).split("\n").length
      return `  ${file}:${line} ${text.replaceAll(/\s+/g, " ").slice(0, 120)}`
    })
  const places = [...new Set(lines)]
  const more = places.length - mostPlaces
  return [...places.slice(0, mostPlaces), ...(more > 0 ? [`  and ${more} more`] : [])].join("\n")
}

const mostPlaces = 20

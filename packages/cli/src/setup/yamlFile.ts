import { Effect } from "effect"
import { isDeepStrictEqual } from "node:util"
import {
  Document,
  type DocumentOptions,
  isCollection,
  isMap,
  isPair,
  isScalar,
  isSeq,
  type Node,
  parseDocument,
  type ParseOptions,
  type SchemaOptions,
  stringify
} from "yaml"
import type { CliFailure } from "../CliFailure.ts"
import { unreadable } from "./Target.ts"

export type Fields = Readonly<Record<string, unknown>>

/** An entry in a collection at the top of a file: a key of a map, or an item of a list by its `name`. */
export interface YamlEntry {
  readonly collection: string
  readonly kind: "map" | "list"
  readonly name: string
}

/** A file and what stands in it. Scalars stay text, so that no rule of YAML 1.1 or 1.2 changes a foreign one. */
export interface YamlFile {
  readonly path: string
  readonly text: string
  readonly document: Document.Parsed
}

const scalarsAsText: ParseOptions & DocumentOptions & SchemaOptions = { schema: "failsafe", customTags: ["null"] }

const parse = (text: string) => parseDocument(text, scalarsAsText)

export const readYaml = (text: string, path: string): Effect.Effect<YamlFile, CliFailure> =>
  Effect.suspend(() => {
    const document = parse(text)
    const [error] = document.errors
    if (error !== undefined) {
      const [at] = error.linePos ?? []
      const where = at === undefined ? "" : `line ${at.line}, column ${at.col}: `
      return Effect.fail(unreadable(path, `${where}${error.message.split(/ at line|\n/)[0]}`))
    }
    return isMap(document.contents) || isBlank(document.contents)
      ? Effect.succeed({ path, text, document })
      : Effect.fail(unreadable(path, "its top is not a mapping"))
  })

const isBlank = (node: unknown): boolean =>
  node === null || node === undefined || (isScalar(node) && (node.value === null || node.value === ""))

/** A top-level field that is a plain value. */
export const scalarAt = ({ document }: YamlFile, key: string): string | undefined => {
  const found: unknown = isMap(document.contents) ? document.contents.get(key) : undefined
  return typeof found === "string" && found !== "" ? found : undefined
}

const topNode = ({ document }: YamlFile, key: string): unknown =>
  isMap(document.contents) ? document.contents.get(key, true) : undefined

interface Item {
  readonly name: unknown
  readonly value: unknown
  /** Characters of the item, from its key or its first field on. */
  readonly from: number
  readonly to: number
}

const rangeOf = (node: unknown): readonly [number, number] | undefined =>
  (isScalar(node) || isCollection(node)) && node.range ? [node.range[0], node.range[1]] : undefined

const itemsOf = (node: unknown): ReadonlyArray<Item> => {
  if (!isCollection(node)) return []
  return node.items.flatMap((item) => {
    const [first, last] = isPair(item) ? [item.key, isBlank(item.value) ? item.key : item.value] : [item, item]
    const [from, to] = [rangeOf(first)?.[0], rangeOf(last)?.[1]]
    if (from === undefined || to === undefined) return []
    if (isPair(item)) return [{ name: isScalar(item.key) ? item.key.value : undefined, value: item.value, from, to }]
    return [{ name: isMap(item) ? item.get("name") : undefined, value: item, from, to }]
  })
}

const find = (file: YamlFile, { collection, name }: YamlEntry): Item | undefined =>
  itemsOf(topNode(file, collection)).find((_) => _.name === name)

export interface Found {
  readonly fields: unknown
  /** The comment at the top of the entry. */
  readonly comment: string
}

/** The entry of that name, if the file has one. */
export const entryOf = (file: YamlFile, place: YamlEntry): Effect.Effect<Found | undefined, CliFailure> =>
  Effect.suspend(() => {
    const collection = topNode(file, place.collection)
    if (!isBlank(collection) && !(place.kind === "map" ? isMap(collection) : isSeq(collection))) {
      const expected = place.kind === "map" ? "mapping" : "list"
      return Effect.fail(unreadable(file.path, `'${place.collection}' is not a ${expected}`))
    }
    const item = find(file, place)
    if (item === undefined) return Effect.undefined
    const node = item.value
    const comment = isCollection(node) ? (node.commentBefore ?? "") : ""
    return Effect.succeed({ fields: isCollection(node) ? node.toJS(file.document) : undefined, comment })
  })

const nodeOf = (fields: Fields, comment: string | undefined): Node | null => {
  const node = parse(stringify(fields, { version: "1.1", lineWidth: 0 })).contents
  if (node !== null && comment !== undefined) node.commentBefore = ` ${comment}`
  return node
}

const rendered = (place: YamlEntry, fields: Fields, comment: string | undefined, indent: string): string => {
  const document = new Document(null, scalarsAsText)
  document.contents = nodeOf(fields, comment)
  const lines = document.toString({ lineWidth: 0 }).trimEnd().split("\n")
  const key = stringify(place.name, { version: "1.1" }).trimEnd()
  const own =
    place.kind === "map" ? [`${key}:`, ...lines.map((_) => `  ${_}`)] : lines.map((_, i) => (i === 0 ? "- " : "  ") + _)
  return own.map((_) => `${indent}${_}\n`).join("")
}

const lineStart = (text: string, at: number) => text.lastIndexOf("\n", at - 1) + 1
/** The character behind the line on which the content before `at` ends. */
const lineEnd = (text: string, at: number) => {
  const last = text.slice(0, at).trimEnd().length
  const end = text.indexOf("\n", last)
  return end === -1 ? text.length : end + 1
}

const spliced = (text: string, from: number, to: number, inner: string) => {
  const head = text.slice(0, from)
  return `${head}${head === "" || head.endsWith("\n") || inner === "" ? "" : "\n"}${inner}${text.slice(to)}`
}

const isFlow = (node: unknown): boolean => isCollection(node) && node.flow === true

const isBlock = (node: unknown): boolean => isCollection(node) && !isFlow(node) && node.items.length > 0

/** The edited text as lines of the file; undefined where entries do not stand on lines of their own. */
const byLines = (file: YamlFile, place: YamlEntry, fields: Fields, comment: string | undefined): string | undefined => {
  const { document, text } = file
  const collection = topNode(file, place.collection)
  const items = itemsOf(collection)
  const [first] = items
  const item = find(file, place)
  if (isBlock(collection) && first !== undefined) {
    const start = lineStart(text, first.from)
    const indent = /^ */.exec(text.slice(start))?.[0] ?? ""
    const inner = rendered(place, fields, comment, indent)
    if (item !== undefined) return spliced(text, lineStart(text, item.from), lineEnd(text, item.to), inner)
    const end = lineEnd(text, Math.max(...items.map((_) => _.to)))
    return spliced(text, end, end, inner)
  }
  if (isFlow(document.contents) || collection !== undefined) return undefined
  const inner = `${place.collection}:\n${rendered(place, fields, comment, place.kind === "map" ? "  " : "")}`
  return spliced(text, text.length, text.length, inner)
}

const withoutLines = (file: YamlFile, place: YamlEntry): string | undefined => {
  const { text } = file
  const collection = topNode(file, place.collection)
  const item = find(file, place)
  if (item === undefined || !isBlock(collection) || itemsOf(collection).length < 2) return undefined
  return spliced(text, lineStart(text, item.from), lineEnd(text, item.to), "")
}

const write = (document: Document.Parsed) => document.toString({ lineWidth: 0, flowCollectionPadding: false })

/** The same by the document's own means, which may lay out other lines anew. */
const byDocument = (
  file: YamlFile,
  place: YamlEntry,
  fields: Fields | undefined,
  comment: string | undefined
): string => {
  const document = parse(file.text)
  const index = itemsOf(topNode({ ...file, document }, place.collection)).findIndex((_) => _.name === place.name)
  const node = fields === undefined ? undefined : nodeOf(fields, comment)
  const key = place.kind === "map" ? place.name : index
  const collection = document.getIn([place.collection], true)
  if (isBlank(collection)) {
    document.setIn([place.collection], document.createNode(place.kind === "map" ? {} : []))
  } else if (isCollection(collection) && collection.items.length === 0 && !isFlow(document.contents)) {
    collection.flow = false
  }
  if (node === undefined) document.deleteIn([place.collection, key])
  else if (place.kind === "map" || index >= 0) document.setIn([place.collection, key], node)
  else document.addIn([place.collection], node)
  return write(document)
}

/** Everything but the entry. */
const foreignOf = (text: string, { collection, kind, name }: YamlEntry): unknown => {
  const document = parse(text)
  if (document.errors.length > 0) return undefined
  const all: Record<string, unknown> = { ...document.toJS() }
  const found = all[collection]
  const others =
    kind === "map"
      ? Object.fromEntries(Object.entries(Object(found)).filter(([key]) => key !== name))
      : Array.isArray(found)
        ? found.filter((_) => Object(_).name !== name)
        : []
  return { ...all, [collection]: others }
}

const keepsForeign = (before: string, after: string, place: YamlEntry) =>
  isDeepStrictEqual(foreignOf(before, place), foreignOf(after, place))

const sameNewlines = (before: string, after: string) =>
  before.includes("\r\n") ? after.replaceAll(/\r?\n/g, "\r\n") : after

/** The text with the entry, in place of one of its name. Lines of other entries stay as they are where that can be. */
export const withEntry = (file: YamlFile, place: YamlEntry, fields: Fields, comment?: string): string => {
  const found = byLines(file, place, fields, comment)
  const after = found !== undefined && keepsForeign(file.text, found, place) ? found : undefined
  return sameNewlines(file.text, after ?? byDocument(file, place, fields, comment))
}

/** The text without the entry; empty when nothing else stands in it. */
export const withoutEntry = (file: YamlFile, place: YamlEntry): string => {
  const found = withoutLines(file, place)
  const after = found !== undefined && keepsForeign(file.text, found, place) ? found : undefined
  return sameNewlines(file.text, after ?? byDocument(file, place, undefined, undefined))
}

/** The text with a plain field at its top. */
export const withScalar = (file: YamlFile, key: string, value: string): string => {
  const node = topNode(file, key)
  const line = `${key}: ${stringify(value, { version: "1.1", lineWidth: 0 }).trimEnd()}`
  const range = rangeOf(node)
  if (isFlow(file.document.contents)) {
    const document = parse(file.text)
    document.setIn([key], value)
    return write(document)
  }
  const end = file.text.length
  if (range === undefined) return sameNewlines(file.text, spliced(file.text, end, end, `${line}\n`))
  const start = lineStart(file.text, range[0])
  return sameNewlines(file.text, `${file.text.slice(0, start)}${line}${file.text.slice(range[1])}`)
}

/** Whether an entry has these fields already, whatever it has beside them. */
export const isUpToDate = (found: unknown, fields: Fields): boolean =>
  isDeepStrictEqual(found, parse(stringify(fields, { version: "1.1", lineWidth: 0 })).toJS())

import { Result } from "effect"

/** An element to write: a name, optional attributes, and a text or children. */
export type Xml = readonly [name: string, content: string | number | boolean | ReadonlyArray<Xml>]

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;"
}

/** Includes control characters, although XML 1.0 cannot represent them: clients avoid them with URL encoding. */
const escaped = (text: string): string =>
  // oxlint-disable-next-line no-control-regex
  text.replaceAll(/[&<>"'\u0000-\u0008\u000b-\u001f\u007f]/g, (_) =>
    _ in entities ? (entities[_] ?? _) : `&#x${_.charCodeAt(0).toString(16).padStart(2, "0")};`
  )

const element = ([name, content]: Xml): string =>
  `<${name}>${typeof content === "object" ? content.map(element).join("") : escaped(String(content))}</${name.replace(/ .*/, "")}>`

const prologue = '<?xml version="1.0" encoding="UTF-8"?>'

/** An S3 document: the root has the S3 namespace, errors have none. */
export const documentOf = ([root, content]: Xml): string => {
  const text = element([root, content])
  const space = root === "Error" ? "" : ' xmlns="http://s3.amazonaws.com/doc/2006-03-01/"'
  return `${prologue}<${root}${space}>${text.slice(root.length + 2)}`
}

/** A parsed element, without attributes and prefixes. */
export interface Element {
  readonly name: string
  readonly text: string
  readonly children: ReadonlyArray<Element>
}

interface Open {
  readonly name: string
  text: string
  readonly children: Array<Element>
}

const named: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" }

const unescaped = (text: string): string =>
  text.replaceAll(/&(#x[0-9a-fA-F]+|#\d+|\w+);/g, (whole, name: string) => {
    if (!name.startsWith("#")) return named[name] ?? whole
    return String.fromCodePoint(name.startsWith("#x") ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1)))
  })

const tokens = /<\?[^>]*\?>|<!--[\s\S]*?-->|<(\/?)([\w:.-]+)[^<>]*?(\/?)>|([^<>]+)/gy

/** The root of a document; fails when the text is not XML. */
export const parsed = (text: string): Result.Result<Element, "malformed"> => {
  const top: Open = { name: "", text: "", children: [] }
  const open: Array<Open> = [top]
  let read = 0
  for (const [token, closing, name = "", single, words] of text.matchAll(tokens)) {
    read += token.length
    const inner = open.at(-1) ?? top
    const local = name.replace(/^.*:/, "")
    if (words !== undefined) inner.text += unescaped(words)
    else if (closing === "/") {
      if (inner === top || inner.name !== local) return Result.fail("malformed")
      open.pop()
    } else if (name !== "") {
      const element: Open = { name: local, text: "", children: [] }
      inner.children.push(element)
      if (single !== "/") open.push(element)
    }
  }
  const [root] = top.children
  return read < text.length || open.length > 1 || top.children.length !== 1 || root === undefined
    ? Result.fail("malformed")
    : Result.succeed(root)
}

export const childrenOf = (element: Element, name: string): ReadonlyArray<Element> =>
  element.children.filter((_) => _.name === name)

export const textIn = (element: Element, name: string): string | undefined => childrenOf(element, name)[0]?.text

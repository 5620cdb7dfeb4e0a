import type { NewRecordset } from "./writes.ts"

export interface ZoneFile {
  readonly name: string
  readonly email: string
  readonly ttl: number
  readonly recordsets: ReadonlyArray<Pick<NewRecordset, "name" | "type" | "records" | "ttl">>
}

interface Entry {
  readonly name: string
  readonly ttl: number | null
  readonly type: string
  readonly data: ReadonlyArray<string>
}

const malformed = "Malformed zonefile."

/**
 * Parses a zone file (RFC 1035, section 5) with the syntax that tenants use: `$ORIGIN`, `$TTL`, comments,
 * parentheses, relative names. SOA and NS of the apex are dropped, because the service writes its own. A string
 * is the error.
 */
export const readZoneFile = (text: string): ZoneFile | string => {
  const [first, ...rest] = linesOf(text)
  const origin = first?.tokens[0] === "$ORIGIN" ? first.tokens[1] : undefined
  if (origin === undefined) return "The $ORIGIN statement is required and must be the first statement in the zonefile."
  const entries = entriesOf(rest, origin)
  if (entries === undefined) return malformed
  const soa = entries.find((_) => _.type === "SOA")
  if (soa === undefined) return "An SOA record is required."
  const [, mailbox = "", ...numbers] = soa.data
  if (numbers.length !== 5) return malformed
  return {
    name: soa.name,
    email: mailbox.replace(".", "@").replace(/\.$/, ""),
    ttl: soa.ttl ?? Number(numbers[4]),
    recordsets: grouped(entries.filter((_) => _.type !== "SOA" && !(_.type === "NS" && _.name === soa.name)))
  }
}

interface Line {
  /** Whether the line repeats the previous line's name. */
  readonly indented: boolean
  readonly tokens: ReadonlyArray<string>
}

/** Lines without comments; parentheses join lines. Quotes stay in the text. */
const linesOf = (text: string): ReadonlyArray<Line> => {
  const flat = text
    .replace(/"(?:[^"\\]|\\.)*"|;[^\n]*/g, (_) => (_.startsWith(";") ? "" : _))
    .replace(/\(([^)]*)\)/g, (_, inner: string) => inner.replaceAll("\n", " "))
  return flat.split("\n").flatMap((line) => {
    const tokens = line.match(/"(?:[^"\\]|\\.)*"|\S+/g)
    return tokens === null ? [] : [{ indented: /^\s/.test(line), tokens }]
  })
}

const isTtl = (token: string | undefined): boolean => token !== undefined && /^\d+$/.test(token)

const entriesOf = (lines: ReadonlyArray<Line>, first: string): ReadonlyArray<Entry> | undefined => {
  const entries: Array<Entry> = []
  let origin = first
  let ttl: number | null = null
  let owner: string | undefined
  for (const { indented, tokens } of lines) {
    const [head = "", value = ""] = tokens
    if (head === "$ORIGIN") origin = value
    else if (head === "$TTL") ttl = Number(value)
    else {
      owner = indented ? owner : absolute(head, origin)
      const left = indented ? [...tokens] : tokens.slice(1)
      let own = ttl
      while (isTtl(left[0]) || left[0] === "IN") {
        const token = left.shift()
        if (token !== "IN") own = Number(token)
      }
      const [type, ...data] = left
      if (owner === undefined || type === undefined || data.length === 0) return undefined
      entries.push({ name: owner, ttl: own, type, data: data.map((_, i) => dataOf(type, _, i, origin)) })
    }
  }
  return entries
}

const absolute = (name: string, origin: string): string => {
  if (name === "@") return origin
  return name.endsWith(".") ? name : `${name}.${origin}`
}

/** The positions of names in a record's data, by type. */
const namesAt: Readonly<Record<string, ReadonlyArray<number>>> = {
  CNAME: [0],
  NS: [0],
  PTR: [0],
  MX: [1],
  SRV: [3],
  SOA: [0, 1]
}

/** Names are absolute, and texts have quotes, as the reader writes them. */
const dataOf = (type: string, word: string, index: number, origin: string): string => {
  if (namesAt[type]?.includes(index)) return absolute(word, origin)
  return (type === "TXT" || type === "SPF") && !word.startsWith('"') ? `"${word}"` : word
}

const grouped = (entries: ReadonlyArray<Entry>): ZoneFile["recordsets"] =>
  [...Map.groupBy(entries, (_) => `${_.name} ${_.type}`).values()].flatMap((same) => {
    const [one] = same
    return one === undefined
      ? []
      : [{ name: one.name, type: one.type, ttl: one.ttl, records: same.map((_) => _.data.join(" ")) }]
  })

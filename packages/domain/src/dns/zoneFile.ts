import { RecordType } from "@portico/contract/Dns"
import { Result } from "effect"
import { badEscape, bytesOf, dataOf, textOf } from "./data.ts"
import { entriesOf, type Entry, type Problem, type Word } from "./lines.ts"
import { isInside, qualify } from "./names.ts"

/** One record of a zone file, with everything that it leaves out filled in. */
export interface FileRecord {
  readonly line: number
  /** Absolute. */
  readonly name: string
  readonly type: RecordType
  /** Seconds; null when the file says nothing. */
  readonly ttl: number | null
  readonly data: string
}

export interface ZoneFile {
  readonly records: ReadonlyArray<FileRecord>
  /** What is right and left out. */
  readonly skipped: ReadonlyArray<{ readonly line: number; readonly why: string }>
  /** What is wrong; nothing of a file with problems is to be used. */
  readonly problems: ReadonlyArray<Problem>
}

/** What goes on from entry to entry. */
interface State {
  readonly zone: string
  origin: string
  owner: string | undefined
  /** Of `$TTL`, RFC 2308, section 4. */
  defaultTtl: number | undefined
  /** The last one that an entry gave, RFC 1035, section 5.1. */
  lastTtl: number | undefined
}

/** What an entry comes to. */
type Read = Result.Result<FileRecord | { readonly why: string } | undefined, string>

/**
 * Reads a master file (RFC 1035, section 5, with the `$TTL` of RFC 2308) for a
 * zone that is there already. Of its entries only records of the types that
 * are written here count; others are skipped, SOA and NS among them, which the
 * service writes itself.
 *
 * @param zone its name, with the dot: the first origin, in which all owners have to lie
 */
export const readZoneFile = (text: string, zone: string): ZoneFile => {
  const { entries, problems: flaws } = entriesOf(text)
  const state: State = { zone, origin: zone, owner: undefined, defaultTtl: undefined, lastTtl: undefined }
  const records: Array<FileRecord> = []
  const skipped: Array<{ readonly line: number; readonly why: string }> = []
  const problems: Array<Problem> = [...flaws]
  for (const entry of flaws.length > 0 ? [] : entries) {
    const read = readEntry(state, entry)
    if (Result.isFailure(read)) problems.push({ line: entry.line, msg: read.failure })
    else if (read.success !== undefined && "why" in read.success) skipped.push({ line: entry.line, ...read.success })
    else if (read.success !== undefined) records.push(read.success)
  }
  return { records, skipped, problems }
}

const readEntry = (state: State, entry: Entry): Read => {
  const [first] = entry.words
  return first !== undefined && !first.quoted && first.text.startsWith("$")
    ? readDirective(state, first.text.toUpperCase(), entry.words.slice(1))
    : readRecord(state, entry)
}

const nothing: Read = Result.succeed(undefined)

const readDirective = (state: State, directive: string, [value, ...more]: ReadonlyArray<Word>): Read => {
  if (directive !== "$ORIGIN" && directive !== "$TTL") {
    return Result.fail(`${directive} is not supported: write out what it stands for`)
  }
  if (value === undefined || more.length > 0) return Result.fail(`${directive} takes one value`)
  if (directive === "$TTL") {
    const ttl = ttlOf(value)
    state.defaultTtl = ttl
    return ttl === undefined ? Result.fail(`$TTL takes seconds, or a time such as 1h30m`) : nothing
  }
  return Result.map(absolute(state, value), (name) => {
    state.origin = name
    return undefined
  })
}

/** `[owner] [ttl] [class] type data`, the two in the middle in either order. */
const readRecord = (state: State, { indented, line, words }: Entry): Read =>
  Result.gen(function* () {
    const left = [...words]
    const owner = indented ? state.owner : yield* absolute(state, left.shift())
    if (owner === undefined) return yield* Result.fail("no owner: there is no record before this one")
    state.owner = owner
    const { classed, ttl: given } = middleOf(left)
    if (given !== undefined) state.lastTtl = given
    const type = left.shift()?.text.toUpperCase()
    if (type === undefined) return yield* Result.fail("no record type")
    if (!isInside(owner, state.zone)) return yield* Result.fail(`'${owner}' is not inside the zone '${state.zone}'`)
    if (classed !== "IN") return yield* Result.fail(`class ${classed}: only IN is served`)
    const known = RecordType.literals.find((_) => _ === type)
    if (known === undefined) return yield* leftOut(type)
    const data = yield* readData(state, known, left)
    const name = yield* qualify(owner, state.zone)
    return { line, name, type: known, ttl: given ?? state.defaultTtl ?? state.lastTtl ?? null, data }
  })

/** Records that a good file may have, and that are not written here. A type that is none is a slip. */
const leftOut = (type: string): Read => {
  if (type === "SOA" || type === "NS")
    return Result.succeed({ why: `${type} records are written by the platform alone` })
  return otherTypes.has(type) || /^TYPE\d{1,5}$/.test(type)
    ? Result.succeed({ why: `records of type ${type} are not written here` })
    : Result.fail("no record type where one should be")
}

/** What the registry of the DNS's types has beside those above. */
const otherTypes: ReadonlySet<string> = new Set(
  (
    "PTR SRV CAA NAPTR SSHFP SPF CERT DNAME DS DNSKEY RRSIG NSEC NSEC3 NSEC3PARAM TLSA SMIMEA LOC HINFO URI SVCB " +
    "HTTPS OPENPGPKEY CDS CDNSKEY AFSDB RP KEY KX SIG APL DHCID DLV IPSECKEY HIP EUI48 EUI64 ZONEMD CSYNC MINFO MB " +
    "MG MR NULL PX RT WKS X25 ISDN NSAP GPOS NID L32 L64 LP UID GID UNSPEC TALINK AVC AMTRELAY RESINFO WALLET"
  ).split(" ")
)

const classes: ReadonlySet<string> = new Set(["IN", "CH", "HS", "CS"])

/** Takes time and class from in front of the type. */
const middleOf = (left: Array<Word>) => {
  let ttl: number | undefined
  let classed: string | undefined
  for (let taken = 0; taken < 2; taken++) {
    const [next] = left
    if (next === undefined || next.quoted) break
    const upper = next.text.toUpperCase()
    if (ttl === undefined && ttlOf(next) !== undefined) ttl = ttlOf(next)
    else if (classed === undefined && classes.has(upper)) classed = upper
    else break
    left.shift()
  }
  return { ttl, classed: classed ?? "IN" }
}

const units: Readonly<Record<string, number>> = { S: 1, M: 60, H: 3600, D: 86_400, W: 604_800 }

/** Seconds: `3600`, or `1h30m` as BIND has it. */
const ttlOf = ({ quoted, text }: Word): number | undefined => {
  if (quoted || !/^(?:\d{1,10}|(?:\d{1,10}[smhdw])+)$/i.test(text)) return undefined
  const parts = [...text.matchAll(/(\d+)([smhdw]?)/gi)]
  const seconds = parts.reduce((sum, [, count, unit = ""]) => sum + Number(count) * (units[unit.toUpperCase()] ?? 1), 0)
  return seconds <= 2_147_483_647 ? seconds : undefined
}

/** A name of the file: `@` is the origin, and what has no dot at its end is below it. */
const absolute = ({ origin }: State, word: Word | undefined): Result.Result<string, string> => {
  if (word === undefined) return Result.fail("no name where one should be")
  if (word.quoted) return Result.fail("a name in quotes")
  if (word.text === "@") return Result.succeed(origin)
  if (word.text.includes("\\")) return Result.fail("an escape in a name: no name with one is served")
  return Result.succeed((word.text.endsWith(".") ? word.text : `${word.text}.${origin}`).toLowerCase())
}

const readData = (state: State, type: RecordType, words: ReadonlyArray<Word>): Result.Result<string, string> =>
  Result.gen(function* () {
    const [first, second] = words
    const takes = type === "MX" ? 2 : 1
    if (words.length === 0 || (type !== "TXT" && words.length !== takes)) {
      return yield* Result.fail(
        `${type} takes ${type === "TXT" ? "at least one value" : `${takes} value${takes === 1 ? "" : "s"}`}`
      )
    }
    switch (type) {
      case "A":
      case "AAAA":
        return yield* dataOf(type, first?.text ?? "")
      case "CNAME":
        return yield* dataOf(type, yield* absolute(state, first))
      case "MX":
        // The root, for a domain that takes no mail.
        return yield* dataOf(type, `${first?.text} ${second?.text === "." ? "." : yield* absolute(state, second)}`)
      case "TXT":
        return yield* readTexts(words)
    }
  })

const readTexts = (words: ReadonlyArray<Word>): Result.Result<string, string> => {
  const strings = words.flatMap((_) => bytesOf(_.text) ?? [])
  if (strings.length < words.length) return Result.fail(badEscape)
  return strings.some((_) => _.length > 255)
    ? Result.fail("a string of a TXT record has at most 255 bytes: split it into several")
    : Result.succeed(textOf(strings))
}

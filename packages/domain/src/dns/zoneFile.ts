import { RecordType } from "@portico/contract/Dns"
import { Result } from "effect"
import { badEscape, bytesOf, dataOf, textOf } from "./data.ts"
import { genericData, genericType, isGeneric } from "./generic.ts"
import { entriesOf, type Entry, type Problem, type Word } from "./lines.ts"
import { isInside, lengthError, qualify } from "./names.ts"

/** A record of a zone file, with its implied parts filled in. */
export interface FileRecord {
  readonly line: number
  /** Absolute. */
  readonly name: string
  readonly type: RecordType
  /** Seconds; null when the file does not give it. */
  readonly ttl: number | null
  readonly data: string
}

/** A valid entry that is left out. */
export interface Skipped {
  readonly line: number
  readonly why: string
  /** The word that stands where the type should be, when no type of that name is known. */
  readonly unknownType?: string
}

export interface ZoneFile {
  readonly records: ReadonlyArray<FileRecord>
  readonly skipped: ReadonlyArray<Skipped>
  /** Invalid entries; a file with problems must not be used. */
  readonly problems: ReadonlyArray<Problem>
}

/** The state that one entry passes to the next. */
interface State {
  readonly zone: string
  origin: string
  owner: string | undefined
  /** The value of `$TTL`, RFC 2308, section 4. */
  defaultTtl: number | undefined
  /** The last TTL that an entry gave, RFC 1035, section 5.1. */
  lastTtl: number | undefined
  /** The line of an SOA whose minimum is the default TTL for BIND, because no TTL stands before it. */
  minimumFrom: number | undefined
  /** Whether a record got the zone's TTL instead of that minimum. */
  ignoresMinimum: boolean
}

/** The result of reading an entry. */
type Read = Result.Result<FileRecord | Skipped | undefined, string>

/**
 * Reads a master file (RFC 1035, section 5, with the `$TTL` of RFC 2308) for an existing zone. Only
 * records of the types that tenants can write are read, also in the generic spelling of RFC 3597.
 * Others are skipped, among them SOA and NS, which Designate writes itself.
 *
 * @param zone its name, with the dot: the first origin, which all owners must lie in
 */
export const readZoneFile = (text: string, zone: string): ZoneFile => {
  const { entries, problems: flaws } = entriesOf(text)
  const state: State = {
    zone,
    origin: zone,
    owner: undefined,
    defaultTtl: undefined,
    lastTtl: undefined,
    minimumFrom: undefined,
    ignoresMinimum: false
  }
  const records: Array<FileRecord> = []
  const skipped: Array<Skipped> = []
  const problems: Array<Problem> = [...flaws]
  for (const entry of flaws.length > 0 ? [] : entries) {
    const read = readEntry(state, entry)
    if (Result.isFailure(read)) problems.push({ line: entry.line, msg: read.failure })
    else if (read.success !== undefined && "why" in read.success) skipped.push(read.success)
    else if (read.success !== undefined) records.push(read.success)
  }
  return { records, skipped: state.ignoresMinimum ? skipped.map((_) => withMinimum(state, _)) : skipped, problems }
}

const withMinimum = ({ minimumFrom }: State, entry: Skipped): Skipped =>
  entry.line === minimumFrom
    ? { ...entry, why: `${entry.why}, and without $TTL its minimum is not used: the zone's ttl is` }
    : entry

const readEntry = (state: State, entry: Entry): Read => {
  const [first] = entry.words
  return first !== undefined && !first.quoted && first.text.startsWith("$")
    ? readDirective(state, upper(first.text), entry.words.slice(1))
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

/** `[owner] [ttl] [class] type data`; ttl and class may come in either order. */
const readRecord = (state: State, { indented, line, words }: Entry): Read =>
  Result.gen(function* () {
    const left = [...words]
    const owner = indented ? state.owner : yield* absolute(state, left.shift())
    if (owner === undefined) return yield* Result.fail("no owner: there is no record before this one")
    state.owner = owner
    const { recordClass, ttl: given } = middleOf(left)
    const written = left.shift()
    if (written === undefined) return yield* Result.fail("no record type")
    if (!isInside(owner, state.zone)) return yield* Result.fail(`'${owner}' is not inside the zone '${state.zone}'`)
    if (recordClass !== "IN") return yield* Result.fail(`class ${recordClass}: only IN is served`)
    const type = upper(written.text)
    const name = genericType(type) ?? type
    if (name === "SOA" && (given ?? state.defaultTtl ?? state.lastTtl) === undefined) state.minimumFrom ??= line
    const ttl = ttlFor(state, given)
    const known = RecordType.literals.find((_) => _ === name)
    if (known === undefined || written.quoted) return yield* skippedType(line, name, written)
    if (ttl === null && state.minimumFrom !== undefined) state.ignoresMinimum = true
    const data = isGeneric(left) ? yield* genericData(known, left) : yield* readData(state, known, left)
    return { line, name: yield* qualify(owner, state.zone), type: known, ttl, data }
  })

/**
 * The TTL of an entry: its own; else that of `$TTL`; else, as in BIND, that of the SOA when none stands before it,
 * where Designate's own SOA leads to the zone's; else the last one that an entry gave; else the zone's.
 *
 * @returns seconds; null for the zone's
 */
const ttlFor = (state: State, given: number | undefined): number | null => {
  if (given !== undefined) state.lastTtl = given
  return given ?? state.defaultTtl ?? (state.minimumFrom === undefined ? state.lastTtl : undefined) ?? null
}

/** Upper case of ASCII: other characters that become ASCII in upper case are not the same type or class. */
const upper = (text: string): string => text.replaceAll(/[a-z]+/g, (_) => _.toUpperCase())

/** Whether a word can be a type, if of a registry that is newer than the one below. A class that stands twice cannot. */
const canBeType = (type: string): boolean =>
  /^[A-Z][A-Z0-9]*(?:-[A-Z0-9]+)*$/.test(type) &&
  classOf(type) === undefined &&
  (!/^TYPE\d+$/.test(type) || genericType(type) !== undefined)

/** Skips records that a valid file may have but tenants cannot write. A word that no type can be is an error. */
const skippedType = (line: number, type: string, { quoted, text }: Word): Read => {
  if (quoted || !canBeType(type)) return Result.fail(`'${text}' is not a record type`)
  if (type === "SOA" || type === "NS") {
    return Result.succeed({ line, why: `${type} records are written by the platform alone` })
  }
  return otherTypes.has(type) || genericType(type) !== undefined
    ? Result.succeed({ line, why: `records of type ${type} are not written here` })
    : Result.succeed({ line, why: `the record type ${type} is not known here`, unknownType: type })
}

/** The other types in the registry of DNS record types. New ones may miss here, and are skipped too. */
const otherTypes: ReadonlySet<string> = new Set(
  (
    "PTR SRV CAA NAPTR SSHFP SPF CERT DNAME DS DNSKEY RRSIG NSEC NSEC3 NSEC3PARAM TLSA SMIMEA LOC HINFO URI SVCB " +
    "HTTPS OPENPGPKEY CDS CDNSKEY AFSDB RP KEY KX SIG APL DHCID DLV IPSECKEY HIP EUI48 EUI64 ZONEMD CSYNC MINFO MB " +
    "MG MR NULL PX RT WKS X25 ISDN NSAP NSAP-PTR GPOS NID L32 L64 LP UID GID UINFO UNSPEC TALINK AVC AMTRELAY " +
    "RESINFO WALLET DSYNC HHIT BRID CLA IPN DOA TA NINFO RKEY NXT EID NIMLOC ATMA A6 SINK MD MF"
  ).split(" ")
)

/** The classes, by every name: RFC 3597, section 5, numbers them. */
const classes: ReadonlyMap<string, string> = new Map([
  ["IN", "IN"],
  ["CLASS1", "IN"],
  ["CH", "CH"],
  ["HS", "HS"],
  ["CS", "CS"]
])

const classOf = (text: string): string | undefined => classes.get(text) ?? (/^CLASS\d+$/.test(text) ? text : undefined)

/** Removes the TTL and the class before the type from the words, and returns them. */
const middleOf = (left: Array<Word>) => {
  let ttl: number | undefined
  let recordClass: string | undefined
  for (let taken = 0; taken < 2; taken++) {
    const [next] = left
    if (next === undefined || next.quoted) break
    const named = classOf(upper(next.text))
    if (ttl === undefined && ttlOf(next) !== undefined) ttl = ttlOf(next)
    else if (recordClass === undefined && named !== undefined) recordClass = named
    else break
    left.shift()
  }
  return { ttl, recordClass: recordClass ?? "IN" }
}

const units: Readonly<Record<string, number>> = { S: 1, M: 60, H: 3600, D: 86_400, W: 604_800 }

/** Parses a TTL to seconds: `3600`, or `1h30m` as in BIND. */
const ttlOf = ({ quoted, text }: Word): number | undefined => {
  if (quoted || !/^(?:\d{1,10}|(?:\d{1,10}[smhdw])+)$/i.test(text)) return undefined
  const parts = [...text.matchAll(/(\d+)([smhdw]?)/gi)]
  const seconds = parts.reduce((sum, [, count, unit = ""]) => sum + Number(count) * (units[unit.toUpperCase()] ?? 1), 0)
  return seconds <= 2_147_483_647 ? seconds : undefined
}

/** Makes a name of the file absolute: `@` is the origin, and a name without a dot at its end is relative to it. */
const absolute = ({ origin }: State, word: Word | undefined): Result.Result<string, string> => {
  if (word === undefined) return Result.fail("no name where one should be")
  if (word.quoted) return Result.fail("a name in quotes")
  if (word.text === "@") return Result.succeed(origin)
  if (word.text.includes("\\")) return Result.fail("an escape in a name: no name with one is served")
  const name = word.text.endsWith(".") ? word.text : origin === "." ? `${word.text}.` : `${word.text}.${origin}`
  const long = lengthError(name)
  return long === undefined ? Result.succeed(name) : Result.fail(long)
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
        // The root stands for a domain that accepts no mail.
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

import { isIPv4, isIPv6 } from "node:net"

const label = "(?!-)[A-Za-z0-9_-]{1,63}(?<!-)\\."
const domainName = new RegExp(`^(?!.{255,})(?:${label})+$`)
/** A record's name may begin with a wildcard. */
const hostName = new RegExp(`^(?!.{255,})(?:\\*\\.|${label})(?:${label})*$`)
const serviceName = new RegExp(`^(?:(?!-)_[A-Za-z0-9_-]{1,63}\\.){2}(?!.{255,})(?:${label})+$`)

/** Whether a text is the name of a zone, or of what a record points to. */
export const isDomainName = (text: string): boolean => domainName.test(text)

/** Whether a text may be the name of a recordset of any type. */
export const isHostName = (text: string): boolean => hostName.test(text)

/** Designate's record types (`designate/objects/rrdata_*.py`). */
interface RecordType {
  readonly isData: (data: string) => boolean
  /** Of types whose recordsets have names of their own kind. */
  readonly isName?: (name: string) => boolean
}

type Part = (text: string) => boolean

/** Data of parts between single blanks. */
const parts =
  (...each: ReadonlyArray<Part>) =>
  (data: string): boolean => {
    const values = data.split(" ")
    return values.length === each.length && each.every((is, i) => is(values[i] ?? ""))
  }

/** What Python's `int()` reads, within bounds. */
const integer =
  (least: number, most: number): Part =>
  (text) =>
    /^\s*[+-]?\d+(?:_\d+)*\s*$/.test(text) && within(Number(text.replaceAll("_", "")), least, most)

const within = (value: number, least: number, most: number): boolean => value >= least && value <= most

/** An integer without a sign or leading zeros. */
const plainInteger =
  (most: number): Part =>
  (text) =>
    /^(?:0|[1-9]\d*)$/.test(text) && Number(text) <= most

const short = integer(0, 65535)

const isSome: Part = (text) => text.trim() !== ""

const fits =
  (pattern: RegExp): Part =>
  (text) =>
    pattern.test(text)

const oneOf = (names: string, most: number): Part => {
  const known = new Set(names.split(" "))
  return (text) => known.has(text) || (/^\d+$/.test(text) && Number(text) <= most)
}

const isAddress = (text: string): boolean => isIPv6(text) && !text.includes("%")

/** RFC 1035, section 5.1: blanks only within quotes, quotes within quotes only after a backslash. */
const isQuoted = (text: string): boolean =>
  !text.startsWith('"') && !text.endsWith('"') ? !/\s/.test(text) : !/(?<!\\)"/.test(text.replaceAll(/^"+|"+$/g, ""))

const isString = (text: string): boolean =>
  text.length <= 255 && text.startsWith('"') === text.endsWith('"') && isQuoted(text)

/** Strings of 255 characters each. A shorter text is one string. */
const isText = (data: string): boolean => {
  if (data.endsWith("\\")) return false
  if (data.length <= 255) return isString(data)
  const bare = data.replaceAll(/^"+|"+$/g, "")
  const isWrapped = data.startsWith('"') && data.endsWith('"')
  return (isWrapped || bare.includes('" "')) && bare.split('" "').every((_) => isString(`"${_}"`))
}

/** The domain of an issuer or of a report's address has no dot at its end. */
const isUndotted: Part = (text) => isDomainName(`${text}.`)

const isProperty = (tag: string, value: string): boolean => {
  if (tag === "issue" || tag === "issuewild") {
    const [domain = "", ...parameters] = value.split(";")
    return isUndotted(domain) && parameters.every(fits(/^\s[A-Za-z0-9]+=[A-Za-z0-9]+/))
  }
  if (tag !== "iodef") return false
  const [, host] =
    /^mailto:[A-Za-z0-9_-]+(?:\+[A-Za-z0-9_-]+)?@([^@]*)/.exec(value) ?? /^https?:\/\/([^/]*)\//.exec(value) ?? []
  return host !== undefined && isUndotted(host)
}

const isAuthorization = (data: string): boolean => {
  const [flags = "", tag = "", ...rest] = data.split(" ")
  return integer(0, 1)(flags) && rest.length > 0 && isProperty(tag, rest.join(" "))
}

const isBase64 = (text: string): boolean => {
  const digits = text.replaceAll(/[^A-Za-z0-9+/=]/g, "")
  return digits.length % 4 === 0 && !/=[^=]|={3}/.test(digits)
}

const isCertificate = (data: string): boolean => {
  const [type = "", tag = "", algorithm = "", ...rest] = data.split(" ")
  return (
    certificateType(type) && short(tag) && certificateAlgorithm(algorithm) && rest.length > 0 && isBase64(rest.join(""))
  )
}

const certificateType = oneOf("PKIX SPKI PGP IPKIX ISPKI IPGP ACPKIX IACPKIX URI OID DPKIX DPTR", 65535)
const certificateAlgorithm = oneOf(
  "RSAMD5 DSA RSASHA1 DSA-NSEC3-SHA1 RSASHA1-NSEC3-SHA1 RSASHA256 RSASHA512 ECC-GOST ECDSAP256SHA256 ECDSAP384SHA384 " +
    "ED25519 ED448",
  255
)

/** `supported_record_type`, and what each requires. */
const types: Readonly<Record<string, RecordType>> = {
  A: { isData: isIPv4 },
  AAAA: { isData: isAddress },
  CNAME: { isData: isDomainName },
  MX: { isData: parts(plainInteger(65535), fits(/^.{0,254}\.$/)) },
  SRV: { isData: parts(short, short, short, isDomainName), isName: fits(serviceName) },
  TXT: { isData: isText },
  SPF: { isData: isQuoted },
  NS: { isData: isDomainName, isName: isDomainName },
  PTR: { isData: isDomainName },
  SSHFP: { isData: parts(plainInteger(4), plainInteger(2), fits(/^(?:[0-9A-Fa-f]{10,40}|[0-9A-Fa-f]{64})$/)) },
  // A recordset of this type is the service's own.
  SOA: { isData: () => true },
  NAPTR: {
    isData: parts(
      short,
      short,
      fits(/^(?!.*(.).*\1)[APSU]+$/),
      fits(/^.{0,255}$/),
      fits(/^(?:$|([^0-9i\\])(?=.{0,254}$)(.*)\1((.+)|(\\[1-9]))\1(i?))/),
      isDomainName
    )
  },
  CAA: { isData: isAuthorization },
  CERT: { isData: isCertificate }
}

export const recordType = (type: unknown): RecordType | undefined =>
  typeof type === "string" && Object.hasOwn(types, type) ? types[type] : undefined

/** What the reader of zone files requires of data: an import takes more than the API does. */
const zoneFileData: Readonly<Record<string, (data: string) => boolean>> = {
  A: isIPv4,
  AAAA: isAddress,
  MX: parts(short, isSome),
  SRV: parts(short, short, short, isSome)
}

export const isZoneFileData = (type: string, data: string): boolean => (zoneFileData[type] ?? isSome)(data)

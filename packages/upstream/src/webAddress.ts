import { isIP } from "node:net"
import { domainToUnicode } from "node:url"

/** Why an address was rejected: part of a sentence whose subject is the address. */
export interface Misread {
  readonly why: string
}

/**
 * Control characters, white space and invisible characters; the backslash,
 * which some parsers treat as a slash; and characters that end a URL within a
 * text.
 */
const notInAddresses = /[\p{C}\p{Z}\\<>"]/u

/** The base URL for paths, without trailing slashes. */
export const baseOf = ({ href }: URL): string => href.replace(/\/+$/, "")

/** Scheme and authority (RFC 3986, section 3). The authority ends at the first slash, question mark or number sign. */
const shape = /^([A-Za-z][A-Za-z0-9+.-]*):\/\/([^/?#]*)/

const authorityShape = /^(\[[^\]]*\]|[^[\]:]*)(?::(.*))?$/

const label = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/

/**
 * Parses a URL only if all parsers agree on it.
 *
 * Parsers of URLs disagree. The WHATWG parser, which the connection uses,
 * treats `\` as `/`, skips tabs, line feeds and surplus slashes, decodes `%` in
 * hosts, and reads `0x7f.1` as 127.0.0.1. A reader that follows RFC 3986, such
 * as another program's check, a proxy or a person, sees another host. So
 * ambiguous URLs are rejected.
 *
 * @returns the URL for the connection, or why it was rejected
 */
export const readAddress = (text: string): URL | Misread => {
  if (notInAddresses.test(text)) return wrong("has characters that no address has: they are written percent-encoded")
  const parts = shape.exec(text)
  const url = URL.parse(text)
  if (parts === null || url === null) return wrong("is not an address")
  const [, scheme = "", authority = ""] = parts
  if (url.protocol !== `${scheme.toLowerCase()}:`) return wrong("is not an address")
  if (authority.includes("@")) return wrong("must hold no user name and no password")
  const [, host = "", port] = authorityShape.exec(authority) ?? []
  if (host === "") return wrong("names no host")
  if (port !== undefined && !isPort(port)) return wrong("must have a port from 1 to 65535, or none")
  const misread = misreadHost(host, url)
  return misread === undefined ? url : wrong(misread)
}

const wrong = (why: string): Misread => ({ why })

const isPort = (text: string): boolean => /^[1-9]\d{0,4}$/.test(text) && Number(text) <= 65_535

/** Why parsers disagree about a host. */
const misreadHost = (host: string, { hostname }: URL): string | undefined => {
  if (host.startsWith("[")) {
    // An IPv4-mapped address: some programs connect to the IPv4 address, others treat it as IPv6.
    return /^\[::ffff:[0-9a-f]{1,4}:[0-9a-f]{1,4}\]$/.test(hostname)
      ? "must have an address of IPv4 in its own form, as 192.0.2.1"
      : undefined
  }
  if (host.includes("%")) return "must have its host without percent-encoding"
  if (host.endsWith(".")) return "must have its host without a dot at the end"
  if (isIP(hostname) === 4) {
    return hostname === host ? undefined : "must have an address of IPv4 as four decimal numbers, as 192.0.2.1"
  }
  const isAscii = /^[\u0021-\u007e]*$/.test(host)
  if (hostname.length > 253 || !hostname.split(".").every((_) => label.test(_)))
    return "names a host that is not a name"
  return isAscii || isReadBack(host, hostname)
    ? undefined
    : "must have its host in ASCII (xn--), because programs read these letters differently"
}

/** Characters that IDNA 2003 and IDNA 2008 map to different names (UTS 46, deviation characters). */
const deviating = /[\u00df\u1e9e\u03c2\u200c\u200d]/

/** Whether an internationalised name is in its registered form, without characters that parsers map differently. */
const isReadBack = (host: string, hostname: string): boolean =>
  !deviating.test(host) && domainToUnicode(hostname) === host.toLowerCase()

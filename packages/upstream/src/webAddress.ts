import { isIP } from "node:net"
import { domainToUnicode } from "node:url"

/** What is wrong with an address: part of a sentence whose subject is the address. */
export interface Misread {
  readonly why: string
}

/**
 * Control characters, white space and what is not to be seen; the backslash, which some readers take for a slash; and
 * what ends an address that stands in a text.
 */
const notInAddresses = /[\p{C}\p{Z}\\<>"]/u

/** An address that paths are put behind: without slashes at its end. */
export const baseOf = ({ href }: URL): string => href.replace(/\/+$/, "")

/** Scheme and authority (RFC 3986, section 3), which ends at the first slash, question mark or number sign. */
const shape = /^([A-Za-z][A-Za-z0-9+.-]*):\/\/([^/?#]*)/

const authorityShape = /^(\[[^\]]*\]|[^[\]:]*)(?::(.*))?$/

const label = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/

/**
 * Reads an address of the web in the one way that every reader agrees on.
 *
 * The readers of URLs disagree: the WHATWG one, which makes the connection, takes
 * `\` for `/`, skips tabs, line feeds and surplus slashes, decodes `%` in hosts,
 * and takes `0x7f.1` for 127.0.0.1. One that follows RFC 3986, such as a check
 * of another program, a proxy or a person, sees another host. So what they would
 * read differently is refused instead of understood.
 *
 * @returns the address as it is connected to, or what is wrong with it
 */
export const readAddress = (text: string): URL | Misread => {
  if (notInAddresses.test(text)) return wrong("has characters that no address has: they are written percent-encoded")
  const parts = shape.exec(text)
  const url = URL.parse(text)
  if (parts === null || url === null) return wrong("is no address")
  const [, scheme = "", authority = ""] = parts
  if (url.protocol !== `${scheme.toLowerCase()}:`) return wrong("is no address")
  if (authority.includes("@")) return wrong("must hold no user name and no password")
  const [, host = "", port] = authorityShape.exec(authority) ?? []
  if (host === "") return wrong("names no host")
  if (port !== undefined && !isPort(port)) return wrong("must have a port from 1 to 65535, or none")
  const misread = misreadHost(host, url)
  return misread === undefined ? url : wrong(misread)
}

const wrong = (why: string): Misread => ({ why })

const isPort = (text: string): boolean => /^[1-9]\d{0,4}$/.test(text) && Number(text) <= 65_535

/** Why a host is not read alike by everybody. */
const misreadHost = (host: string, { hostname }: URL): string | undefined => {
  if (host.startsWith("[")) {
    // It is an address of IPv4, which some programs connect to, and others look for among those of IPv6.
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
  if (hostname.length > 253 || !hostname.split(".").every((_) => label.test(_))) return "names a host that is no name"
  return isAscii || isReadBack(host, hostname)
    ? undefined
    : "must have its host in ASCII (xn--), because programs read these letters differently"
}

/** Letters that IDNA 2003 and IDNA 2008 take for different names (UTS 46, deviation characters). */
const deviating = /[\u00df\u1e9e\u03c2\u200c\u200d]/

/** Whether an international name stands as it is registered, without letters that are other ones to some readers. */
const isReadBack = (host: string, hostname: string): boolean =>
  !deviating.test(host) && domainToUnicode(hostname) === host.toLowerCase()

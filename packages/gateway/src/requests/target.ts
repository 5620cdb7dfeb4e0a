import { BadRequest } from "@portico/contract/Failures"
import type { IncomingMessage } from "node:http"
import { withKeyInOneSegment } from "./objectKeys.ts"

/** RFC 9112, section 3.2.2: a scheme, an authority, and the rest. */
const absoluteForm = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)(.*)$/is

/** Characters that mean the same encoded and plain (RFC 3986, section 2.3), where they are encoded. */
export const encodedPlainCharacter = /%(2[DE]|3\d|[46][1-9A-F]|[57][0-9A]|5F|7E)/i

/**
 * The path with each `%7E` as `~`. No other encoded character is read as if it were plain: a tilde is the one that
 * some encoders still write so, Java's `URLEncoder` and many generated clients above all (RFC 3986, section 2.3).
 */
export const withPlainTilde = (url: string): string => {
  if (!url.includes("%7")) return url
  const mark = url.indexOf("?")
  const path = mark < 0 ? url : url.slice(0, mark)
  return `${path.replaceAll(/%7e/gi, "~")}${url.slice(path.length)}`
}

/** Requests whose target is refused, with the refusal. */
const refused = new WeakMap<object, BadRequest>()

/** Why the target of a request is refused; undefined for all other requests. */
export const refusedTarget = (from: object): BadRequest | undefined => refused.get(from)

/**
 * Replaces the target of a request by the one spelling that every later reader sees: routers, proxies, the audit,
 * idempotency, metrics and traces. It is the path with its query, without the authority; with plain tildes; and with an
 * object key in one segment. Reading it again changes nothing.
 *
 * A server has to accept the absolute form (RFC 9112, section 3.2.2). Its authority has to be that of `Host`, as a
 * client or proxy sends it (RFC 9112, section 3.2): of two different hosts, two readers could take different ones.
 * {@link refusedTarget} says why a target is refused.
 */
export const readTarget = (from: IncomingMessage): void => {
  const { method = "", url = "" } = from
  const path = url.startsWith("/") ? url : pathOfAbsolute(from, url)
  const canonical = withKeyInOneSegment(method, withPlainTilde(path))
  if (canonical !== url) from.url = canonical
}

const pathOfAbsolute = (from: IncomingMessage, url: string): string => {
  const [, scheme = "", authority = "", rest = ""] = absoluteForm.exec(url) ?? []
  if (scheme === "") return url
  const why = reasonAgainst(scheme.toLowerCase(), authority, from.headers.host)
  if (why !== undefined) refused.set(from, BadRequest.targetInvalid(why))
  // HTTP/1.0 has no Host; addresses in the answer then begin with this one.
  else from.headers.host ??= authority
  return rest.startsWith("/") ? rest : `/${rest}`
}

const reasonAgainst = (scheme: string, authority: string, host: string | undefined): string | undefined => {
  if (scheme !== "http" && scheme !== "https") return "its scheme is neither http nor https"
  if (authority.includes("@")) return "it holds a user name or a password"
  if (authority === "") return "it names no host"
  return host !== undefined && canonicalAuthority(scheme, host) !== canonicalAuthority(scheme, authority)
    ? "it names another host or port than the Host header"
    : undefined
}

/** In lower case, and without the scheme's own port (RFC 3986, section 6.2.3). */
const canonicalAuthority = (scheme: string, authority: string): string =>
  authority.toLowerCase().replace(scheme === "http" ? /:(80)?$/ : /:(443)?$/, "")

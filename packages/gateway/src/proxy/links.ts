import { type IaasService, iaasServices } from "@portico/contract/IaasServices"
import type { Catalog } from "@portico/upstream/openstack/Catalog"
import { RegExp as Pattern } from "effect"
import { stockPrefix } from "../requests/route.ts"

/** How a client reaches the services. */
export interface Reached {
  /** With a trailing slash: `/v1/iaas/`, or a whole address. */
  readonly services: string
  /** Whether links contain the service's version. */
  readonly versioned: boolean
}

/** @param versioned whether the client's path contained the version. Below `/openstack` it then finds it in links too. */
export const reachedAt = (address: string, prefix: string, versioned: boolean): Reached => ({
  services: `${address}${prefix}`,
  versioned: versioned && prefix === stockPrefix
})

/**
 * Rewrites addresses of the platform's services to the gateway's own, so that clients can follow them and no internal
 * host is disclosed.
 */
export interface Links {
  /** A URI reference in a response header, or undefined for another internal address. */
  location(value: string, service: string, reached: Reached): string | undefined
  /** The targets of a Link header (RFC 8288). */
  link(value: string, service: string, reached: Reached): string | undefined
  /** Rewrites every address of a service in a text. */
  text(body: string, reached: Reached): string
  /** The same for a text in pieces. A possible beginning of an address is held back until the next piece. */
  stream(reached: Reached): { push(piece: Buffer): Buffer; end(): Buffer }
}

/** `http://host/v2.1` and, because some links omit the version, `http://host`; each with the version that it contains. */
const addressesOf = (base: string): ReadonlyArray<readonly [address: string, version: string]> => {
  const version = /\/v\d+(\.\d+)?$/.exec(base)?.[0] ?? ""
  const unversioned = base.slice(0, base.length - version.length)
  return [[base, version], ...(version === "" ? [] : [[unversioned, ""] as const])]
}

export const linksOf = (catalog: Catalog["Service"]): Links => {
  const known = new Map<string, { readonly service: IaasService; readonly version: string }>()
  for (const service of iaasServices) {
    const base = catalog.find(service)
    for (const [address, version] of base === undefined ? [] : addressesOf(base)) {
      if (!known.has(address)) known.set(address, { service, version })
    }
  }
  // The longest first: services may share a host, and one address may be a prefix of another.
  const addresses = [...known.keys()].toSorted((a, b) => b.length - a.length)
  const longest = addresses[0]?.length ?? 0
  const pattern = new RegExp(`(?:${addresses.map((_) => Pattern.escape(_)).join("|")})(?=[/?#"\\\\\\s<>]|$)`, "g")

  const replaced = (body: string, { services, versioned }: Reached): string =>
    body.includes("://")
      ? body.replace(pattern, (found) => {
          const { service = "", version = "" } = known.get(found) ?? {}
          return `${services}${service}${versioned ? version : ""}`
        })
      : body

  const location = (value: string, service: string, reached: Reached): string | undefined => {
    if (/^[a-z][a-z0-9+.-]*:/i.test(value) || value.startsWith("//")) {
      const rewritten = replaced(value, reached)
      return rewritten.startsWith(reached.services) ? rewritten : undefined
    }
    if (!value.startsWith("/")) return value
    // Relative to the service's host. Below the service's base it is rewritten; any other path is not reachable
    // through the gateway.
    const { origin } = new URL(catalog.find(service) ?? "http://nowhere")
    return location(origin + value, service, reached)
  }

  return {
    location,
    link: (value, service, reached) => {
      const links = value.split(/,(?=\s*<)/).flatMap((one) => {
        const [, before, target, after] = /^(\s*<)([^>]*)(>.*)$/.exec(one) ?? []
        const rewritten = target === undefined ? undefined : location(target, service, reached)
        return rewritten === undefined ? [] : [`${before}${rewritten}${after}`]
      })
      return links.length === 0 ? undefined : links.join(",")
    },
    text: replaced,
    stream: (reached) => {
      let held = ""
      // Holds an address to its last character, because the next character decides whether it is one.
      const keepFrom = (text: string): number => {
        for (let i = Math.max(0, text.length - longest); i < text.length; i++) {
          if (text[i] === "h" && addresses.some((_) => _.startsWith(text.slice(i)))) return i
        }
        return text.length
      }
      return {
        push: (piece) => {
          const text = held + piece.toString("latin1")
          const cut = keepFrom(text)
          held = text.slice(cut)
          return Buffer.from(replaced(text.slice(0, cut), reached), "latin1")
        },
        end: () => Buffer.from(replaced(held, reached), "latin1")
      }
    }
  }
}

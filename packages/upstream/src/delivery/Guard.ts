import { Config, Context, Effect, Layer, Schema } from "effect"
import { lookup, type LookupAddress, type LookupOptions } from "node:dns"
import { isIP } from "node:net"
import { blockListOf, isIn, literalOf, neverPublic } from "../addresses.ts"
import { readAddress } from "../webAddress.ts"

type Found = (error: Error | null, address: string | Array<LookupAddress>, family?: number) => void

/** How names are looked up: by the operating system. */
export const NameLookup = Context.Reference<
  (
    hostname: string,
    options: LookupOptions & { all: true },
    found: (error: Error | null, addresses: Array<LookupAddress>) => void
  ) => void
>("portico/upstream/delivery/NameLookup", { defaultValue: () => lookup })

/** What a connection is refused with. */
export class RefusedAddress extends Error {
  override readonly name = "RefusedAddress"
}

/**
 * Which addresses of the outside world events may be sent to. Tenants choose
 * them, so that none may lead into the platform: an address counts by what it
 * resolves to at the moment of the connection, and never by its name.
 */
export class Guard extends Context.Service<
  Guard,
  {
    /** Why nothing is sent to the address as it is written; undefined when it may be, as far as that tells. */
    refusal(address: string): string | undefined
    /** {@link refusal}, and by what its name resolves to now. A name that does not resolve may do so later. */
    refusalNow(address: string): Effect.Effect<string | undefined>
    /**
     * Looks a name up for a connection, and lets it through only when every one
     * of its addresses may be connected to. The connection is then made to
     * these, so that a second answer of the name server changes nothing.
     */
    lookup(hostname: string, options: LookupOptions, found: Found): void
  }
>()("portico/upstream/delivery/Guard") {
  static readonly layer = Layer.effect(
    Guard,
    Effect.gen(function* () {
      const insecure = yield* Config.Boolean("WEBHOOK_ALLOW_HTTP").pipe(Config.withDefault(false))
      const allowed = blockListOf(yield* rangesIn(Config.schema(Ranges, "WEBHOOK_ALLOW_ADDRESSES")))
      const own = blockListOf(yield* rangesIn(Config.schema(Ranges, "WEBHOOK_REFUSE_ADDRESSES")))

      const find = yield* NameLookup

      const isRefused = (address: string): boolean =>
        isIP(address) === 0 || (!isIn(allowed, address) && (isIn(neverPublic, address) || isIn(own, address)))

      const isLaboratory = allowed.rules.length > 0

      const refusal = (address: string): string | undefined => {
        const url = readAddress(address)
        if ("why" in url) return `it ${url.why}`
        const schemes = insecure ? ["https:", "http:"] : ["https:"]
        if (!schemes.includes(url.protocol)) return "it must begin with https://"
        const literal = literalOf(url)
        if (literal !== undefined) return isRefused(literal) ? notThere : undefined
        return isLocalhost(url.hostname) || (!isLaboratory && isLocalName(url.hostname)) ? notThere : undefined
      }

      return Guard.of({
        refusal,
        refusalNow: (address) =>
          Effect.suspend(() => {
            const refused = refusal(address)
            if (refused !== undefined) return Effect.succeed(refused)
            return Effect.map(resolved(find, new URL(address).hostname), (addresses) =>
              addresses.some(isRefused) ? notThere : undefined
            )
          }),
        lookup: (hostname, options, found) =>
          find(hostname, { ...options, all: true }, (error, addresses) => {
            const [first] = addresses ?? []
            if (error !== null) return found(error, [])
            if (first === undefined || addresses.some((_) => isRefused(_.address))) {
              return found(new RefusedAddress(hostname), [])
            }
            if (options.all === true) found(null, addresses)
            else found(null, first.address, first.family)
          })
      })
    })
  )
}

/** The same for all of them: it says nothing of what is where. */
export const notThere = "events are sent to addresses of the public internet alone"

/** Loopback by definition, whatever a name server says (RFC 6761, section 6.3). */
const isLocalhost = (hostname: string): boolean => /(?:^|\.)localhost$/.test(hostname)

/**
 * Names that never lead to the public internet. One without a dot is completed with the search domains of this machine,
 * which are the platform's. The others are reserved: for neighbours on the link (RFC 6762), home networks (RFC 8375),
 * private use (ICANN, 2024), and name spaces beside DNS (RFC 7686 and 9476).
 */
const isLocalName = (hostname: string): boolean =>
  !hostname.includes(".") || /\.(?:local|internal|home\.arpa|onion|alt)$/.test(hostname)

/** The addresses of a host; none when it has none that can be found. A literal is its own. */
const resolved = (find: typeof NameLookup.Service, hostname: string): Effect.Effect<ReadonlyArray<string>> =>
  Effect.callback<ReadonlyArray<string>>((resume) =>
    find(hostname.replace(/^\[(.*)\]$/, "$1"), { all: true }, (error, addresses) =>
      resume(Effect.succeed(error === null ? addresses.map((_) => _.address) : []))
    )
  ).pipe(Effect.timeoutOrElse({ duration: "5 seconds", orElse: () => Effect.succeed([]) }))

/** `192.0.2.0/24, 2001:db8::/32`, or a lone address. */
const isRange = (text: string): boolean => {
  const [address = "", bits, ...more] = text.split("/")
  const longest = isIP(address) === 6 ? 128 : 32
  return (
    isIP(address) !== 0 &&
    more.length === 0 &&
    (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= longest))
  )
}

const split = (text: string): ReadonlyArray<string> =>
  text.split(",").flatMap((_) => (_.trim() === "" ? [] : [_.trim()]))

export const Ranges = Schema.String.check(
  Schema.makeFilter((text: string) => split(text).every(isRange), {
    expected: "networks such as 192.0.2.0/24, separated by commas"
  })
)

const rangesIn = (setting: Config.Config<string>) => setting.pipe(Config.withDefault(""), Config.map(split))

import { addressOf, contains } from "@portico/contract/Networks"
import { Config, Context, Effect, Layer } from "effect"
import { literalOf, neverPublic, rangesIn, withoutBrackets } from "../addresses.ts"
import { guardedLookup, maxAddresses, TenantNameLookup } from "../guardedLookup.ts"
import { readAddress } from "../webAddress.ts"

/**
 * The addresses that events may be sent to. Tenants choose the URLs, so none
 * may lead into the platform. An address is checked by what its name resolves
 * to at the time of the connection, and never by the name.
 */
export class Guard extends Context.Service<
  Guard,
  {
    /** Why nothing is sent to a URL, judged by its text alone; undefined when the text allows it. */
    refusal(address: string): string | undefined
    /**
     * Like {@link refusal}, and also by what the name resolves to now. A name
     * that does not resolve is allowed, because it may resolve later.
     */
    refusalNow(address: string): Effect.Effect<string | undefined>
    /** The name lookup of connections. It fails for a name with a refused address. */
    readonly lookup: ReturnType<typeof guardedLookup>
  }
>()("portico/upstream/delivery/Guard") {
  static readonly layer = Layer.effect(
    Guard,
    Effect.gen(function* () {
      const insecure = yield* Config.Boolean("WEBHOOK_ALLOW_HTTP").pipe(Config.withDefault(false))
      const allowed = yield* rangesIn("WEBHOOK_ALLOW_ADDRESSES")
      const refused = [...neverPublic, ...(yield* rangesIn("WEBHOOK_REFUSE_ADDRESSES"))]

      const find = yield* TenantNameLookup

      const isRefused = (text: string): boolean => {
        const address = addressOf(text)
        return address === undefined || (!contains(allowed, address) && contains(refused, address))
      }

      const hasAllowList = allowed.length > 0

      const refusal = (address: string): string | undefined => {
        const url = readAddress(address)
        if ("why" in url) return `it ${url.why}`
        const schemes = insecure ? ["https:", "http:"] : ["https:"]
        if (!schemes.includes(url.protocol)) return "it must begin with https://"
        const literal = literalOf(url)
        if (literal !== undefined) return isRefused(literal) ? notThere : undefined
        return isLocalhost(url.hostname) || (!hasAllowList && isLocalName(url.hostname)) ? notThere : undefined
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
        lookup: guardedLookup(find, isRefused)
      })
    })
  )
}

/** The same message for all refused addresses, so that it reveals nothing about the network. */
export const notThere = "events are sent to addresses of the public internet alone"

/** Loopback by definition, regardless of the name server (RFC 6761, section 6.3). */
const isLocalhost = (hostname: string): boolean => /(?:^|\.)localhost$/.test(hostname)

/**
 * Names that never lead to the public internet. A name without a dot is one of
 * the platform's own network, where anything answers for it. The others are
 * reserved: for neighbours on the link (RFC 6762), home networks
 * (RFC 8375), private use (ICANN, 2024), and name spaces beside DNS (RFC 7686
 * and 9476).
 */
const isLocalName = (hostname: string): boolean =>
  !hostname.includes(".") || /\.(?:local|internal|home\.arpa|onion|alt)$/.test(hostname)

/** The addresses of a host, empty when it does not resolve. An IP literal resolves to itself. */
const resolved = (find: typeof TenantNameLookup.Service, hostname: string): Effect.Effect<ReadonlyArray<string>> =>
  Effect.callback<ReadonlyArray<string>>((resume) =>
    find(withoutBrackets(hostname), { all: true }, (error, addresses) =>
      resume(Effect.succeed(error === null ? addresses.slice(0, maxAddresses).map((_) => _.address) : []))
    )
  ).pipe(Effect.timeoutOrElse({ duration: "5 seconds", orElse: () => Effect.succeed([]) }))

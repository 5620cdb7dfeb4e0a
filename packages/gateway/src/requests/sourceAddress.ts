import { addressOf, contains } from "@portico/contract/Networks"
import { rangesIn, specialNetworks } from "@portico/upstream/addresses"
import { Context, Effect, Layer, Option } from "effect"
import type { HttpServerRequest } from "effect/http"
import { type IpNetwork, NetAddress } from "effect/net"
import type { IncomingMessage } from "node:http"

/** What of a request says where it came from. */
export interface Arrival {
  /** The other end of its connection; undefined when that is closed already. */
  readonly peer: string | undefined
  /** The `X-Forwarded-For` header; the values of a repeated one are joined by commas. */
  readonly forwardedFor: string | undefined
}

/** Of a request to the router. */
export const arrivalOf = ({ headers, remoteAddress }: HttpServerRequest.HttpServerRequest): Arrival => ({
  peer: Option.getOrUndefined(remoteAddress),
  forwardedFor: headers["x-forwarded-for"]
})

/** Of a request that goes past the router. */
export const rawArrivalOf = ({ headers, socket }: IncomingMessage): Arrival => {
  const forwarded = headers["x-forwarded-for"]
  return { peer: socket.remoteAddress, forwardedFor: Array.isArray(forwarded) ? forwarded.join(",") : forwarded }
}

/**
 * The IP address that a request came from. Anybody can send `X-Forwarded-For`,
 * so it is believed only as far as proxies of `TRUSTED_PROXIES` wrote it: from
 * the right, each trusted address vouches for the one before it, and the first
 * that is not trusted is the client's.
 */
export class SourceAddresses extends Context.Service<
  SourceAddresses,
  {
    /** In its shortest spelling, an IPv4 address in IPv6 as IPv4; undefined when the connection is gone. */
    of(arrival: Arrival): string | undefined
  }
>()("portico/gateway/middleware/SourceAddresses") {
  static readonly layer = Layer.effect(
    SourceAddresses,
    Effect.gen(function* () {
      const trusted = yield* rangesIn("TRUSTED_PROXIES")
      const run = Effect.runForkWith(yield* Effect.context<never>())
      let warned = false
      return SourceAddresses.of({
        of: (arrival) => {
          const peer = arrival.peer === undefined ? undefined : unzoned(arrival.peer)
          if (peer === undefined) return undefined
          if (!warned && arrival.forwardedFor !== undefined && contains(own, peer) && !contains(trusted, peer)) {
            warned = true
            run(Effect.logWarning(untrusted, { peer: arrival.peer }))
          }
          return NetAddress.formatIp(sourceOf(peer, arrival.forwardedFor, trusted))
        }
      })
    })
  )
}

/** A client can send the header too, but hardly from an address of the platform's own networks. */
const untrusted =
  "requests with X-Forwarded-For come from an address that TRUSTED_PROXIES does not name: if it is a load balancer, " +
  "all clients behind it count as one source for signups and for tokens and logins that are not good"

const sourceOf = (
  peer: NetAddress.IpAddress,
  forwardedFor: string | undefined,
  trusted: ReadonlyArray<IpNetwork.IpNetwork>
): NetAddress.IpAddress => {
  let source = peer
  for (const hop of (forwardedFor ?? "").split(",").toReversed()) {
    if (!contains(trusted, source)) break
    const before = unzoned(withoutPort(hop.trim()))
    // Who wrote something else than an address there is the last one known.
    if (before === undefined) break
    source = before
  }
  return source
}

/** Some proxies add the port: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
const withoutPort = (hop: string): string =>
  /^\[([^\]]*)\](?::\d+)?$/.exec(hop)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(hop)?.[1] ?? hop

/** An address without its zone, which says nothing on another machine. */
const unzoned = (text: string): NetAddress.IpAddress | undefined => addressOf(text.replace(/(?<=:.*)%.*$/s, ""))

/** Where the platform's own proxies are. */
const own = specialNetworks("loopback", "private")

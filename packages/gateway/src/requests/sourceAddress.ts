import { addressOf, contains } from "@portico/contract/Networks"
import { rangesIn, specialNetworks } from "@portico/upstream/addresses"
import { makeRoom } from "@portico/upstream/TtlCache"
import { Context, Effect, Layer, Option } from "effect"
import type { HttpServerRequest } from "effect/http"
import { type IpNetwork, NetAddress } from "effect/net"
import type { IncomingMessage } from "node:http"

/** The parts of a request that show where it came from. */
export interface Arrival {
  /** The address of the connection's peer; undefined when the connection is already closed. */
  readonly peer: string | undefined
  /** The `X-Forwarded-For` header. Repeated headers are joined by commas. */
  readonly forwardedFor: string | undefined
}

/** The arrival of a request to the router. */
export const arrivalOf = ({ headers, remoteAddress }: HttpServerRequest.HttpServerRequest): Arrival => ({
  peer: Option.getOrUndefined(remoteAddress),
  forwardedFor: headers["x-forwarded-for"]
})

/** The arrival of a request that bypasses the router. */
export const rawArrivalOf = ({ headers, socket }: IncomingMessage): Arrival => {
  const forwarded = headers["x-forwarded-for"]
  return { peer: socket.remoteAddress, forwardedFor: Array.isArray(forwarded) ? forwarded.join(",") : forwarded }
}

/**
 * The IP address that a request came from. Any client can send `X-Forwarded-For`, so only the parts that proxies in
 * `TRUSTED_PROXIES` wrote count: from the right, each trusted address vouches for the one before it, and the first
 * untrusted address is the client's.
 */
export class SourceAddresses extends Context.Service<
  SourceAddresses,
  {
    /**
     * The address in its shortest form, an IPv4-mapped IPv6 address as IPv4; undefined when the connection is closed.
     */
    of(arrival: Arrival): string | undefined
  }
>()("portico/gateway/middleware/SourceAddresses") {
  static readonly layer = Layer.effect(
    SourceAddresses,
    Effect.gen(function* () {
      const trusted = yield* rangesIn("TRUSTED_PROXIES")
      const run = Effect.runForkWith(yield* Effect.context<never>())
      let warned = false
      /** Clients keep their connections, so few peers send many requests. */
      const knownPeers = new Map<string, string>()
      const sourceOfPeer = (peer: string): string | undefined => {
        const known = knownPeers.get(peer)
        if (known !== undefined) return known
        const address = unzoned(peer)
        if (address === undefined) return undefined
        const source = NetAddress.formatIp(address)
        makeRoom(knownPeers, peerLimit)
        knownPeers.set(peer, source)
        return source
      }
      return SourceAddresses.of({
        of: (arrival) => {
          if (arrival.forwardedFor === undefined) {
            return arrival.peer === undefined ? undefined : sourceOfPeer(arrival.peer)
          }
          const peer = arrival.peer === undefined ? undefined : unzoned(arrival.peer)
          if (peer === undefined) return undefined
          if (!warned && contains(platformNetworks, peer) && !contains(trusted, peer)) {
            warned = true
            run(Effect.logWarning(untrustedProxyWarning, { peer: arrival.peer }))
          }
          return NetAddress.formatIp(sourceOf(peer, arrival.forwardedFor, trusted))
        }
      })
    })
  )
}

/** The peers whose address is remembered. */
const peerLimit = 10_000

/** A client could send the header too, but hardly from the platform's own networks. */
const untrustedProxyWarning =
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
    const previous = unzoned(withoutPort(hop.trim()))
    // The proxy that wrote anything but an address there is the last known source.
    if (previous === undefined) break
    source = previous
  }
  return source
}

/** Some proxies append the port: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
const withoutPort = (hop: string): string =>
  /^\[([^\]]*)\](?::\d+)?$/.exec(hop)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(hop)?.[1] ?? hop

/** An address without its zone, which is meaningless on another machine. */
const unzoned = (text: string): NetAddress.IpAddress | undefined => addressOf(text.replace(/(?<=:.*)%.*$/s, ""))

/** Networks of the platform's own proxies. */
const platformNetworks = specialNetworks("loopback", "private")

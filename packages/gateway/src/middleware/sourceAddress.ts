import { Config, Context, Effect, Layer, Option, Schema } from "effect"
import type { HttpServerRequest } from "effect/http"
import type { IncomingMessage } from "node:http"
import { BlockList, isIP, SocketAddress } from "node:net"

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
      const prefixes = yield* Config.schema(Prefixes, "TRUSTED_PROXIES").pipe(Config.withDefault(""))
      const trusted = blockListOf(prefixes === "" ? [] : prefixes.split(",").map((_) => _.trim()))
      const run = Effect.runForkWith(yield* Effect.context<never>())
      let warned = false
      return SourceAddresses.of({
        of: (arrival) => {
          if (
            !warned &&
            arrival.forwardedFor !== undefined &&
            isPrivate(arrival.peer) &&
            !isTrusted(arrival, trusted)
          ) {
            warned = true
            run(Effect.logWarning(untrusted, { peer: arrival.peer }))
          }
          return sourceOf(arrival, trusted)
        }
      })
    })
  )
}

/** A client can send the header too, but hardly from an address of the platform's own networks. */
const untrusted =
  "requests with X-Forwarded-For come from an address that TRUSTED_PROXIES does not name: if it is a load balancer, " +
  "all clients behind it count as one source for signups and for tokens and logins that are not good"

const isTrusted = ({ peer }: Arrival, trusted: BlockList): boolean => {
  const address = peer === undefined ? undefined : addressOf(peer)
  return address !== undefined && isIn(trusted, address)
}

const sourceOf = ({ forwardedFor, peer }: Arrival, trusted: BlockList): string | undefined => {
  let source = peer === undefined ? undefined : addressOf(peer)
  for (const hop of (forwardedFor ?? "").split(",").toReversed()) {
    if (source === undefined || !isIn(trusted, source)) break
    const before = addressOf(withoutPort(hop.trim()))
    // Who wrote something else than an address there is the last one known.
    if (before === undefined) break
    source = before
  }
  return source
}

/** Some proxies add the port: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
const withoutPort = (hop: string): string =>
  /^\[([^\]]*)\](?::\d+)?$/.exec(hop)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(hop)?.[1] ?? hop

/** The one spelling of an IP address, without a zone; undefined for what is none. */
export const addressOf = (text: string): string | undefined => {
  const version = isIP(text)
  if (version !== 6) return version === 4 ? text : undefined
  const { address } = new SocketAddress({ address: text.replace(/%.*$/s, ""), family: "ipv6" })
  return address.startsWith("::ffff:") && address.includes(".") ? address.slice("::ffff:".length) : address
}

export const isIn = (list: BlockList, address: string): boolean =>
  list.check(address, isIP(address) === 6 ? "ipv6" : "ipv4")

export const blockListOf = (prefixes: ReadonlyArray<string>): BlockList => {
  const list = new BlockList()
  for (const prefix of prefixes) {
    const [address = "", bits] = prefix.split("/")
    const family = isIP(address) === 6 ? "ipv6" : "ipv4"
    list.addSubnet(address, bits === undefined ? (family === "ipv6" ? 128 : 32) : Number(bits), family)
  }
  return list
}

/** `10.0.0.0/8`, `2001:db8::/32`, or one address. */
export const isPrefix = (text: string): boolean => {
  const [, address = "", bits] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const version = isIP(address)
  return version !== 0 && !address.includes("%") && (bits === undefined || Number(bits) <= (version === 6 ? 128 : 32))
}

const privateNetworks = blockListOf([
  "10.0.0.0/8",
  "172.16.0.0/12",
  "192.168.0.0/16",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "::1/128",
  "fc00::/7"
])

const isPrivate = (peer: string | undefined): boolean => {
  const address = peer === undefined ? undefined : addressOf(peer)
  return address !== undefined && isIn(privateNetworks, address)
}

export const Prefixes = Schema.String.check(
  Schema.makeFilter((list: string) => list.split(",").every((_) => isPrefix(_.trim())), {
    expected: "a list of networks such as 10.0.0.0/8, separated by commas"
  })
)

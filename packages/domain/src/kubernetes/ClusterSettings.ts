import { addressOf, contains } from "@portico/contract/Networks"
import { exactRangesIn, specialNetworks, split, withoutBrackets } from "@portico/upstream/addresses"
import { Cache, Config, Context, Duration, Effect, Layer, Schema } from "effect"
import { IpNetwork, NetAddress } from "effect/net"
import { lookup } from "node:dns/promises"

/** An address and a port in network policies. */
export interface Endpoint {
  readonly address: string
  readonly port: number
}

/**
 * Private and link-local addresses: pods, Services and nodes, and the platform's own networks of
 * most clouds. Metadata services are at 169.254.169.254.
 */
export const privateNetworks = specialNetworks("private", "linkLocal").map(IpNetwork.format).toSorted().join(",")

/** The default namespaces of database operators, monitoring and the gateways' data planes. */
export const usualNamespaces = "kube-system,cnpg-system,strimzi,strimzi-system,envoy-gateway-system,monitoring"

/** The network surroundings of tenants' pods. */
export class ClusterSettings extends Context.Service<
  ClusterSettings,
  {
    /** Namespaces whose pods may reach tenants' pods: the edge, database operators, monitoring. */
    readonly platformNamespaces: ReadonlyArray<string>
    /** The namespaces of the cluster's DNS. */
    readonly dnsNamespaces: ReadonlyArray<string>
    /** Networks that tenants' pods must not reach; all others are open for egress. */
    readonly denied: ReadonlyArray<IpNetwork.IpNetwork>
    /** Exceptions from the denied networks. */
    readonly allowed: ReadonlyArray<IpNetwork.IpNetwork>
    /** The API server's networks as pods see them; empty to read them from the cluster. */
    readonly api: ReadonlyArray<IpNetwork.IpNetwork>
    /** Addresses of the operator plane, which no pod may reach, whatever else is allowed. */
    readonly operator: ReadonlyArray<string>
    /** The endpoints of the customer plane on those addresses. */
    readonly customer: ReadonlyArray<Endpoint>
    /** The object storage as databases reach it; the last known addresses while DNS fails. */
    readonly archive: Effect.Effect<ReadonlyArray<Endpoint>>
  }
>()("portico/domain/kubernetes/ClusterSettings") {
  static readonly layer = Layer.effect(
    ClusterSettings,
    Effect.gen(function* () {
      const names = (setting: string, usual: string) =>
        Config.schema(Names, setting).pipe(Config.withDefault(usual), Config.map(split))
      const [edge = ""] = (yield* Config.String("EDGE_GATEWAY").pipe(Config.withDefault("portico-edge/public"))).split(
        "/"
      )
      const operator = yield* planeOf("OPERATOR", 8081)
      const customer = yield* planeOf("CUSTOMER", 8080)
      const addresses = operator.addresses.filter(isSpecific)
      return ClusterSettings.of({
        platformNamespaces: [...new Set([edge, ...(yield* names("KUBERNETES_PLATFORM_NAMESPACES", usualNamespaces))])],
        dnsNamespaces: yield* names("KUBERNETES_DNS_NAMESPACES", "kube-system"),
        denied: yield* exactRangesIn("KUBERNETES_DENIED_NETWORKS", privateNetworks),
        allowed: yield* exactRangesIn("KUBERNETES_ALLOWED_NETWORKS"),
        api: yield* exactRangesIn("KUBERNETES_API_NETWORKS"),
        operator: addresses,
        customer: addresses
          .filter((_) => customer.addresses.includes(_) || customer.everywhere)
          .map((address) => ({ address, port: customer.port })),
        archive: yield* resolving(
          yield* Config.URL("DATABASE_ARCHIVE_ENDPOINT").pipe(Config.orElse(() => Config.URL("RGW_URL")))
        )
      })
    })
  )
}

/** The listening address of a plane, as its settings name it. */
const planeOf = Effect.fnUntraced(function* (plane: "OPERATOR" | "CUSTOMER", usual: number) {
  const host = yield* Config.String(`${plane}_HOST`).pipe(Config.withDefault("127.0.0.1"))
  const port = yield* Config.Int(`${plane}_PORT`).pipe(Config.withDefault(usual))
  return { addresses: [host], port, everywhere: host === "0.0.0.0" || host === "::" }
})

const ownHost = specialNetworks("loopback", "unspecified")

/** Whether pods could send to the address: it is neither a name, nor loopback, nor the unspecified address. */
const isSpecific = (text: string): boolean => {
  const address = addressOf(text)
  return address !== undefined && !contains(ownHost, address)
}

/** Caches the addresses of a URL for five minutes, and the last ones while DNS fails. */
const resolving = Effect.fnUntraced(function* (url: URL) {
  const port = url.port === "" ? (url.protocol === "http:" ? 80 : 443) : Number(url.port)
  const host = withoutBrackets(url.hostname)
  const literal = addressOf(host)
  const endpoints = (addresses: ReadonlyArray<string>) =>
    addresses
      .flatMap((_) => addressOf(_) ?? [])
      .map(NetAddress.formatIp)
      .filter(isSpecific)
      .toSorted()
      .map((address) => ({ address, port }))
  if (literal !== undefined) return Effect.succeed(endpoints([host]))
  let last: ReadonlyArray<Endpoint> = []
  // Every write to a namespace may run this, so the warning is logged once until the name resolves again.
  let isWarned = false
  const cache = yield* Cache.make({
    capacity: 1,
    timeToLive: Duration.minutes(5),
    lookup: (name: string) =>
      Effect.tryPromise(() => lookup(name, { all: true })).pipe(
        Effect.timeout("2 seconds"),
        Effect.map((found) => {
          isWarned = false
          return (last = endpoints(found.map((_) => _.address)))
        }),
        Effect.catch(() => {
          const before = isWarned
          isWarned = true
          return Effect.as(before ? Effect.void : unresolved(name), last)
        })
      )
  })
  return Cache.get(cache, host)
})

const unresolved = (name: string) =>
  Effect.logWarning(`the object storage '${name}' cannot be resolved for network policies`)

export const Names = Schema.String.check(
  Schema.makeFilter((text: string) => split(text).every((_) => /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(_)), {
    expected: "names of namespaces, separated by commas"
  })
)

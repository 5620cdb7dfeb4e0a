import { exactRangesIn } from "@portico/upstream/addresses"
import { Config, Context, Duration, Effect, Layer, Schema } from "effect"
import type { IpNetwork } from "effect/net"

/** The settings of the platform's edge. */
export class EdgeSettings extends Context.Service<
  EdgeSettings,
  {
    /** The domain that the host names of exposures end with. */
    readonly domain: string
    /** The Gateway that routes attach to. The routes are in its namespace, to which tenants have no access. */
    readonly gateway: { readonly namespace: string; readonly name: string }
    /** How long an unverified claim reserves a domain. */
    readonly hold: Duration.Duration
    /** Private addresses in these networks may be exposed. */
    readonly targetNetworks: ReadonlyArray<IpNetwork.IpNetwork>
    /** The platform's own names, which include all names below them. */
    readonly reserved: ReadonlyArray<string>
  }
>()("portico/domain/edge/EdgeSettings") {
  static readonly layer = Layer.effect(
    EdgeSettings,
    Effect.gen(function* () {
      const domain = yield* edgeDomain
      const gateway = yield* Config.schema(NamespacedName, "EDGE_GATEWAY").pipe(
        Config.withDefault("portico-edge/public")
      )
      const hours = yield* Config.schema(Hours, "EDGE_CLAIM_HOURS").pipe(Config.withDefault(72))
      const zones = yield* Config.String("PLATFORM_DNS_ZONES").pipe(Config.withDefault(""))
      const [namespace = "", name = ""] = gateway.split("/")
      return EdgeSettings.of({
        domain,
        gateway: { namespace, name },
        hold: Duration.hours(hours),
        targetNetworks: yield* exactRangesIn("EDGE_TARGET_NETWORKS"),
        reserved: [domain, ...split(zones).map((_) => _.toLowerCase().replace(/\.$/, ""))]
      })
    })
  )
}

const split = (text: string): ReadonlyArray<string> =>
  text
    .split(",")
    .map((_) => _.trim())
    .filter((_) => _ !== "")

const label = "[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?"

/** Short enough for the label of an exposure in front of it. */
export const Name = Schema.String.check(
  Schema.isPattern(new RegExp(`^${label}(\\.${label})+$`), { expected: "a domain name in lower case" }),
  Schema.isMaxLength(189)
)

/** The domain that host names of exposures end with. */
export const edgeDomain = Config.schema(Name, "EDGE_DOMAIN").pipe(Config.withDefault("edge.localhost"))

export const NamespacedName = Schema.String.check(
  Schema.isPattern(new RegExp(`^${label}/${label}$`), { expected: "a Gateway as namespace/name" })
)

const Hours = Schema.NumberFromString.check(
  Schema.isInt({ expected: "a whole number" }),
  Schema.isBetween({ minimum: 1, maximum: 8760 })
)

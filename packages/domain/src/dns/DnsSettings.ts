import { Forbidden } from "@portico/contract/Failures"
import { split } from "@portico/upstream/addresses"
import { Config, Context, Effect, Layer, Result, Schema } from "effect"
import { edgeDomain } from "../edge/EdgeSettings.ts"
import { getPublicSuffix } from "tldts"
import { isInside, lengthError, zoneName } from "./names.ts"

/** The DNS names of which no tenant makes a zone, and the default e-mail address of zones. */
export class DnsSettings extends Context.Service<
  DnsSettings,
  {
    /**
     * The refusal of a zone that is one of the platform's, or lies below or above one. The edge's domain and the names
     * of addresses are included without being listed: their owner could answer for every tenant's exposures, and for
     * every tenant's floating IPs. The same of a zone below which domains of many owners lie, by the public suffix list
     * (publicsuffix.org): Designate keeps all other tenants from making theirs there. Single labels are left to
     * Designate, which refuses them with its own message.
     *
     * @param name absolute, or without the dot at its end
     */
    refusalOf(name: string): ReturnType<typeof Forbidden.platformNamespace> | undefined
    /** The e-mail address of the person responsible for a zone of this name. */
    email(zone: string): string
  }
>()("portico/domain/dns/DnsSettings") {
  static readonly layer = Layer.effect(
    DnsSettings,
    Effect.gen(function* () {
      const listed = namesIn(yield* Config.schema(Zones, "PLATFORM_DNS_ZONES").pipe(Config.withDefault("")))
      const edge = dotted(yield* edgeDomain)
      const email = yield* Config.NonEmptyString("DNS_ZONE_EMAIL").pipe(Config.withDefault("hostmaster@{zone}"))
      return DnsSettings.of({
        refusalOf: (given) => {
          const name = dotted(given)
          const isAround = (own: string) => isInside(name, own) || isInside(own, name)
          if (listed.some(isAround)) return Forbidden.platformNamespace(given)
          if (isSingleLabel(name)) return undefined
          if ([edge, ...reverse].some(isAround)) return Forbidden.platformNamespace(given)
          return isShared(name.toLowerCase()) ? Forbidden.platformNamespace(given, manyOwners) : undefined
        },
        email: (zone) => email.replaceAll("{zone}", zone.replace(/\.$/, ""))
      })
    })
  )
}

/** RFC 1035, section 3.5, and RFC 3596, section 2.5. */
const reverse = ["in-addr.arpa.", "ip6.arpa."]

const manyOwners = "domains of many owners lie below it"

/** Below some suffixes a company sells names, as below `eu.org`. */
const withPrivateOnes = { allowPrivateDomains: true }

/** Whether a name is a public suffix, or has one in the place of any name directly below it, as `kawasaki.jp` has. */
const isShared = (name: string): boolean =>
  lengthError(name) === undefined &&
  [name, `any.${name}`].map((_) => _.slice(0, -1)).some((_) => getPublicSuffix(_, withPrivateOnes) === _)

const isSingleLabel = (name: string): boolean => name.indexOf(".") === name.length - 1

const dotted = (name: string): string => (name.endsWith(".") ? name : `${name}.`)

const namesIn = (text: string): ReadonlyArray<string> => split(text).map((_) => dotted(_.toLowerCase()))

export const Zones = Schema.String.check(
  Schema.makeFilter((text: string) => namesIn(text).every((_) => Result.isSuccess(zoneName(_))), {
    expected: "names of zones such as cloud.example., separated by commas"
  })
)

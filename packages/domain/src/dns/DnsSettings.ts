import { split } from "@portico/upstream/addresses"
import { Config, Context, Effect, Layer, Result, Schema } from "effect"
import { edgeDomain } from "../edge/EdgeSettings.ts"
import { isInside, zoneName } from "./names.ts"

/** The DNS names that the platform reserves, and the default e-mail address of zones. */
export class DnsSettings extends Context.Service<
  DnsSettings,
  {
    /**
     * Whether a zone is one of the platform's, or lies below or above one. The edge's domain is
     * included without being listed: its owner could answer for every tenant's exposures. A single
     * label above it is left to Designate, which refuses it with its own message.
     *
     * @param name absolute, or without the dot at its end
     */
    isReserved(name: string): boolean
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
        isReserved: (given) => {
          const name = dotted(given)
          const isAround = (own: string) => isInside(name, own) || isInside(own, name)
          return listed.some(isAround) || (isAround(edge) && !isSingleLabel(name))
        },
        email: (zone) => email.replaceAll("{zone}", zone.replace(/\.$/, ""))
      })
    })
  )
}

const isSingleLabel = (name: string): boolean => name.indexOf(".") === name.length - 1

const dotted = (name: string): string => (name.endsWith(".") ? name : `${name}.`)

const namesIn = (text: string): ReadonlyArray<string> => split(text).map((_) => dotted(_.toLowerCase()))

export const Zones = Schema.String.check(
  Schema.makeFilter((text: string) => namesIn(text).every((_) => Result.isSuccess(zoneName(_))), {
    expected: "names of zones such as cloud.example., separated by commas"
  })
)

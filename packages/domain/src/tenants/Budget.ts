import type { Dimension } from "@portico/contract/Admission"
import { type Tier, tiers } from "@portico/contract/Tiers"
import { Config, Context, Effect, Layer } from "effect"

export type Amounts = Readonly<Record<Dimension, number>>

export const dimensions = ["cores", "ram_gib", "block_gib", "object_gib", "floating_ips"] as const

/** What one tenant of the tier takes from the budget. */
export const amountsOf = (tier: Tier): Amounts => ({
  cores: tiers[tier].cores,
  ram_gib: tiers[tier].ram_mib / 1024,
  block_gib: tiers[tier].gigabytes,
  object_gib: tiers[tier].object_gigabytes,
  floating_ips: tiers[tier].floating_ips
})

/** The platform's sellable budget. Memory and storage in GiB. */
export class Budget extends Context.Service<Budget, Amounts>()("portico/domain/tenants/Budget") {
  static readonly layer = Layer.effect(
    Budget,
    Effect.gen(function* () {
      return Budget.of({
        cores: yield* Config.Int("SELLABLE_CORES"),
        ram_gib: yield* Config.Int("SELLABLE_RAM_GIB"),
        block_gib: yield* Config.Int("SELLABLE_BLOCK_GIB"),
        object_gib: yield* Config.Int("SELLABLE_OBJECT_GIB"),
        floating_ips: yield* Config.Int("SELLABLE_FLOATING_IPS")
      })
    })
  )
}

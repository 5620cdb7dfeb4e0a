import { Config, Option, Redacted } from "effect"

/**
 * The keys from which the passwords of tenants' users are derived and under which stored secrets are sealed. The first
 * one derives and seals. What another one derived or sealed still opens, while the keys are rotated.
 */
export type TenantKeys = readonly [Redacted.Redacted, ...ReadonlyArray<Redacted.Redacted>]

/** An empty setting is no key. */
const accepted = Config.option(Config.Redacted("ACCEPTED_TENANT_PASSWORD_KEY")).pipe(
  Config.map(Option.filter((_) => Redacted.value(_) !== ""))
)

export const tenantKeys: Config.Config<TenantKeys> = Config.map(
  Config.all([Config.Redacted("TENANT_PASSWORD_KEY"), accepted]),
  // The same key twice would look for the claims of other replicas among its own.
  ([current, other]) => [current, ...Option.toArray(other).filter((_) => Redacted.value(_) !== Redacted.value(current))]
)

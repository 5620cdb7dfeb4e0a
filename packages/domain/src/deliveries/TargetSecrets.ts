import type { SealedSecret, TargetEntry } from "@portico/store/Targets"
import { tenantKeys } from "@portico/upstream/tenantKeys"
import { Clock, Context, Effect, Layer } from "effect"
import { sealWith } from "../seal.ts"

/** Seals and opens the secrets of targets. The store holds them sealed, each bound to its target. */
export class TargetSecrets extends Context.Service<
  TargetSecrets,
  {
    /** Seals a target's new secret for the store. */
    close(targetId: string, secret: string): SealedSecret
    /** The secrets that have not expired, newest first; one that was sealed under another key is left out. */
    open(target: Pick<TargetEntry, "target_id" | "secrets">): Effect.Effect<ReadonlyArray<string>>
    /** The secrets, sealed under the first key; undefined when each of them is already, or no key opens it. */
    renew(target: Pick<TargetEntry, "target_id" | "secrets">): ReadonlyArray<SealedSecret> | undefined
  }
>()("portico/domain/deliveries/TargetSecrets") {
  static readonly layer = Layer.effect(
    TargetSecrets,
    Effect.gen(function* () {
      const seal = sealWith(yield* tenantKeys, "portico/webhooks")
      return TargetSecrets.of({
        close: (targetId, secret) => ({ sealed: seal.close(targetId, Buffer.from(secret, "utf8")), ends_at: null }),
        open: ({ secrets, target_id }) =>
          Effect.map(Clock.currentTimeMillis, (now) =>
            secrets
              .filter(({ ends_at }) => ends_at === null || Date.parse(ends_at) > now)
              .flatMap(({ sealed }) => seal.open(target_id, sealed)?.toString("utf8") ?? [])
          ),
        renew: ({ secrets, target_id }) => {
          const renewed = secrets.map((_) => seal.renew(target_id, _.sealed))
          return renewed.every((_) => _ === undefined)
            ? undefined
            : secrets.map((secret, nth) => ({ ...secret, sealed: renewed[nth] ?? secret.sealed }))
        }
      })
    })
  )
}

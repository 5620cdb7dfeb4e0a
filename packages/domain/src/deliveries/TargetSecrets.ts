import type { SealedSecret, TargetEntry } from "@portico/store/Targets"
import { Clock, Config, Context, Effect, Layer } from "effect"
import { sealWith } from "../seal.ts"

/** Seals and opens the secrets of targets. The store holds them sealed, each bound to its target. */
export class TargetSecrets extends Context.Service<
  TargetSecrets,
  {
    /** Seals a target's new secret for the store. */
    close(targetId: string, secret: string): SealedSecret
    /** The secrets that have not expired, newest first; one that was sealed under another key is left out. */
    open(target: Pick<TargetEntry, "target_id" | "secrets">): Effect.Effect<ReadonlyArray<string>>
  }
>()("portico/domain/deliveries/TargetSecrets") {
  static readonly layer = Layer.effect(
    TargetSecrets,
    Effect.gen(function* () {
      const seal = sealWith(yield* Config.Redacted("TENANT_PASSWORD_KEY"), "portico/webhooks")
      return TargetSecrets.of({
        close: (targetId, secret) => ({ sealed: seal.close(targetId, Buffer.from(secret, "utf8")), ends_at: null }),
        open: ({ secrets, target_id }) =>
          Effect.map(Clock.currentTimeMillis, (now) =>
            secrets
              .filter(({ ends_at }) => ends_at === null || Date.parse(ends_at) > now)
              .flatMap(({ sealed }) => seal.open(target_id, sealed)?.toString("utf8") ?? [])
          )
      })
    })
  )
}

import { certificatesIn } from "@portico/upstream/certificates"
import { Config, Context, Effect, Layer, Option } from "effect"

/**
 * Where databases write their archives: `DATABASE_ARCHIVE_ENDPOINT`, the object
 * gateway as the Kubernetes cluster reaches it, and `RGW_URL` without it. Its
 * certificate may be signed by an authority of the platform's own.
 */
export class Archives extends Context.Service<
  Archives,
  {
    /** Without a slash at its end. */
    readonly endpoint: string
    /** PEM of `DATABASE_ARCHIVE_CA_FILE`. */
    readonly ca: string | undefined
  }
>()("portico/domain/databases/Archives") {
  static readonly layer = Layer.effect(
    Archives,
    Effect.gen(function* () {
      const url = yield* Config.URL("DATABASE_ARCHIVE_ENDPOINT").pipe(Config.orElse(() => Config.URL("RGW_URL")))
      const ca = yield* Config.option(
        Config.String("DATABASE_ARCHIVE_CA_FILE").pipe(Config.mapEffect(certificatesIn("DATABASE_ARCHIVE_CA_FILE")))
      )
      return Archives.of({ endpoint: url.href.replace(/\/+$/, ""), ca: Option.getOrUndefined(ca) })
    })
  )
}

import { NodeHttpClient } from "@effect/platform-node"
import { Config, Context, Effect, Layer, Option } from "effect"
import { getCACertificates } from "node:tls"
import { certificatesIn } from "./certificates.ts"

/** The authorities that sign the certificates of what stands behind the gateway; undefined for those of Node alone. */
export const Trust = Context.Reference<ReadonlyArray<string> | undefined>("portico/upstream/Trust", {
  defaultValue: () => undefined
})

/** Those in the file that `UPSTREAM_CA_FILE` names, beside the usual ones. */
export const layer = Layer.effect(
  Trust,
  Effect.gen(function* () {
    const file = yield* Config.option(
      Config.String("UPSTREAM_CA_FILE").pipe(Config.mapEffect(certificatesIn("UPSTREAM_CA_FILE")))
    )
    return Option.isNone(file) ? undefined : [...getCACertificates("default"), file.value]
  })
)

/** For an undici agent's `connect`. */
export const trusting = (ca: ReadonlyArray<string> | undefined): { readonly ca?: Array<string> } =>
  ca === undefined ? {} : { ca: [...ca] }

/** A client that trusts them. */
export const client = Layer.unwrap(
  Effect.map(Trust, (ca) =>
    ca === undefined ? NodeHttpClient.layerUndici : NodeHttpClient.layerUndiciOptions({ connect: trusting(ca) })
  )
)

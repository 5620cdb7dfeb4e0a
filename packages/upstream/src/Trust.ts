import { NodeHttpClient } from "@effect/platform-node"
import { Config, Context, Effect, Layer, Option } from "effect"
import { getCACertificates } from "node:tls"
import { certificatesIn } from "./certificates.ts"
import { acceptUnaskedContinue } from "./interim.ts"

/** The certificate authorities of the upstreams; undefined for Node's default ones alone. */
export const Trust = Context.Reference<ReadonlyArray<string> | undefined>("portico/upstream/Trust", {
  defaultValue: () => undefined
})

/** The authorities in the file `UPSTREAM_CA_FILE`, beside Node's default ones. */
export const layer = Layer.effect(
  Trust,
  Effect.gen(function* () {
    const file = yield* Config.option(
      Config.String("UPSTREAM_CA_FILE").pipe(Config.mapEffect(certificatesIn("UPSTREAM_CA_FILE")))
    )
    return Option.isNone(file) ? undefined : [...getCACertificates("default"), file.value]
  })
)

/** The `connect` options of an undici agent. */
export const trusting = (ca: ReadonlyArray<string> | undefined): { readonly ca?: Array<string> } =>
  ca === undefined ? {} : { ca: [...ca] }

/**
 * The most bytes of the head of an upstream's answer, names and values of its headers together. Node's own limit, which
 * is a quarter of it, is less than what Envoy lets a service answer (60 KiB).
 */
export const longestHead = 64 * 1024

/** An HTTP client that trusts these authorities. It speaks HTTP/1.1 alone, as the proxies do. */
export const client = Layer.unwrap(
  Effect.map(Trust, (ca) =>
    NodeHttpClient.layerUndiciOptions({ allowH2: false, maxHeaderSize: longestHead, connect: trusting(ca) })
  )
).pipe(Layer.merge(Layer.effectDiscard(acceptUnaskedContinue)))

import { Effect, Schema } from "effect"
import { HttpClient, HttpClientRequest, HttpClientResponse } from "effect/http"
import type { DevFile } from "./DevFile.ts"

/** By tenant slug: the server and the volume that the first start creates. */
const demoUsages: Readonly<Record<string, { readonly flavor: string; readonly gigabytes: number }>> = {
  acme: { flavor: "4", gigabytes: 50 },
  globex: { flavor: "2", gigabytes: 10 }
}

const Ids = Schema.Array(Schema.Struct({ id: Schema.String }))
const Images = Schema.Struct({ images: Ids })
const Networks = Schema.Struct({ networks: Ids })

/**
 * Creates a server and a volume for each demo tenant, so that there is usage to bill. It calls the customer plane as
 * a tenant would, where billable calls publish events. The start does not wait for it, and succeeds without it.
 */
export const demoUsage = (dev: DevFile) =>
  Effect.forEach(dev.tenants, (tenant) => usageOf(dev.customer_url, tenant), { discard: true }).pipe(
    Effect.catchCause((cause) => Effect.logWarning("the demo tenants have no billable usage", cause))
  )

const usageOf = Effect.fnUntraced(function* (url: string, { slug, tokens }: DevFile["tenants"][number]) {
  const usage = demoUsages[slug]
  if (usage === undefined) return
  const client = HttpClient.filterStatusOk(yield* HttpClient.HttpClient)
  const at = (path: string) => `${url}/v1/iaas/${path}`
  const read = <A>(path: string, schema: Schema.Codec<A, unknown>) =>
    HttpClientRequest.get(at(path)).pipe(
      HttpClientRequest.bearerToken(tokens.tier1),
      client.execute,
      Effect.flatMap(HttpClientResponse.schemaBodyJson(schema))
    )
  const create = (path: string, body: object) =>
    HttpClientRequest.post(at(path)).pipe(
      HttpClientRequest.bearerToken(tokens.tier1),
      HttpClientRequest.bodyJsonUnsafe(body),
      client.execute
    )

  const { images } = yield* read("image/images", Images)
  const { networks } = yield* read(`network/networks?name=${slug}-net`, Networks)
  yield* create("volume/volumes", { volume: { name: "demo", size: usage.gigabytes } })
  yield* create("compute/servers", {
    server: {
      name: "demo",
      flavorRef: usage.flavor,
      imageRef: images[0]?.id,
      networks: networks.map((_) => ({ uuid: _.id }))
    }
  })
})

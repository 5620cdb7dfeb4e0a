import { jsonOf, TestGateway } from "../../packages/gateway/test/harness/TestGateway.ts"
import { Effect, Schema } from "effect"
import type { Project } from "./projects.ts"

const Flavors = Schema.Array(Schema.Struct({ id: Schema.String, ram: Schema.Int, disk: Schema.Int }))
const Images = Schema.Array(Schema.Struct({ id: Schema.String }))
const Extensions = Schema.Array(Schema.Struct({ alias: Schema.String }))
const Networks = Schema.Array(
  Schema.Struct({
    id: Schema.String,
    name: Schema.String,
    subnets: Schema.Array(Schema.String),
    "router:external": Schema.Boolean
  })
)

/** What a suite makes servers of, the network that leads outside, and the project's own, as a tenant sees them. */
export const seenBy = Effect.fnUntraced(function* ({ name, token }: Project) {
  const { call } = yield* TestGateway
  const read = <A>(path: string, key: string, schema: Schema.Codec<A, unknown>) =>
    Effect.flatMap(call("customer", "GET", `/v1/iaas/${path}`, { token }), (answer) =>
      answer.status === 200
        ? Effect.orDie(Schema.decodeUnknownEffect(schema)(jsonOf(answer)[key]))
        : Effect.die(`${path}: ${answer.status} ${answer.text}`)
    )
  const flavors = yield* read("compute/flavors/detail", "flavors", Flavors)
  const images = yield* read("image/images?status=active", "images", Images)
  const extensions = yield* read("network/v2.0/extensions", "extensions", Extensions)
  const networks = yield* read("network/v2.0/networks", "networks", Networks)
  const external = networks.find((_) => _["router:external"])
  const own = networks.find((_) => _.name === `${name}-net`)
  if (external === undefined || own === undefined) return yield* Effect.die("a network is missing")
  return {
    extensions: extensions.map((_) => _.alias),
    flavors: flavors
      .toSorted((a, b) => a.ram - b.ram || a.disk - b.disk)
      .filter(({ disk, ram }) => ram >= 512 && disk >= 1)
      .map((_) => _.id),
    images: images.map((_) => _.id),
    external,
    own
  }
})

export type Seen = Effect.Success<ReturnType<typeof seenBy>>

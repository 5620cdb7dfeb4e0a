import type { Tier } from "@portico/contract/Tiers"
import { Context, Effect, Layer } from "effect"
import { randomBytes } from "node:crypto"
import { type Tenant, tenant } from "../harness/Cast.ts"
import type { Asked } from "../harness/http.ts"
import { jsonOf, TestGateway } from "../harness/TestGateway.ts"
import { Administrator, polled } from "./Administrator.ts"
import { realCloud } from "./RealGateway.ts"
import { removeTenant } from "./removeTenant.ts"

/** A name that no other run has. It is its own slug. */
export const unique = (name: string): string => `${name}-${randomBytes(4).toString("hex")}`

/** Removes the tenant of this slug at the end of the scope, however far it has come. */
export const leavesAtTheEnd = (slug: string) =>
  Effect.addFinalizer(
    Effect.fnUntraced(function* () {
      const { projects } = yield* (yield* Administrator).read("identity", `/projects?name=${slug}`)
      for (const { id } of projects) yield* removeTenant(id)
    })
  )

/** A tenant as {@link tenant} makes it, of a name of its own, that is there for as long as the scope. */
export const guest = Effect.fnUntraced(function* (name: string, tier: Tier = "discovery") {
  const slug = unique(name)
  yield* leavesAtTheEnd(slug)
  return yield* tenant(slug, tier)
})

/** Two tenants for the stories of one file: acme is of the tier discovery, globex of standard. */
export class Guests extends Context.Service<Guests, { readonly acme: Tenant; readonly globex: Tenant }>()(
  "portico/gateway/test/real/Guests"
) {
  static readonly layer = Layer.effect(
    Guests,
    // One after the other: the network service is slow at several routers at once.
    Effect.all({ acme: guest("acme", "discovery"), globex: guest("globex", "standard") })
  )
}

/** The gateway in front of the real services with both of them. */
export const realGuests = Guests.layer.pipe(Layer.provideMerge(realCloud))

/** A request to the platform through the customer plane. */
export const through = Effect.fnUntraced(function* (token: string, method: string, path: string, asked: Asked = {}) {
  const { call } = yield* TestGateway
  return yield* call("customer", method, `/v1/iaas${path}`, { token, ...asked })
})

/** The body of a good answer. */
export const shown = Effect.fnUntraced(function* (token: string, path: string) {
  const answer = yield* through(token, "GET", path)
  if (answer.status !== 200) return yield* Effect.die(`GET ${path} answered ${answer.status}: ${answer.text}`)
  return jsonOf(answer)
})

/** What a POST has made. */
export const made = Effect.fnUntraced(function* (token: string, path: string, body: object) {
  const answer = yield* through(token, "POST", path, { body })
  if (answer.status >= 300) return yield* Effect.die(`POST ${path} answered ${answer.status}: ${answer.text}`)
  return jsonOf(answer)
})

/** Waits until there is nothing any more. */
export const isGone = (token: string, path: string) => polled(through(token, "GET", path), (_) => _.status === 404)

/** A running server on the tenant's network, by its id. */
export const serverOf = Effect.fnUntraced(function* ({ networkId, tokens }: Tenant, name: string, more: object = {}) {
  const [, token] = tokens
  const { flavor: flavorName, image } = yield* Administrator
  const { flavors } = yield* shown(token, "/compute/flavors")
  const { images } = yield* shown(token, `/image/images?name=${image}`)
  const flavor = flavors.find((_: { readonly name: string }) => _.name === flavorName)
  const wanted = { name, flavorRef: flavor.id, imageRef: images[0].id, networks: [{ uuid: networkId }], ...more }
  const { server } = yield* made(token, "/compute/servers", { server: wanted })
  yield* polled(shown(token, `/compute/servers/${server.id}`), (_) => _.server.status === "ACTIVE")
  return String(server.id)
})

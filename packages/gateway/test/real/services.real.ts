import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { Resolver } from "node:dns/promises"
import type { Tenant } from "../harness/Cast.ts"
import { jsonOf, TestGateway } from "../harness/TestGateway.ts"
import { polled } from "./Administrator.ts"
import { guest, isGone, made, shown, through, unique } from "./Guests.ts"
import { realCloud } from "./RealGateway.ts"
import { told } from "./told.ts"

class Guest extends Context.Service<Guest, Tenant>()("portico/gateway/test/real/Guest") {
  static readonly layer = Layer.effect(Guest, guest("services", "standard"))
}

const stage = Guest.layer.pipe(Layer.provideMerge(realCloud))

layer(stage, { excludeTestServices: true })("the other services on the real systems", (it) => {
  it.effect("a security group has its rules, and SSH from the world needs the override", () =>
    Effect.gen(function* () {
      const [read, operate, destroy] = (yield* Guest).tokens
      const { security_group } = yield* made(operate, "/network/security-groups", { security_group: { name: "web" } })
      const rules = "/network/security-group-rules"
      const open = (port: number) => ({
        security_group_rule: {
          security_group_id: security_group.id,
          direction: "ingress",
          protocol: "tcp",
          port_range_min: port,
          port_range_max: port,
          remote_ip_prefix: "0.0.0.0/0"
        }
      })
      yield* made(operate, rules, open(443))
      const refused = yield* through(operate, "POST", rules, { body: open(22) })
      assert.deepStrictEqual([refused.status, jsonOf(refused).code], [403, "world_open_ssh"])
      yield* made(operate, `${rules}?allow_ssh_from_anywhere=true`, open(22))
      const shownRules = yield* shown(read, `${rules}?security_group_id=${security_group.id}&direction=ingress`)
      assert.sameMembers(
        shownRules.security_group_rules.map((_: { readonly port_range_min: number }) => _.port_range_min),
        [22, 443]
      )

      const one = `/network/security-groups/${security_group.id}`
      assert.strictEqual((yield* through(operate, "DELETE", one)).status, 403)
      assert.strictEqual((yield* through(destroy, "DELETE", one)).status, 204)
    })
  )

  it.effect("a zone: its records are served by the name server, and change in place", () =>
    Effect.gen(function* () {
      const [read, operate, destroy] = (yield* Guest).tokens
      const name = `${unique("services")}.example.`
      const zone = yield* made(operate, "/dns/zones", { name, email: "hostmaster@people.example" })
      const one = `/dns/zones/${zone.id}`
      yield* polled(shown(read, one), (_) => _.status === "ACTIVE")
      const www = { name: `www.${name}`, type: "A", records: ["192.0.2.7"] }
      const record = yield* made(operate, `${one}/recordsets`, www)
      yield* polled(addressesOf(www.name), (_) => _.includes("192.0.2.7"))

      const change = { body: { records: ["192.0.2.8"] } }
      const changed = yield* through(operate, "PUT", `${one}/recordsets/${record.id}`, change)
      assert.strictEqual(changed.status, 202, changed.text)
      yield* polled(addressesOf(www.name), (_) => _.includes("192.0.2.8"))

      const { call } = yield* TestGateway
      const key = "k".repeat(400)
      const text = { name: "_domainkey", type: "TXT", records: [key] }
      const long = yield* call("customer", "POST", `/v1/dns/zones/${zone.id}/recordsets`, {
        token: operate,
        body: text
      })
      assert.strictEqual(long.status, 201, long.text)
      yield* polled(textsOf(`_domainkey.${name}`), (_) => _.includes(key))

      assert.strictEqual((yield* through(operate, "DELETE", one)).status, 403)
      assert.strictEqual((yield* through(destroy, "DELETE", one)).status, 202)
      yield* isGone(read, one)
    })
  )

  it.effect("a load balancer reaches ACTIVE, takes a listener, and counts as usage", () =>
    Effect.gen(function* () {
      const { call } = yield* TestGateway
      const { networkId, tokens } = yield* Guest
      const [read, operate, destroy] = tokens
      const balancers = "/load-balancer/lbaas/loadbalancers"
      const { subnets } = yield* shown(read, `/network/subnets?network_id=${networkId}`)
      const wanted = { loadbalancer: { name: "front", vip_subnet_id: subnets[0].id } }
      const { loadbalancer } = yield* made(operate, balancers, wanted)
      const one = `${balancers}/${loadbalancer.id}`
      const settles = polled(shown(read, one), (_) => _.loadbalancer.provisioning_status === "ACTIVE")
      yield* settles
      const listener = { loadbalancer_id: loadbalancer.id, protocol: "HTTP", protocol_port: 80 }
      yield* made(operate, "/load-balancer/lbaas/listeners", { listener })
      yield* settles
      const { load_balancers } = jsonOf(yield* call("customer", "GET", "/v1/quotas", { token: read }))
      assert.deepStrictEqual(load_balancers, { limit: 2, used: 1, source: "octavia" })

      assert.strictEqual((yield* through(operate, "DELETE", `${one}?cascade=true`)).status, 403)
      assert.strictEqual((yield* through(destroy, "DELETE", `${one}?cascade=true`)).status, 204)
      const gone = (status: string | undefined) => status === undefined || status === "DELETED"
      yield* polled(through(read, "GET", one), (_) => gone(jsonOf(_).loadbalancer?.provisioning_status))
    })
  )

  it.effect("a secret is stored, its address is the gateway's, and keys cannot read its payload", () =>
    Effect.gen(function* () {
      const { url } = yield* TestGateway
      const [read, operate, destroy] = (yield* Guest).tokens
      const wanted = { name: "door", payload: "opensesame", payload_content_type: "text/plain" }
      const { secret_ref } = yield* made(operate, "/key-manager/v1/secrets", wanted)
      const prefix = `${url.customer}/v1/iaas`
      assert.isTrue(secret_ref.startsWith(`${prefix}/key-manager/v1/secrets/`), secret_ref)
      const one = secret_ref.slice(prefix.length)
      assert.deepInclude(yield* shown(read, one), { name: "door", status: "ACTIVE", secret_ref })

      for (const token of [read, operate, destroy]) {
        for (const asked of [`${one}/payload`, one]) {
          const refused = yield* through(token, "GET", asked, { headers: { accept: "text/plain" } })
          assert.deepStrictEqual([refused.status, jsonOf(refused).code], [403, "secret_payload_refused"])
        }
      }
      assert.strictEqual((yield* through(operate, "DELETE", one)).status, 403)
      assert.strictEqual((yield* through(destroy, "DELETE", one)).status, 204)
      assert.strictEqual((yield* through(read, "GET", one)).status, 404)
    })
  )
})

/** What the cloud's own name server says. */
const asked = <A>(ask: (resolver: Resolver) => Promise<Array<A>>) =>
  Effect.promise(async () => {
    const resolver = new Resolver({ timeout: 2_000, tries: 2 })
    resolver.setServers([told("REAL_CLOUD_DNS")])
    return ask(resolver).catch((): Array<A> => [])
  })

const addressesOf = (name: string) => asked((_) => _.resolve4(name))

const textsOf = (name: string) => asked(async (_) => (await _.resolveTxt(name)).map((parts) => parts.join("")))

import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { jsonOf, TestGateway } from "../harness/TestGateway.ts"
import { connections, imports, serverActs } from "./guards/acts.ts"
import { locations, payloads } from "./guards/contents.ts"
import { examined } from "./guards/examined.ts"
import { removals } from "./guards/methods.ts"
import { Offender } from "./guards/Offender.ts"
import { addressGroups, oldOpenings, openings } from "./guards/openings.ts"
import { claims, queries } from "./guards/projects.ts"
import * as scenes from "./guards/scenes.ts"
import { allocations, gateways, networkPorts, topologies, uplinks } from "./guards/uplinks.ts"

layer(Offender.layer, { excludeTestServices: true })("the real services, with and without the gateway", (it) => {
  const families = [
    ["rules that open SSH to the world", openings, scenes.group],
    ["rules that open it by the old interface", oldOpenings, scenes.group],
    ["address groups with every address", addressGroups, scenes.addresses],
    ["gateways of routers", gateways, scenes.router],
    ["gateways that are there", uplinks, scenes.routers],
    ["ports of the network itself", networkPorts, scenes.ports],
    ["topologies that are made up", topologies, scenes.topology],
    ["servers that bring one", allocations, scenes.servers],
    ["locations of images", locations, scenes.image],
    ["payloads of secrets", payloads, scenes.secret]
  ] as const
  for (const [what, family, scene] of families) {
    it.effect(
      `${what}: of ${family.attempts.length} attempts, each that succeeds at the service is refused by the gateway`,
      () => Effect.flatMap(scene, (_) => examined(family, _))
    )
  }

  const kinds = [
    ["server", scenes.server],
    ["volume", scenes.volume],
    ["image", scenes.passingImage],
    ["group", scenes.passingGroup],
    ["address", scenes.address],
    ["zone", scenes.zone],
    ["offer", scenes.offer]
  ] as const
  for (const [kind, scene] of kinds) {
    it.effect(`no ${kind} is removed by a method other than the request line's, at any tier`, () =>
      Effect.flatMap(scene, (_) => examined(removals[kind], _, [0, 1, 2]))
    )
  }

  it.effect("no server is deleted by a POST with a key below tier 2", () =>
    Effect.flatMap(scenes.server, (_) => examined(serverActs, _, [0, 1]))
  )

  it.effect("no caller sees how to connect to the storage of a volume", () =>
    Effect.flatMap(scenes.storage, (_) => examined(connections, _, [1, 2]))
  )

  it.effect("Glance fetches no address", () => Effect.flatMap(scenes.download, (_) => examined(imports, _, [1, 2])))

  it.effect("a read-only key creates nothing", () =>
    Effect.gen(function* () {
      const { directly, done, tenant } = yield* Offender
      const { call } = yield* TestGateway
      const offers = `/zones/${yield* scenes.newZone}/tasks/transfer_requests?_method=post`
      const count = Effect.map(done("GET", "dns", "/zones/tasks/transfer_requests"), (_) => _.transfer_requests.length)
      const before = yield* count
      assert.strictEqual((yield* directly("GET", "dns", offers, { body: {} })).status, 201)
      assert.strictEqual(yield* count, before + 1)
      const answer = yield* call("customer", "GET", `/v1/iaas/dns${offers}`, { token: tenant.tokens[0], body: {} })
      assert.deepStrictEqual([answer.status, jsonOf(answer).code], [400, "query_not_canonical"])
      assert.strictEqual(yield* count, before + 1)
    })
  )

  it.effect("no query shows another project's resources, at the real services or through the gateway", () =>
    Effect.forEach(queries, shownAlike, { discard: true })
  )

  it.effect("no forged header is trusted", () => Effect.forEach(claims, shownAlike, { discard: true }))

  const shownAlike = Effect.fnUntraced(function* ({ headers, key, path, query, service }: (typeof queries)[number]) {
    const { directly, tenant } = yield* Offender
    const { call } = yield* TestGateway
    const target = `${path}${query === "" ? "" : `?${query.replaceAll("OWN", tenant.projectId)}`}`
    const really = yield* directly("GET", service, target, { headers })
    const answer = yield* call("customer", "GET", `/v1/iaas/${service}${target}`, { headers, token: tenant.tokens[2] })
    for (const { status, text } of [really, answer]) {
      if (status !== 200) continue
      for (const row of JSON.parse(text)[key]) {
        const owner = row.project_id ?? row.tenant_id ?? row.owner ?? row["os-vol-tenant-attr:tenant_id"]
        if (owner !== undefined && row.visibility !== "public") {
          assert.strictEqual(owner, tenant.projectId, `${service}${target} ${JSON.stringify(headers)}`)
        }
      }
    }
    // What the services refuse to members is taken away, or is another project.
    assert.include([200, 400, 403], answer.status, `${service}${target} ${JSON.stringify(headers)}: ${answer.text}`)
    if (headers !== undefined) assert.strictEqual(answer.status, 200, `${JSON.stringify(headers)}: ${answer.text}`)
  })
})

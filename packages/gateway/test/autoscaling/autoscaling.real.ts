import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Tenant } from "../harness/Cast.ts"
import { jsonOf, TestGateway } from "../harness/TestGateway.ts"
import { Administrator, polled } from "../real/Administrator.ts"
import { guest, shown, through } from "../real/Guests.ts"
import { realCloudWith } from "../real/RealGateway.ts"
import { told } from "../real/told.ts"

/** The gateway in front of the real services, with a job that looks every second. */
const stage = realCloudWith(Effect.succeed({ AUTOSCALING_SECONDS: "1" }))

const groups = "/v1/autoscaling/groups"

interface Shown {
  readonly state: string
  readonly reason: string | null
  readonly desired: number
  readonly servers: ReadonlyArray<{ readonly server_id: string; readonly status: string }>
}

const templateOf = Effect.fnUntraced(function* ({ tokens }: Tenant) {
  const { flavors } = yield* shown(tokens[0], "/compute/flavors")
  const { images } = yield* shown(tokens[0], `/image/images?name=${told("REAL_CLOUD_IMAGE")}`)
  const flavor = flavors.find((_: { readonly name: string }) => _.name === told("REAL_CLOUD_FLAVOR"))
  return { flavor_id: flavor.id, image_id: images[0].id, user_data: "#!/bin/sh\necho ä\n" }
})

const ask = Effect.fnUntraced(function* (tenant: Tenant, method: string, path: string, body?: object) {
  const { call } = yield* TestGateway
  return yield* call("customer", method, `${groups}${path}`, { token: tenant.tokens[2], body })
})

/** Waits until the group is so; a server of the fake hypervisor takes a few seconds, and a look half a minute at most. */
const until = (tenant: Tenant, id: string, isSo: (group: Shown) => boolean) => {
  const look = Effect.map(ask(tenant, "GET", `/${id}`), (_): Shown => jsonOf(_))
  return Effect.catchDefect(polled(look, isSo), () => polled(look, isSo))
}

layer(stage, { excludeTestServices: true })("autoscaling on the real Nova", (it) => {
  it.effect(
    "a group grows, replaces deleted servers, shows Nova's quota message, and is removed",
    () =>
      Effect.gen(function* () {
        const tenant = yield* guest("scaled")
        const { read } = yield* Administrator
        const template = yield* templateOf(tenant)
        const made = yield* ask(tenant, "POST", "", { name: "web", min: 1, max: 5, desired: 2, template })
        assert.strictEqual(made.status, 201, made.text)
        const id = String(jsonOf(made).group_id)
        const has = (count: number) => (_: Shown) => _.state === "active" && _.servers.length === count
        const grown = yield* until(tenant, id, has(2))
        const [victim] = grown.servers
        const server = yield* shown(tenant.tokens[0], `/compute/servers/${victim?.server_id}`)
        assert.strictEqual(server.server.metadata["portico-autoscaling-group"], id)

        yield* through(tenant.tokens[2], "DELETE", `/compute/servers/${victim?.server_id}`)
        // A change makes it due, and it sees that one is missing.
        yield* ask(tenant, "PATCH", `/${id}`, { desired: 3 })
        const replaced = yield* until(tenant, id, has(3))
        assert.notInclude(
          replaced.servers.map((_) => _.server_id),
          victim?.server_id
        )

        const quota = `/os-quota-sets/${tenant.projectId}`
        const { ask: admin } = yield* Administrator
        yield* admin("PUT", "compute", quota, { body: { quota_set: { instances: 3, force: true } } })
        yield* ask(tenant, "PATCH", `/${id}`, { desired: 4 })
        const limited = yield* until(tenant, id, (_) => _.state === "limited")
        assert.match(limited.reason ?? "", /^Quota exceeded for instances/)

        assert.strictEqual((yield* ask(tenant, "DELETE", `/${id}`)).status, 202)
        yield* Effect.catchDefect(
          polled(ask(tenant, "GET", `/${id}`), (_) => _.status === 404),
          () => polled(ask(tenant, "GET", `/${id}`), (_) => _.status === 404)
        ).pipe(Effect.catchDefect(() => polled(ask(tenant, "GET", `/${id}`), (_) => _.status === 404)))
        const { servers } = yield* read("compute", `/servers?all_tenants=1&project_id=${tenant.projectId}`)
        assert.deepStrictEqual(servers, [])
      }),
    300_000
  )
})

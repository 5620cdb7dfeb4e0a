import { assert, layer } from "@effect/vitest"
import { fixtures } from "@portico/simulator/Fixtures"
import { publicImageId } from "@portico/simulator/glance/state"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { repeatInTime } from "@portico/testing/clock"
import { Effect } from "effect"
import { Cast, operator, type Tenant } from "../harness/Cast.ts"
import type { Answer } from "../harness/http.ts"
import { Tapped } from "./odd.ts"
import { Tap } from "../harness/Tap.ts"
import { jsonOf, TestGateway } from "../harness/TestGateway.ts"

/** What a tenant keeps of a service: how one is made, and which routes lead to it. */
interface Kind {
  readonly list: string
  /** Further lists in which it stands. */
  readonly details?: ReadonlyArray<string>
  readonly make: (tenant: Tenant) => object
  readonly made: number
  /** The envelope of one, if there is any. */
  readonly one: string | undefined
  readonly many: string
  readonly removed: number
  /** The service itself words a refusal of its policy unlike an absence, both 404; and its words go on verbatim. */
  readonly tells?: true
}

const network = (list: string, one: string, make: (tenant: Tenant) => object): Kind => ({
  list: `/network/${list}`,
  make: (_) => ({ [one]: make(_) }),
  made: 201,
  one,
  many: list.replaceAll("-", "_"),
  removed: 204,
  tells: true
})

const kinds: Readonly<Record<string, Kind>> = {
  servers: {
    list: "/compute/servers",
    details: ["/compute/servers/detail"],
    make: (_) => ({
      server: { name: "web", flavorRef: "2", imageRef: publicImageId, networks: [{ uuid: _.networkId }] }
    }),
    made: 202,
    one: "server",
    many: "servers",
    removed: 204
  },
  volumes: {
    list: "/volume/volumes",
    details: ["/volume/volumes/detail"],
    make: () => ({ volume: { size: 1, name: "data" } }),
    made: 202,
    one: "volume",
    many: "volumes",
    removed: 202
  },
  networks: network("networks", "network", () => ({ name: "more" })),
  subnets: network("subnets", "subnet", (_) => ({
    network_id: _.networkId,
    ip_version: 4,
    cidr: "172.20.0.0/24"
  })),
  routers: network("routers", "router", () => ({ name: "more" })),
  ports: network("ports", "port", (_) => ({ network_id: _.networkId })),
  "floating IPs": network("floatingips", "floatingip", () => ({ floating_network_id: fixtures.externalNetworkId })),
  "security groups": network("security-groups", "security_group", () => ({ name: "web" })),
  images: {
    list: "/image/images",
    make: () => ({ name: "disk", disk_format: "raw", container_format: "bare" }),
    made: 201,
    one: undefined,
    many: "images",
    removed: 204
  },
  keypairs: {
    list: "/compute/os-keypairs",
    make: () => ({ keypair: { name: "laptop" } }),
    made: 200,
    one: "keypair",
    many: "keypairs",
    removed: 202
  }
}

const within = (kind: Kind, answer: Answer) => {
  const body = jsonOf(answer)
  return kind.one === undefined ? body : body[kind.one]
}

/** Keypairs have no other id than their name, and an envelope each in a list too. */
/** A keypair's id is a number that no path knows. */
const idOf = (thing: { readonly id?: unknown; readonly name: string }): string =>
  typeof thing.id === "string" ? thing.id : thing.name
const idsIn = (kind: Kind, answer: Answer): ReadonlyArray<string> =>
  jsonOf(answer)[kind.many].map((_: { readonly keypair?: { readonly name: string }; readonly name: string }) =>
    idOf(_.keypair ?? _)
  )

layer(Tapped)("a tenant's resources through the proxy", (it) => {
  for (const [name, kind] of Object.entries(kinds)) {
    it.effect(`${name}: created at tier 1, read at tier 0, deleted at tier 2, and 404 for other tenants`, () =>
      Effect.gen(function* () {
        const { acme, globex } = yield* Cast
        const { call } = yield* TestGateway
        const as = (token: string, method: string, path: string, body?: unknown) =>
          call("customer", method, `/v1/iaas${path}`, { token, body })
        const [read, operate, destroy] = acme.tokens

        const made = yield* as(operate, "POST", kind.list, kind.make(acme))
        assert.strictEqual(made.status, kind.made, made.text)
        const id = idOf(within(kind, made))
        const one = `${kind.list}/${id}`

        for (const list of [kind.list, ...(kind.details ?? [])]) {
          assert.include(idsIn(kind, yield* as(read, "GET", list)), id)
          assert.notInclude(idsIn(kind, yield* as(globex.tokens[2], "GET", list)), id)
        }
        const shown = yield* as(read, "GET", one)
        assert.deepStrictEqual([shown.status, idOf(within(kind, shown))], [200, id])

        // Another tenant's is what never was.
        const absent = name === "keypairs" ? "nobodys" : "0b5e7d1c-8f0a-4c6e-9d43-1c1f0a9b8e77"
        for (const method of ["GET", "DELETE"]) {
          const foreign = yield* as(globex.tokens[2], method, one)
          const never = yield* as(globex.tokens[2], method, `${kind.list}/${absent}`)
          assert.strictEqual(foreign.status, 404, method)
          assert.strictEqual(never.status, 404, method)
          if (kind.tells) continue
          assert.strictEqual(foreign.text.replaceAll(id, "{id}"), never.text.replaceAll(absent, "{id}"), method)
        }

        yield* repeatInTime(as(read, "GET", one), (_) => within(kind, _).status !== "creating")
        const removed = yield* as(destroy, "DELETE", one)
        assert.strictEqual(removed.status, kind.removed, removed.text)
      })
    )
  }

  it.effect("a rule of a security group", () =>
    Effect.gen(function* () {
      const { acme, globex } = yield* Cast
      const { call } = yield* TestGateway
      const as = (token: string, method: string, path: string, body?: unknown) =>
        call("customer", method, `/v1/iaas/network${path}`, { token, body })
      const [read, operate, destroy] = acme.tokens
      const group = jsonOf(yield* as(operate, "POST", "/security-groups", { security_group: { name: "db" } }))
      const rule = {
        security_group_id: group.security_group.id,
        direction: "ingress",
        protocol: "tcp",
        port_range_min: 5432,
        port_range_max: 5432,
        remote_ip_prefix: "10.0.0.0/8"
      }
      const made = yield* as(operate, "POST", "/security-group-rules", { security_group_rule: rule })
      assert.strictEqual(made.status, 201, made.text)
      const one = `/security-group-rules/${jsonOf(made).security_group_rule.id}`
      assert.deepInclude(jsonOf(yield* as(read, "GET", one)).security_group_rule, rule)
      assert.strictEqual((yield* as(globex.tokens[2], "GET", one)).status, 404)
      // Nor can another tenant add to the group.
      assert.strictEqual(
        (yield* as(globex.tokens[1], "POST", "/security-group-rules", { security_group_rule: rule })).status,
        404
      )
      assert.strictEqual((yield* as(destroy, "DELETE", one)).status, 204)
    })
  )
})

const tiers = "Tiers: 0 read-only, 1 operate (writes), 2 destructive (deletes)."

layer(Tapped)("access and identity at the proxy", (it) => {
  it.effect("a tier below the method's is refused with the contract's detail, and nothing is sent", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { call } = yield* TestGateway
      const { calls, clearCalls } = yield* SimulatedCloud
      yield* Effect.forEach(acme.tokens, (token) => call("customer", "GET", "/v1/whoami", { token }))
      yield* clearCalls
      const refused = [
        ["POST", 1, 0],
        ["PUT", 1, 0],
        ["PATCH", 1, 0],
        ["DELETE", 2, 0],
        ["DELETE", 2, 1]
      ] as const
      for (const [method, needed, held] of refused) {
        for (const service of ["identity", "compute", "network", "volume", "image", "dns", "load-balancer"]) {
          const answer = yield* call("customer", method, `/v1/iaas/${service}/x`, { token: acme.tokens[held] })
          assert.strictEqual(answer.status, 403)
          assert.deepStrictEqual(jsonOf(answer), {
            detail: `Insufficient credential tier: ${method} requires tier ${needed}, the caller's credential is tier ${held}. ${tiers}`,
            code: "tier_too_low"
          })
        }
      }
      assert.deepStrictEqual(yield* calls, [])
    })
  )

  it.effect("an attached volume is detached at tier 1, and others are not", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { call } = yield* TestGateway
      const drop = (path: string, tier: 0 | 1) =>
        Effect.map(call("customer", "DELETE", `/v1/iaas${path}`, { token: acme.tokens[tier] }), (_) => _.status)
      assert.strictEqual(yield* drop("/compute/servers/s/os-volume_attachments/v", 1), 404)
      assert.strictEqual(yield* drop("/compute/servers/s/os-volume_attachments/v", 0), 403)
      assert.strictEqual(yield* drop("/compute/servers/s/os-volume_attachments", 1), 403)
      assert.strictEqual(yield* drop("/compute/os-volume_attachments/v", 1), 403)
      assert.strictEqual(yield* drop("/network/servers/s/os-volume_attachments/v", 1), 403)
      assert.strictEqual(yield* drop("/compute/servers/os-volume_attachments", 1), 403)
    })
  )

  it.effect("the upstream user is the tenant's own, and an administrator's is the control identity", () =>
    Effect.gen(function* () {
      const { acme, globex } = yield* Cast
      const { call } = yield* TestGateway
      const tap = yield* Tap
      const { world } = yield* SimulatedCloud
      const projectOf = Effect.fnUntraced(function* (token: string) {
        yield* tap.forget
        yield* call("operator", "GET", "/v1/iaas/compute/servers", { token })
        const [seen] = (yield* tap.seen).filter((_) => _.url.startsWith("/compute/"))
        const session = world.keystone.tokens[String(seen?.headers["x-auth-token"])]
        return [world.keystone.users[session?.userId ?? ""]?.name, session?.projectId]
      })
      assert.deepStrictEqual(yield* projectOf(acme.tokens[0]), [`gw-${acme.projectId}`, acme.projectId])
      assert.deepStrictEqual(yield* projectOf(globex.tokens[2]), [`gw-${globex.projectId}`, globex.projectId])
      assert.deepStrictEqual(yield* projectOf(operator), [fixtures.control.name, fixtures.adminProjectId])
    })
  )

  for (const service of ["compute", "network", "volume", "image"]) {
    it.effect(`the project id is set toward ${service} for tenants, and not for administrators`, () =>
      Effect.gen(function* () {
        const { acme } = yield* Cast
        const { call } = yield* TestGateway
        const tap = yield* Tap
        const stampOf = Effect.fnUntraced(function* (token: string) {
          yield* tap.forget
          const headers = { "x-project-id": "0123456789abcdef0123456789abcdef" }
          yield* call("operator", "GET", `/v1/iaas/${service}/anything`, { token, headers })
          const [seen] = (yield* tap.seen).filter((_) => _.url.startsWith(`/${service}/`))
          return seen?.headers["x-project-id"]
        })
        assert.strictEqual(yield* stampOf(acme.tokens[0]), acme.projectId)
        assert.strictEqual(yield* stampOf(operator), undefined)
      })
    )
  }

  it.effect("tenants reach only their project, its tags and regions in the identity service", () =>
    Effect.gen(function* () {
      const { acme, globex } = yield* Cast
      const { call } = yield* TestGateway
      const own = `/projects/${acme.projectId}`
      const refused = {
        detail: "Of the identity service, tenants can read their own project, its tags, and the regions",
        code: "identity_route_refused"
      }
      const rows: ReadonlyArray<readonly [method: string, path: string, status: number]> = [
        ["GET", own, 200],
        ["HEAD", own, 404],
        ["GET", `${own}/tags`, 200],
        ["GET", "/regions", 200],
        ["GET", "/regions/RegionOne", 200],
        ["GET", "/regions/one", 404],
        ["GET", `/projects/${globex.projectId}`, 403],
        ["GET", "/projects", 403],
        ["GET", "/users", 403],
        ["GET", "/auth/tokens", 403],
        ["POST", "/auth/tokens", 403],
        ["DELETE", "/auth/tokens", 403],
        ["POST", `/users/me/application_credentials`, 403],
        ["GET", `/users/me/credentials/OS-EC2`, 403],
        ["POST", "/OS-TRUST/trusts", 403],
        ["PUT", `${own}/tags/tier:extension`, 403],
        ["PUT", `${own}/tags`, 403],
        ["PATCH", own, 403],
        ["DELETE", own, 403],
        ["GET", `${own}/tags/tier`, 403],
        ["GET", `/Projects/${acme.projectId}`, 403],
        ["GET", `${own}/`, 200],
        ["GET", "/projects/never", 403],
        ["GET", "/", 403],
        ["GET", "", 403]
      ]
      for (const [method, path, status] of rows) {
        const answer = yield* call("customer", method, `/v1/iaas/identity${path}`, { token: acme.tokens[2] })
        assert.strictEqual(answer.status, status, `${method} ${path}`)
        if (status === 403) assert.deepStrictEqual(jsonOf(answer), refused)
      }
      const users = yield* call("operator", "GET", "/v1/iaas/identity/users", { token: operator })
      assert.strictEqual(users.status, 200)
    })
  )
})

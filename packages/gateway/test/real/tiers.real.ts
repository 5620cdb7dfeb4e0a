import { serviceQuotas, zeroQuotas } from "@portico/contract/Tiers"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { operator, type Tenant } from "../harness/Cast.ts"
import { jsonOf, TestGateway } from "../harness/TestGateway.ts"
import { Administrator, polled } from "./Administrator.ts"
import { guest, isGone, made, serverOf, shown, through, unique } from "./Guests.ts"
import { realCloud } from "./RealGateway.ts"
import { makeKeys, s3 } from "./ObjectGateway.ts"
import { assertQuotas } from "./quotas.ts"

/** An operator's change of a tenant. */
const change = Effect.fnUntraced(function* ({ projectId }: Tenant, to: "tier" | "suspend", body?: object) {
  const { call } = yield* TestGateway
  const answer = yield* call("operator", "POST", `/v1/tenants/${projectId}/${to}`, { token: operator, body })
  assert.strictEqual(answer.status, 200, answer.text)
  return jsonOf(answer)
})

const tagsOf = Effect.fnUntraced(function* ({ projectId }: Tenant) {
  const { read } = yield* Administrator
  const { project } = yield* read("identity", `/projects/${projectId}`)
  return project.tags.filter((_: string) => _.startsWith("tier:") || _ === "suspended").toSorted()
})

/** A volume of so many GiB that is there; there is no room behind it. */
const volumeOf = Effect.fnUntraced(function* ({ tokens }: Tenant, size: number) {
  const { volume } = yield* made(tokens[1], "/volume/volumes", { volume: { size, name: "data" } })
  const path = `/volume/volumes/${volume.id}`
  yield* polled(shown(tokens[0], path), (_) => _.volume.status === "available")
  return path
})

layer(realCloud, { excludeTestServices: true })("tiers on the real systems", (it) => {
  it.effect("up, then down below the usage: block storage is held there until it is freed", () =>
    Effect.gen(function* () {
      const acme = yield* guest("tiers")
      const { projectId, tokens } = acme
      const tooMuch = { volume: { size: 90 } }
      const refused = yield* through(tokens[1], "POST", "/volume/volumes", { body: tooMuch })
      assert.strictEqual(refused.status, 413, refused.text)

      const up = yield* change(acme, "tier", { tier: "extension" })
      assert.deepStrictEqual([up.tenant.tier, up.applied.cinder_held_at_usage], ["extension", []])
      yield* assertQuotas(projectId, serviceQuotas("extension"))
      assert.deepStrictEqual(yield* tagsOf(acme), ["tier:extension"])
      const volume = yield* volumeOf(acme, 90)

      const down = yield* change(acme, "tier", { tier: "discovery" })
      assert.deepStrictEqual(down.applied.cinder_held_at_usage, ["gigabytes"])
      const { cinder, ...others } = serviceQuotas("discovery")
      yield* assertQuotas(projectId, { ...others, cinder: { ...cinder, gigabytes: 90 } })
      assert.deepStrictEqual(yield* tagsOf(acme), ["tier:discovery"])
      const more = yield* through(tokens[1], "POST", "/volume/volumes", { body: { volume: { size: 1 } } })
      assert.strictEqual(more.status, 413, more.text)

      yield* through(tokens[2], "DELETE", volume)
      yield* isGone(tokens[0], volume)
      const again = yield* change(acme, "tier", { tier: "discovery" })
      assert.deepStrictEqual(again.applied.cinder_held_at_usage, [])
      yield* assertQuotas(projectId, serviceQuotas("discovery"))
    })
  )

  it.effect("suspended: running resources stay, new ones are refused, and a tier restores that", () =>
    Effect.gen(function* () {
      const acme = yield* guest("suspended")
      const { networkId, projectId, tokens } = acme
      const [read, operate] = tokens
      const server = yield* serverOf(acme, "web")
      yield* volumeOf(acme, 1)
      const keys = yield* makeKeys(projectId)
      const bucket = unique("suspended")
      assert.strictEqual((yield* s3(keys, "PUT", `/${bucket}`)).status, 200)
      assert.strictEqual((yield* s3(keys, "PUT", `/${bucket}/before`, { body: "kept" })).status, 200)

      const { applied, tenant } = yield* change(acme, "suspend")
      assert.deepStrictEqual([tenant.tier, tenant.suspended], ["discovery", true])
      assert.sameMembers(applied.cinder_held_at_usage, ["volumes", "gigabytes"])
      yield* assertQuotas(projectId, { ...zeroQuotas, cinder: { ...zeroQuotas.cinder, volumes: 1, gigabytes: 1 } })
      assert.deepStrictEqual(yield* tagsOf(acme), ["suspended", "tier:discovery"])

      assert.strictEqual((yield* shown(read, `/compute/servers/${server}`)).server.status, "ACTIVE")
      const { flavor, image } = (yield* shown(read, `/compute/servers/${server}`)).server
      const another = { name: "another", flavorRef: flavor.id, imageRef: image.id, networks: [{ uuid: networkId }] }
      for (const [path, body, status] of [
        ["/compute/servers", { server: another }, 403],
        ["/volume/volumes", { volume: { size: 1 } }, 403],
        ["/network/networks", { network: { name: "another" } }, 403],
        ["/network/routers", { router: { name: "another" } }, 403]
      ] as const) {
        const refused = yield* through(operate, "POST", path, { body })
        assert.strictEqual(refused.status, status, `${path}: ${refused.text}`)
      }
      assert.strictEqual((yield* s3(keys, "GET", `/${bucket}/before`)).text, "kept")
      assert.strictEqual((yield* s3(keys, "PUT", `/${unique("another")}`)).status, 403)
      assert.strictEqual((yield* s3(keys, "PUT", `/${bucket}/after`, { body: "more" })).status, 403)

      const back = yield* change(acme, "tier", { tier: "discovery" })
      assert.deepStrictEqual([back.tenant.suspended, back.applied.cinder_held_at_usage], [false, []])
      yield* assertQuotas(projectId, serviceQuotas("discovery"))
      assert.deepStrictEqual(yield* tagsOf(acme), ["tier:discovery"])
      yield* volumeOf(acme, 1)
      assert.strictEqual((yield* s3(keys, "PUT", `/${bucket}/after`, { body: "more" })).status, 200)
    })
  )

  it.effect("the object gateway enforces a tenant's bucket limit, and names are unique across tenants", () =>
    Effect.gen(function* () {
      const [acme, globex] = [yield* guest("buckets-acme"), yield* guest("buckets-globex")]
      const keys = yield* makeKeys(acme.projectId)
      const names = Array.from({ length: serviceQuotas("discovery").rgw.max_buckets }, () => unique("bucket"))
      const [first = ""] = names
      for (const name of names) assert.strictEqual((yield* s3(keys, "PUT", `/${name}`)).status, 200)
      const over = yield* s3(keys, "PUT", `/${unique("bucket")}`)
      assert.deepStrictEqual([over.status, over.text.includes("<Code>TooManyBuckets</Code>")], [400, true])

      assert.strictEqual((yield* s3(keys, "PUT", `/${first}/a/b.txt`, { body: "portico" })).status, 200)
      assert.strictEqual((yield* s3(keys, "GET", `/${first}/a/b.txt`)).text, "portico")
      const page = yield* s3(keys, "GET", `/${first}`, { query: { "list-type": "2", prefix: "a/" } })
      assert.include(page.text, "<Key>a/b.txt</Key>")

      const others = yield* makeKeys(globex.projectId)
      const taken = yield* s3(others, "PUT", `/${first}`)
      assert.deepStrictEqual([taken.status, taken.text.includes("<Code>BucketAlreadyExists</Code>")], [409, true])
      assert.notInclude((yield* s3(others, "GET", "/")).text, "<Name>")
    })
  )
})

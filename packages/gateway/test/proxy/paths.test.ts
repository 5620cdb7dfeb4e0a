import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Cast } from "../harness/Cast.ts"
import { arrived, oddBase, Tapped } from "./odd.ts"
import { Tap } from "../harness/Tap.ts"
import { jsonOf, TestGateway } from "../harness/TestGateway.ts"

layer(Tapped)("paths", (it) => {
  const refused = [
    "compute//servers",
    "compute/./servers",
    "compute/../network/networks",
    "compute/servers/..",
    "compute/servers/.",
    "..",
    "../tenants",
    "compute/%2e%2e/network",
    "compute/%2E%2E/network",
    "compute/%2e/servers",
    "compute/.%2e/network",
    "compute/servers%2Fdetail",
    "compute/servers%2fdetail",
    "compute/servers%5cdetail",
    "compute/servers%5Cdetail",
    "compute/servers\\detail",
    "compute/%73ervers",
    "compute/%53ervers",
    "compute/server%73",
    "%63ompute/servers",
    "identity%2Fusers",
    "compute/servers%00",
    "compute/%252e%252e/network",
    "compute/%25",
    "compute/os%2Dkeypairs",
    "compute/os-keypairs%5Fx",
    "compute/servers/%31",
    "compute/servers/a%0Ab",
    "compute/servers/a%3Fb",
    "compute/servers/a%23b",
    "compute/servers/a%7F",
    "compute/servers.json",
    "network/routers.json",
    "network/routers/1.JSON",
    "volume/volumes.xml",
    "network/routers.json/",
    "load-balancer/lbaas/loadbalancers.json",
    "load-balancer/lbaas/loadbalancers/1.XML",
    "load-balancer/lbaas/loadbalancers/%C3%A9",
    "network/floatingips/1%20",
    "volume/volumes/1%20%20/action",
    "compute/servers;x=1",
    "compute/servers%3Bx=1",
    "compute/servers#detail",
    "compute/<servers>",
    "compute/{id}",
    'compute/"servers"',
    "compute/servers|x",
    "compute/servers^x",
    "compute/servers`x`",
    "compute/servers//",
    "/compute/servers",
    "//compute/servers"
  ]

  for (const path of refused) {
    it.effect(`400 for ${path}, and nothing is sent`, () =>
      Effect.gen(function* () {
        const { acme } = yield* Cast
        const { call } = yield* TestGateway
        const tap = yield* Tap
        yield* call("customer", "GET", "/v1/whoami", { token: acme.tokens[2] })
        yield* tap.forget
        for (const method of ["GET", "DELETE"]) {
          const answer = yield* call("customer", method, `/v1/iaas/${path}`, { token: acme.tokens[2] })
          assert.strictEqual(answer.status, 400, answer.text)
          const { code, detail } = jsonOf(answer)
          assert.strictEqual(code, "path_not_canonical")
          assert.isTrue(detail.startsWith("The path is not canonical: "), detail)
        }
        assert.deepStrictEqual(yield* tap.seen, [])
      })
    )
  }

  it.effect("another spelling of the prefix or service is refused too", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { call } = yield* TestGateway
      const tap = yield* Tap
      yield* call("customer", "GET", "/v1/whoami", { token: acme.tokens[2] })
      yield* tap.forget
      const rows: ReadonlyArray<readonly [path: string, status: number]> = [
        ["/v1/IAAS/compute/servers", 404],
        ["/V1/iaas/compute/servers", 404],
        ["//v1/iaas/compute/servers", 404],
        ["/v1//iaas/compute/servers", 404],
        ["/v1/./iaas/compute/servers", 404],
        ["/v1/x/../iaas/compute/servers", 404],
        ["/v1%2Fiaas/compute/servers", 404],
        ["/%76%31/iaas/compute/servers", 400],
        ["/v1/%69aas/compute/servers", 400],
        ["/v1/iaas/compute/ser%vers", 400],
        ["/v1/iaas/compute/servers%", 400],
        ["/v1/iaas/compute/servers%2", 400],
        ["/v1/iaas/compute/%ff", 400],
        ["/v1/iaas/compute/%C0%AFx", 400],
        // Bytes that no URL has, which the HTTP parser itself refuses.
        ["/v1/iaas/compute/s\u00e9rvers", 400],
        ["/v1/iaas", 404],
        ["/v1/iaas?x=1", 404],
        ["/v1/kubernetes", 404],
        ["/openstack", 404],
        ["/v1/iaas/", 404],
        ["/v1/iaas/Compute/servers", 404],
        ["/v1/iaas/nova/servers", 404],
        ["/v1/iaas/__proto__/servers", 404],
        ["/v1/iaas/constructor", 404]
      ]
      for (const [path, status] of rows) {
        const answer = yield* call("customer", "GET", path, { token: acme.tokens[2] })
        assert.strictEqual(answer.status, status, path)
      }
      assert.deepStrictEqual(yield* tap.seen, [])
    })
  )

  const kept = [
    "/zones",
    "/zones/a%20b",
    "/zones/a+b",
    "/zones/a:b@c,d=e",
    "/zones/~a-b_c.d!$&'()*",
    "/zones/%E2%82%AC",
    "/zones/...",
    "/zones/a..b",
    "/zones?a=&b=%20&a=2&c",
    "/zones?a=1%2F..%2F2&b=%2e%2e",
    "/zones?path=../../x&again=?",
    "/zones?",
    `/zones/${"x".repeat(9000)}`
  ]
  for (const path of kept) {
    it.effect(`${path.slice(0, 60)} is forwarded unchanged`, () =>
      Effect.gen(function* () {
        const { answer, seen } = yield* arrived("GET", path)
        assert.strictEqual(answer.status, 200)
        assert.strictEqual(seen?.url, `${oddBase}${path}`)
      })
    )
  }

  it.effect("an encoded tilde is decoded before any decision", () =>
    Effect.gen(function* () {
      const { seen } = yield* arrived("GET", "/zones/%7Ea%7e?x=%7E")
      assert.strictEqual(seen?.url, `${oddBase}/zones/~a~?x=%7E`)
    })
  )

  it.effect("a final slash is dropped before any decision", () =>
    Effect.gen(function* () {
      const { seen } = yield* arrived("GET", "/zones/?limit=1")
      assert.strictEqual(seen?.url, `${oddBase}/zones?limit=1`)
    })
  )

  it.effect("a final slash in place of an item's id is a 404, and nothing is sent", () =>
    Effect.gen(function* () {
      for (const method of ["DELETE", "PUT", "PATCH"]) {
        for (const path of ["/zones/", "/zones/a/recordsets/?x=1/2"]) {
          const { answer, seen } = yield* arrived(method, path)
          assert.deepStrictEqual([answer.status, jsonOf(answer).code, seen], [404, "not_found", undefined], path)
        }
        const { seen } = yield* arrived(method, "/zones/a?x=1/")
        assert.strictEqual(seen?.url, `${oddBase}/zones/a?x=1/`, "an item with an id")
      }
    })
  )

  it.effect("an unknown service is a 404 that names it", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { call } = yield* TestGateway
      for (const service of ["nova", "designate", "x%20y", "__proto__"]) {
        const answer = yield* call("customer", "GET", `/v1/iaas/${service}/v1/x`, { token: acme.tokens[2] })
        assert.strictEqual(answer.status, 404)
        assert.deepStrictEqual(jsonOf(answer), {
          detail: `No platform service at '${service}'`,
          code: "service_not_found"
        })
      }
    })
  )
})

import { assert, it } from "@effect/vitest"
import { Catalog } from "@portico/upstream/openstack/Catalog"
import { linksOf } from "@portico/gateway/proxy/links"
import { ConfigProvider, Effect, Layer } from "effect"

/** Services behind one host, as with a proxy in front of all of them: the address of one begins that of others. */
const catalog = Catalog.layer.pipe(
  Layer.provide(
    ConfigProvider.layer(
      ConfigProvider.fromUnknown({
        IAAS_COMPUTE_URL: "http://cloud.internal",
        IAAS_IDENTITY_URL: "http://cloud.internal/identity/v3",
        IAAS_NETWORK_URL: "http://cloud.internal/network",
        IAAS_VOLUME_URL: "http://cloud.internal/volume/v3",
        IAAS_IMAGE_URL: "http://cloud.internal/image",
        IAAS_LOAD_BALANCER_URL: "http://cloud.internal/load-balancer"
      })
    )
  )
)

it.effect("an address belongs to the service with the longest matching base", () =>
  Effect.gen(function* () {
    const { location, stream, text } = linksOf(yield* Catalog)
    const rows = [
      ["http://cloud.internal/servers/1", "/v1/iaas/compute/servers/1"],
      ["http://cloud.internal/volume/v3/p/volumes", "/v1/iaas/volume/p/volumes"],
      ["http://cloud.internal/volume/", "/v1/iaas/volume/"],
      ["http://cloud.internal/network/v2.0/ports", "/v1/iaas/network/v2.0/ports"],
      ["http://cloud.internal/identity/v3/projects", "/v1/iaas/identity/projects"]
    ] as const
    for (const [address, expected] of rows) {
      const reached = { services: "https://api/v1/iaas/", versioned: false }
      assert.strictEqual(location(address, "compute", { ...reached, services: "/v1/iaas/" }), expected)
      assert.strictEqual(text(`see ${address}`, reached), `see https://api${expected}`)
      const pieces = stream(reached)
      const streamed =
        [...address].map((_) => pieces.push(Buffer.from(_)).toString()).join("") + pieces.end().toString()
      assert.strictEqual(streamed, `https://api${expected}`)
    }
    assert.isUndefined(
      location("http://cloud.internals/servers", "compute", { services: "/v1/iaas/", versioned: false })
    )
  }).pipe(Effect.provide(catalog))
)

it.effect("an address keeps its version for a client whose paths contain it", () =>
  Effect.gen(function* () {
    const { location, text } = linksOf(yield* Catalog)
    const reached = { services: "https://api/openstack/", versioned: true }
    const [page, expected] = [
      "http://cloud.internal/volume/v3/p/volumes?marker=1",
      "https://api/openstack/volume/v3/p/volumes?marker=1"
    ]
    assert.strictEqual(location(page, "volume", reached), expected)
    assert.strictEqual(text(`"${page}"`, reached), `"${expected}"`)
    assert.strictEqual(text("http://cloud.internal/volume/", reached), "https://api/openstack/volume/")
  }).pipe(Effect.provide(catalog))
)

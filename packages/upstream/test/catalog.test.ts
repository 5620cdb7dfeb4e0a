import { assert, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer } from "effect"
import { Catalog } from "../src/openstack/Catalog.ts"

const base = "https://cloud.example"

const settings = {
  IAAS_IDENTITY_URL: `${base}/identity/v3/`,
  IAAS_COMPUTE_URL: `${base}/compute/v2.1`,
  IAAS_NETWORK_URL: `${base}/network/v2.0`,
  IAAS_VOLUME_URL: `${base}/volume/v3`,
  IAAS_IMAGE_URL: `${base}/image/v2`,
  IAAS_LOAD_BALANCER_URL: `${base}/load-balancer/v2`
}

const found = (segment: string, more: Readonly<Record<string, string>>) =>
  Effect.map(Catalog, (_) => _.find(segment)).pipe(
    Effect.provide(Layer.fresh(Catalog.layer)),
    Effect.provide(ConfigProvider.layer(ConfigProvider.fromUnknown({ ...settings, ...more })))
  )

it.effect("a service's address loses its final slash, or is missing", () =>
  Effect.gen(function* () {
    assert.strictEqual(yield* found("identity", {}), `${base}/identity/v3`)
    assert.strictEqual(yield* found("compute", {}), `${base}/compute/v2.1`)
    assert.strictEqual(yield* found("key-manager", {}), undefined)
  })
)

it.effect("the key manager's address includes its version, and no other path reaches a secret", () =>
  Effect.gen(function* () {
    for (const [given, expected] of [
      ["/key-manager", "/key-manager"],
      ["/key-manager/", "/key-manager"],
      ["/key-manager/v1", "/key-manager"],
      ["/key-manager/v1.0/", "/key-manager"],
      ["/v1/key-manager", "/v1/key-manager"],
      ["", ""]
    ]) {
      assert.strictEqual(yield* found("key-manager", { IAAS_KEY_MANAGER_URL: base + given }), base + expected)
    }
  })
)

import { assert, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import { Catalog } from "../src/openstack/Catalog.ts"
import { Sessions } from "../src/openstack/Sessions.ts"

const base = "https://cloud.example"

const settings = {
  IAAS_IDENTITY_URL: `${base}/identity/v3`,
  IAAS_COMPUTE_URL: `${base}/compute/v2.1`,
  IAAS_NETWORK_URL: `${base}/network/v2.0`,
  IAAS_VOLUME_URL: `${base}/volume/v3`,
  IAAS_IMAGE_URL: `${base}/image/v2`,
  IAAS_LOAD_BALANCER_URL: `${base}/load-balancer/v2`,
  KEYSTONE_USER: "portico",
  KEYSTONE_PASSWORD: "a-password",
  KEYSTONE_PROJECT: "service",
  TENANT_PASSWORD_KEY: "a-key"
}

/** A Keystone whose every token is for one project, whatever was asked. */
const keystoneOf = (projectId: string) =>
  HttpClient.make((request) =>
    Effect.succeed(
      HttpClientResponse.fromWeb(
        request,
        Response.json(
          { token: { expires_at: "2999-01-01T00:00:00.000000Z", project: { id: projectId }, user: { id: "a-user" } } },
          { status: 201, headers: { "x-subject-token": "a-token" } }
        )
      )
    )
  )

const projectOf = (projectId: string, answered: string) =>
  Effect.flatMap(Sessions, (_) => _.tenant(projectId)).pipe(
    Effect.match({ onSuccess: (_) => _.projectId, onFailure: (_) => _.detail }),
    Effect.provide(Layer.fresh(Sessions.layer).pipe(Layer.provide(Layer.fresh(Catalog.layer)))),
    Effect.provideService(HttpClient.HttpClient, keystoneOf(answered)),
    Effect.provide(ConfigProvider.layer(ConfigProvider.fromUnknown(settings)))
  )

it.effect("a tenant's session is scoped to its own project, and another's token is refused", () =>
  Effect.gen(function* () {
    assert.strictEqual(yield* projectOf("acme", "acme"), "acme")
    assert.strictEqual(yield* projectOf("acme", "globex"), "answered 201 with a token for another project")
  })
)

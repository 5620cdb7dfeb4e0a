import { assert, layer } from "@effect/vitest"
import { createClient } from "@portico/client"
import { Customer } from "@portico/client/effect"
import { createOperatorClient } from "@portico/client/operator"
import { fixtures } from "@portico/simulator/Fixtures"
import { Server } from "@portico/simulator/Server"
import { audienceScope, projectsRolesScope } from "@portico/simulator/zitadel/tokens"
import { Context, Effect, Layer, Schema } from "effect"
import { Started } from "./started.ts"

const Token = Schema.Struct({ access_token: Schema.String })

/** A tenant of the gateway, and the token of its first credential. */
class Tenant extends Context.Service<Tenant, { readonly url: string; readonly token: string }>()("company/Tenant") {
  static readonly layer = Layer.effect(
    Tenant,
    Effect.gen(function* () {
      const { customerUrl, operatorToken, operatorUrl } = yield* Started
      const operator = createOperatorClient({ url: operatorUrl, token: operatorToken })
      const { credential } = yield* Effect.promise(() =>
        operator.tenants.onboard({ name: "Acme GmbH", tier: "standard" })
      )
      const scope = `openid ${projectsRolesScope} ${audienceScope(fixtures.idp.projectId)}`
      const tokenUrl = `${(yield* Server).url}/idp/oauth/v2/token`
      const answer = yield* Effect.promise(() =>
        fetch(tokenUrl, {
          method: "POST",
          headers: { authorization: `Basic ${btoa(`${credential.client_id}:${credential.client_secret}`)}` },
          body: new URLSearchParams({ grant_type: "client_credentials", scope })
        }).then((_) => _.json())
      )
      return { url: customerUrl, token: (yield* Schema.decodeUnknownEffect(Token)(answer)).access_token }
    })
  ).pipe(Layer.provide(Started.layer))
}

layer(Tenant.layer, { excludeTestServices: true, timeout: "10 minutes" })("the client of a tenant", (it) => {
  it.effect("answers with promises", () =>
    Effect.flatMap(Tenant, ({ token, url }) =>
      Effect.promise(async () => {
        const portico = createClient({ url, token })
        const { count, credentials } = await portico.credentials.list()
        assert.strictEqual(count, 1)
        assert.strictEqual(credentials[0]?.tier, 2)
      })
    )
  )

  it.effect("answers with effects, whose failures have types", () =>
    Effect.gen(function* () {
      const portico = yield* Customer.make(yield* Tenant)
      assert.strictEqual((yield* portico.credentials.list({ query: { include_revoked: false } })).count, 1)
      const failure = yield* Effect.flip(portico.credentials.revoke({ params: { credential_id: "cred-0" } }))
      assert.propertyVal(failure, "code", "credential_not_found")
    })
  )
})

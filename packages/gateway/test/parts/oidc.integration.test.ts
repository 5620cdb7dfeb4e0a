import { NodeHttpClient } from "@effect/platform-node"
import { assert, describe, it, layer } from "@effect/vitest"
import { KeySets } from "@portico/domain/workloadIdentity/KeySets"
import { verifiedSubject } from "@portico/domain/workloadIdentity/verify"
import { fixtures } from "@portico/simulator/Fixtures"
import { Server } from "@portico/simulator/Server"
import { gatewaySettings } from "@portico/simulator/settings"
import type { WorkloadIssuer } from "@portico/store/WorkloadIssuers"
import { KeyEndpoints } from "@portico/upstream/oidc/KeyEndpoints"
import { ConfigProvider, Context, DateTime, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Agent, fetch } from "undici"
import { createHash } from "node:crypto"
import { cookieOf, nearTheEnd, ofPage, verifier } from "../console/logins.ts"
import { Cast, operator } from "../harness/Cast.ts"
import { jsonOf, type Plane, TestGateway } from "../harness/TestGateway.ts"
import { eventually } from "../processes/children.ts"
import { address, type Algorithm, forWorkloads, signingKey, workload } from "./provider.ts"

const audience = "https://api.portico.example"

/** The token of a workload, from the provider's token endpoint. */
const tokenOf = (url: string, alg: Algorithm, resource = audience) =>
  Effect.promise(async () => {
    const answer = await fetch(`${url}/token`, {
      method: "POST",
      body: new URLSearchParams({
        grant_type: "client_credentials",
        client_id: workload(alg),
        client_secret: "a-secret-of-a-workload",
        resource
      }),
      dispatcher: new Agent({ connect: { rejectUnauthorized: false } })
    })
    const body = await answer.text()
    return String(JSON.parse(body).access_token ?? body)
  })

layer(Cast.made.pipe(Layer.provideMerge(TestGateway.layer)), { excludeTestServices: true })(
  "workloads of a foreign OpenID provider",
  (it) => {
    it.effect("exchange tokens of RS256, ES256 and EdDSA, found by discovery behind the provider's own authority", () =>
      Effect.gen(function* () {
        const { call } = yield* TestGateway
        const { acme } = yield* Cast
        const { ca, serve, url } = yield* address({ tls: true })
        yield* serve(
          forWorkloads([
            yield* signingKey("RS256"),
            yield* signingKey("ES256"),
            yield* signingKey("EdDSA"),
            yield* signingKey("Ed25519"),
            yield* signingKey("PS256")
          ])
        )
        const registered = yield* call("operator", "POST", "/v1/workload-identity/issuers", {
          token: operator,
          body: {
            issuer: url,
            project_id: acme.projectId,
            tier: 1,
            audience,
            ca,
            subjects: ["system:serviceaccount:ci:*"]
          }
        })
        assert.strictEqual(registered.status, 201, registered.text)
        const exchanged = Effect.fnUntraced(function* (alg: Algorithm, resource = audience) {
          const answer = yield* call("customer", "POST", "/v1/workload-identity/token-exchange", {
            token: acme.tokens[1],
            body: { subject_token: yield* tokenOf(url, alg, resource) }
          })
          const { access_token, code } = jsonOf(answer)
          return [answer.status, code ?? String(access_token).slice(0, 11)]
        })
        assert.deepStrictEqual(yield* exchanged("RS256"), [200, "portico_wi_"])
        assert.deepStrictEqual(yield* exchanged("ES256"), [200, "portico_wi_"])
        assert.deepStrictEqual(yield* exchanged("EdDSA"), [200, "portico_wi_"])
        assert.deepStrictEqual(yield* exchanged("Ed25519"), [200, "portico_wi_"])
        assert.deepStrictEqual(yield* exchanged("PS256"), [401, "subject_token_refused"])
        for (const other of ["https://api.portico.example.evil.example", "https://other.example", `${audience}/`]) {
          assert.deepStrictEqual(yield* exchanged("RS256", other), [401, "subject_token_refused"])
        }
      })
    )
  }
)

const Keys = KeySets.layer.pipe(
  Layer.provide(KeyEndpoints.layer),
  Layer.provide(NodeHttpClient.layerUndici),
  Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown({ WORKLOAD_IDENTITY_INSECURE: "true" })))
)

const mappingOf = (issuer: string, change: Partial<WorkloadIssuer> = {}): WorkloadIssuer => ({
  issuer_id: "wi-1",
  issuer,
  project_id: "0".repeat(32),
  tier: 1,
  audience,
  discovery_url: `${issuer}/.well-known/openid-configuration`,
  jwks_uri: null,
  ca: null,
  subjects: ["system:serviceaccount:ci:*"],
  max_lifetime_seconds: 86_400,
  enabled: true,
  revision: 1,
  created_by: "test",
  created_at: DateTime.makeUnsafe(0),
  changed_at: DateTime.makeUnsafe(0),
  ...change
})

const outcome = (token: string, issuer: WorkloadIssuer) =>
  Effect.match(verifiedSubject(token, issuer), { onSuccess: (_) => _.subject, onFailure: (_) => _.code })

/** The test's clock shows the time of the provider, so many seconds off. */
const clockOff = (seconds: number) => TestClock.setTime(performance.timeOrigin + performance.now() + seconds * 1000)

describe("the keys of an OpenID provider", () => {
  it.effect("rotate: a new one is fetched after half a minute, an old one dropped within ten minutes", () =>
    Effect.gen(function* () {
      const { serve, url } = yield* address({ tls: false })
      const [first, second] = [yield* signingKey("RS256"), yield* signingKey("RS256")]
      const issuer = mappingOf(url)
      yield* clockOff(0)
      yield* serve(forWorkloads([first]))
      const old = yield* tokenOf(url, "RS256")
      assert.strictEqual(yield* outcome(old, issuer), workload("RS256"))
      yield* serve(forWorkloads([second, first]))
      const young = yield* tokenOf(url, "RS256")
      assert.strictEqual(yield* outcome(young, issuer), "subject_token_refused")
      yield* TestClock.adjust("30 seconds")
      assert.strictEqual(yield* outcome(young, issuer), workload("RS256"))
      assert.strictEqual(yield* outcome(old, issuer), workload("RS256"))
      yield* serve(forWorkloads([second]))
      yield* TestClock.adjust("10 minutes")
      assert.strictEqual(yield* outcome(young, issuer), workload("RS256"))
      assert.strictEqual(yield* outcome(old, issuer), "subject_token_refused")
    }).pipe(Effect.provide(Keys))
  )

  it.effect("tolerate clocks half a minute apart, in both directions", () =>
    Effect.gen(function* () {
      const { serve, url } = yield* address({ tls: false })
      yield* serve(forWorkloads([yield* signingKey("ES256")], 600))
      const token = yield* tokenOf(url, "ES256")
      const issuer = mappingOf(url)
      for (const [seconds, expected] of [
        [-20, workload("ES256")],
        [-40, "subject_token_refused"],
        [600 + 20, workload("ES256")],
        [600 + 40, "subject_token_refused"]
      ] as const) {
        yield* clockOff(seconds)
        assert.strictEqual(yield* outcome(token, issuer), expected, String(seconds))
      }
    }).pipe(Effect.provide(Keys))
  )

  it.effect("belong to one issuer: another's document is refused, and an unreachable provider is a 503", () =>
    Effect.gen(function* () {
      const [own, other] = [yield* address({ tls: false }), yield* address({ tls: false })]
      yield* clockOff(0)
      yield* own.serve(forWorkloads([yield* signingKey("RS256")]))
      const token = yield* tokenOf(own.url, "RS256")
      const discovery_url = `${other.url}/.well-known/openid-configuration`
      assert.strictEqual(yield* outcome(token, mappingOf(own.url, { discovery_url })), "issuer_unreachable")
      yield* TestClock.adjust("2 seconds")
      yield* other.serve(forWorkloads([yield* signingKey("RS256")]))
      assert.strictEqual(yield* outcome(token, mappingOf(own.url, { discovery_url })), "issuer_unreachable")
    }).pipe(Effect.provide(Keys))
  )
})

/** The address of the provider at which people sign in. */
class People extends Context.Service<People, Effect.Success<ReturnType<typeof address>>>()(
  "portico/gateway/test/parts/People"
) {
  static readonly layer = Layer.effect(People, address({ tls: false }))
}

const acme = "0123456789abcdef0123456789abcdef"
const introspecting = fixtures.idp.introspection

const rolesClaim = "https://api.portico.example/roles"

/** The claim of roles is a list or an object; another shape has none, and neither has another claim. */
const rolesOf: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  alice: { [rolesClaim]: ["customer-owner"] },
  bob: { [rolesClaim]: { admin: {} } },
  carol: { [rolesClaim]: "admin" },
  dave: { [rolesClaim]: ["admin", 1] },
  erin: { [`urn:zitadel:iam:org:project:${fixtures.idp.projectId}:roles`]: { admin: {} } }
}

/** What an operator has to set at such a provider: Zitadel's paths, and a claim of roles in introspections. */
const forPeople = (planes: Readonly<Record<"customer" | "operator", string>>, api: string) => ({
  routes: {
    authorization: "/oauth/v2/authorize",
    token: "/oauth/v2/token",
    introspection: "/oauth/v2/introspect",
    revocation: "/oauth/v2/revoke",
    end_session: "/oidc/v1/end_session"
  },
  features: {
    introspection: { enabled: true },
    revocation: { enabled: true },
    clientCredentials: { enabled: true },
    devInteractions: { enabled: true },
    // The console names no resource.
    resourceIndicators: {
      enabled: true,
      defaultResource: () => api,
      useGrantedResource: () => true,
      getResourceServerInfo: () => ({ audience: api, scope: "", accessTokenFormat: "opaque" })
    }
  },
  clients: [
    {
      client_id: "the-console",
      token_endpoint_auth_method: "none",
      application_type: "native",
      grant_types: ["authorization_code", "refresh_token"],
      redirect_uris: Object.values(planes).map((_) => `${_}/console/signed-in`)
    },
    {
      client_id: introspecting.clientId,
      client_secret: introspecting.clientSecret,
      grant_types: ["client_credentials"],
      response_types: [],
      redirect_uris: []
    }
  ],
  issueRefreshToken: () => true,
  findAccount: (_: unknown, accountId: string) => ({ accountId, claims: () => ({ sub: accountId }) }),
  extraTokenClaims: (_: unknown, { accountId = "" }: { readonly accountId?: string }) => ({
    username: accountId,
    email: `${accountId}@people.example`,
    ...rolesOf[accountId]
  })
})

const Gateway = TestGateway.layerOf(
  Effect.gen(function* () {
    const { url } = yield* People
    return {
      ...gatewaySettings((yield* Server).url),
      AUTH_URL: url,
      CONSOLE_CLIENT_ID: "the-console",
      ROLES_CLAIM: rolesClaim,
      TOKEN_AUDIENCE: audience,
      PROBE_SECONDS: "1",
      TENANT_MAP: JSON.stringify({ alice: acme })
    }
  })
).pipe(Layer.provideMerge(TestGateway.cloud), Layer.provideMerge(People.layer))

/** Signs in on the provider's pages, as a browser does: it keeps cookies, and follows every redirect but the last. */
const codeOf = (start: string, person: string, back: string) =>
  Effect.promise(async () => {
    const cookies = new Map<string, string>()
    const browse = async (to: string, form?: Readonly<Record<string, string>>): Promise<string> => {
      if (to.startsWith(back)) return new URL(to).searchParams.get("code") ?? to
      const answer = await fetch(to, {
        redirect: "manual",
        headers: { cookie: [...cookies].map((_) => _.join("=")).join("; ") },
        ...(form === undefined ? {} : { method: "POST", body: new URLSearchParams(form) })
      })
      for (const cookie of answer.headers.getSetCookie()) {
        const [name = "", value = ""] = cookie.split(";")[0]?.split(/=(.*)/) ?? []
        cookies.set(name, value)
      }
      const next = answer.headers.get("location")
      if (next !== null) return browse(new URL(next, to).href)
      const page = await answer.text()
      const [, prompt = ""] = /name="prompt" value="(\w+)"/.exec(page) ?? []
      assert.include(["login", "consent"], prompt, page)
      return browse(to, { prompt, login: person, password: "any" })
    }
    return browse(start)
  })

/** The session that the console begins for a person. */
const signedIn = Effect.fnUntraced(function* (plane: Plane, person: string, api = audience) {
  const { serve } = yield* People
  const { url } = yield* TestGateway
  yield* serve(forPeople(url, api))
  const config = jsonOf(yield* ofPage(plane, "GET", "/console/config.json"))
  const redirect_uri = `${url[plane]}/console/signed-in`
  const query = new URLSearchParams({
    client_id: config.client_id,
    redirect_uri,
    response_type: "code",
    scope: config.scope,
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256"
  })
  const code = yield* codeOf(`${config.authorization_endpoint}?${query.toString()}`, person, redirect_uri)
  const answer = yield* ofPage(plane, "POST", "/console/session", {
    body: { code, code_verifier: verifier, redirect_uri }
  })
  assert.strictEqual(answer.status, 200, answer.text)
  return { cookie: cookieOf(answer), token: String(jsonOf(answer).access_token) }
})

const whoami = Effect.fnUntraced(function* (plane: Plane, token: string) {
  const answer = yield* (yield* TestGateway).call(plane, "GET", "/v1/whoami", { token })
  return { status: answer.status, ...jsonOf(answer) }
})

layer(Gateway, { excludeTestServices: true })("people of an OpenID provider other than Zitadel", (it) => {
  it.effect("sign in to the console, by the tenant map and by the role of administrators, and out", () =>
    Effect.gen(function* () {
      const { cookie, token } = yield* signedIn("customer", "alice")
      const who = yield* whoami("customer", token)
      assert.deepInclude(who, { status: 200, user_id: "alice", user_email: "alice@people.example", tier: 2 })
      assert.deepInclude(who.tenant, { id: acme, source: "tenant_map" })
      yield* nearTheEnd(cookie)
      const renewed = yield* ofPage("customer", "POST", "/console/session/refresh", { cookie })
      assert.strictEqual(renewed.status, 200, renewed.text)
      assert.notStrictEqual(jsonOf(renewed).access_token, token)
      assert.strictEqual((yield* whoami("customer", jsonOf(renewed).access_token)).status, 200)
      const ended = yield* ofPage("customer", "DELETE", "/console/session", { cookie })
      assert.strictEqual(ended.status, 204)
      const late = yield* ofPage("customer", "POST", "/console/session/refresh", { cookie })
      assert.deepStrictEqual([late.status, jsonOf(late).code], [401, "session_ended"])

      const administrator = yield* signedIn("operator", "bob")
      assert.deepInclude(yield* whoami("operator", administrator.token), { status: 200, user_id: "bob" })
    })
  )

  it.effect.each(["carol", "dave", "erin", "stranger"])("have no access without the roles claim: %s", (person) =>
    Effect.gen(function* () {
      const { token } = yield* signedIn("operator", person)
      assert.deepInclude(yield* whoami("operator", token), { status: 403, code: "no_project_roles" })
    })
  )

  it.effect("have no access with a token for another audience", () =>
    Effect.gen(function* () {
      const { token } = yield* signedIn("operator", "bob", "https://other.example")
      assert.deepInclude(yield* whoami("operator", token), { status: 401 })
    })
  )

  it.effect("are all that is supported: no onboarding, credentials, or token without a subject", () =>
    Effect.gen(function* () {
      const { call } = yield* TestGateway
      const { token } = yield* signedIn("operator", "bob")
      const body = { name: "Acme", tier: "discovery" }
      const onboarded = yield* call("operator", "POST", "/v1/tenants", { token, body })
      assert.deepStrictEqual([onboarded.status, jsonOf(onboarded).code], [502, "onboarding_failed"])

      const alice = yield* signedIn("customer", "alice")
      const minted = yield* call("customer", "POST", "/v1/credentials", {
        token: alice.token,
        body: { kind: "api-key", tier: 0, label: "ci" }
      })
      assert.strictEqual(minted.status, 502, minted.text)
      yield* eventually(
        Effect.flatMap(call("operator", "GET", "/health/ready"), (answer) => {
          // The probe asks for a user that does not exist, and takes any 404 for the answer.
          const { state } = jsonOf(answer).components["identity-provider"]
          return state === "ok" ? Effect.void : Effect.fail(new Error(state))
        })
      )

      // RFC 7662 does not require `sub`, and this provider gives a client's own token none.
      const { url } = yield* People
      const pair = `${encodeURIComponent(introspecting.clientId)}:${encodeURIComponent(introspecting.clientSecret)}`
      const machine = yield* Effect.promise(async () => {
        const answer = await fetch(`${url}/oauth/v2/token`, {
          method: "POST",
          headers: { authorization: `Basic ${Buffer.from(pair).toString("base64")}` },
          body: new URLSearchParams({ grant_type: "client_credentials" })
        })
        return String(JSON.parse(await answer.text()).access_token)
      })
      assert.deepInclude(yield* whoami("customer", machine), { status: 401, code: "introspection_failed" })
    })
  )
})

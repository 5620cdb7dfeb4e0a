import { assert, it } from "@effect/vitest"
import { fixtures } from "@portico/simulator/Fixtures"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { worldOf } from "@portico/simulator/Snapshot"
import { consoleClientId, nativeClientId } from "@portico/simulator/zitadel/state"
import { Effect } from "effect"
import { createHash } from "node:crypto"
import { ask } from "./ask.ts"

const { idp } = fixtures
const verifier = "v".repeat(43)
const redirect_uri = "http://127.0.0.1:51234/callback"

const person = (userName: string, displayName: string, roleKeys: ReadonlyArray<string>, password?: string) =>
  Effect.gen(function* () {
    const headers = { authorization: `Bearer ${idp.serviceToken}` }
    const { json } = yield* ask("POST", "/idp/management/v1/users/human/_import", {
      headers,
      json: {
        userName,
        profile: { firstName: "A", lastName: "B", displayName },
        email: { email: "a@b.example", isEmailVerified: true },
        ...(password === undefined ? {} : { password })
      }
    })
    const grant = { projectId: idp.projectId, roleKeys }
    yield* ask("POST", `/idp/management/v1/users/${json.userId}/grants`, { headers, json: grant })
  })

const hostile = `<script>alert("1")</script>&'`

/** Two who may log in, and one whose mail was not followed. */
const three = Effect.all([
  person("olivia@acme.example", hostile, ["customer-owner"], "a"),
  person(`"><b>@acme.example`, "Vera", ["customer-viewer"], "a"),
  person("invited@acme.example", "Ina", ["customer"])
])

const link = (changes: Record<string, string> = {}) =>
  new URLSearchParams({
    client_id: nativeClientId,
    redirect_uri,
    response_type: "code",
    scope: "openid profile",
    state: `s"1`,
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
    ...changes
  })

const post = (path: string, fields: URLSearchParams, headers: Record<string, string> = {}) =>
  ask("POST", `/idp${path}`, {
    body: fields.toString(),
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers }
  })

const unescaped = (text: string) =>
  text.replaceAll("&quot;", '"').replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&")

/** The fields that the page's form sends by itself. */
const hiddenOf = (html: string) =>
  new URLSearchParams(
    [...html.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)].map(([, name = "", value = ""]) => [
      unescaped(name),
      unescaped(value)
    ])
  )

const choices = (html: string) =>
  [...html.matchAll(/name="login_hint" value="([^"]*)"/g)].map(([, _ = ""]) => unescaped(_))

it.effect("the login page shows each possible login, escaped, and redirects the chosen one", () =>
  Effect.gen(function* () {
    yield* three
    const shown = yield* ask("GET", `/idp/oauth/v2/authorize?${link()}`)
    assert.strictEqual(shown.status, 200)
    assert.notMatch(shown.body, /<script|<b>/)
    assert.include(shown.body, "customer-owner")
    assert.include(shown.headers["content-security-policy"], "default-src 'none'")
    assert.deepStrictEqual(choices(shown.body), [`"><b>@acme.example`, "olivia@acme.example"])

    const fields = hiddenOf(shown.body)
    fields.set("login_hint", "olivia@acme.example")
    const answer = yield* post("/oauth/v2/authorize", fields, { origin: "http://cloud.simulated" })
    const back = new URL(answer.headers["location"] ?? "")
    assert.deepStrictEqual([answer.status, back.host, back.searchParams.get("state")], [303, "127.0.0.1:51234", `s"1`])
    const exchanged = yield* post(
      "/oauth/v2/token",
      new URLSearchParams({
        grant_type: "authorization_code",
        client_id: nativeClientId,
        redirect_uri,
        code: back.searchParams.get("code") ?? "",
        code_verifier: verifier
      })
    )
    assert.strictEqual(exchanged.status, 200)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("a login can be cancelled; another site, a missing page or another login gives no code", () =>
  Effect.gen(function* () {
    yield* three
    const chosen = link({ login_hint: "olivia@acme.example" })
    const foreign = yield* post("/oauth/v2/authorize", chosen, { origin: "https://evil.example" })
    assert.deepStrictEqual([foreign.status, foreign.headers["location"]], [403, undefined])
    const cases = [
      [yield* post("/oauth/v2/authorize", link({ action: "cancel" })), "access_denied"],
      [yield* post("/oauth/v2/authorize", link({ login_hint: "invited@acme.example" })), "login_required"],
      [yield* post("/oauth/v2/authorize", link()), "login_required"],
      [yield* ask("GET", `/idp/oauth/v2/authorize?${link({ prompt: "none" })}`), "login_required"],
      [yield* ask("GET", `/idp/oauth/v2/authorize?${link({ login_hint: "nobody" })}`), "login_required"]
    ] as const
    for (const [answer, error] of cases) {
      assert.strictEqual(new URL(answer.headers["location"] ?? "").searchParams.get("error"), error)
    }
    const elsewhere = yield* post("/oauth/v2/authorize", link({ redirect_uri: "http://evil.example/callback" }))
    assert.deepStrictEqual([elsewhere.status, elsewhere.headers["location"]], [400, undefined])
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("the device page asks for the code, shows the client, and takes an answer once", () =>
  Effect.gen(function* () {
    yield* three
    const { json } = yield* post(
      "/oauth/v2/device_authorization",
      new URLSearchParams({ client_id: nativeClientId, scope: "openid" })
    )
    const empty = yield* ask("GET", "/idp/device")
    assert.include(empty.body, 'name="user_code"')
    assert.deepStrictEqual(choices(empty.body), [])
    const unknown = yield* ask("GET", "/idp/device?user_code=%3Cb%3E")
    assert.include(unknown.body, "unknown, used or expired")
    assert.notInclude(unknown.body, "<b>")

    const typed = String(json.user_code).toLowerCase().replace("-", " ")
    const shown = yield* ask("GET", `/idp/device?user_code=${encodeURIComponent(typed)}`)
    assert.include(shown.body, json.user_code)
    assert.include(shown.body, "command line")
    assert.deepStrictEqual(choices(shown.body), [`"><b>@acme.example`, "olivia@acme.example"])

    const fields = hiddenOf(shown.body)
    fields.set("action", "deny")
    assert.strictEqual((yield* post("/device", fields, { origin: "https://evil.example" })).status, 403)
    assert.strictEqual((yield* post("/device", fields)).status, 200)
    assert.strictEqual((yield* post("/device", fields)).status, 404)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("the console's client: any port of this machine, one path, no device codes, and a logout", () =>
  Effect.gen(function* () {
    yield* three
    const toConsole = (uri: string, changes: Record<string, string> = {}) =>
      ask("GET", `/idp/oauth/v2/authorize?${link({ client_id: consoleClientId, redirect_uri: uri, ...changes })}`)
    for (const origin of ["http://127.0.0.1:8080", "http://localhost:51234", "https://[::1]:8443"]) {
      assert.strictEqual((yield* toConsole(`${origin}/console/signed-in`)).status, 200, origin)
    }
    for (const other of ["http://127.0.0.1:8080/callback", "http://10.0.0.1:8080/console/signed-in"]) {
      assert.strictEqual((yield* toConsole(other)).status, 400, other)
    }
    const uri = "http://127.0.0.1:8080/console/signed-in"
    const hinted = { login_hint: "olivia@acme.example" }
    assert.strictEqual((yield* toConsole(uri, hinted)).status, 302)
    for (const prompt of ["login", "select_account"]) {
      assert.strictEqual((yield* toConsole(uri, { ...hinted, prompt })).status, 200, prompt)
    }
    const device = yield* post(
      "/oauth/v2/device_authorization",
      new URLSearchParams({ client_id: consoleClientId, scope: "openid" })
    )
    assert.deepStrictEqual([device.status, device.json.error], [400, "unauthorized_client"])

    const out = (to: string) =>
      ask(
        "GET",
        `/idp/oidc/v1/end_session?${new URLSearchParams({ client_id: consoleClientId, post_logout_redirect_uri: to, state: "s" })}`
      )
    const left = yield* out("http://127.0.0.1:8081/console/")
    assert.deepStrictEqual([left.status, left.headers["location"]], [302, "http://127.0.0.1:8081/console/?state=s"])
    assert.strictEqual((yield* out("https://elsewhere.example/")).status, 400)
    assert.strictEqual((yield* ask("GET", "/idp/oidc/v1/end_session")).status, 200)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("a cloud saved by an earlier release gets the console's client", () =>
  Effect.gen(function* () {
    const { world } = yield* SimulatedCloud
    const saved = structuredClone(world)
    delete saved.zitadel.applications[consoleClientId]
    const loaded = worldOf(saved)
    assert.isObject(loaded)
    if (typeof loaded === "object") assert.property(loaded.zitadel.applications, consoleClientId)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

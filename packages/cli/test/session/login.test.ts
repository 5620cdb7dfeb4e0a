import { assert, layer } from "@effect/vitest"
import { Server } from "@portico/simulator/Server"
import { gatewaySettings } from "@portico/simulator/settings"
import { nativeClientId } from "@portico/simulator/zitadel/state"
import { Effect, Layer } from "effect"
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { connect } from "node:net"
import { Cast, mint, operator } from "../../../gateway/test/harness/Cast.ts"
import { TestGateway } from "../../../gateway/test/harness/TestGateway.ts"
import { as, newHome } from "./home.ts"

/** A server that answers every request with JSON. */
const answering = (answer: (path: string, origin: string) => unknown, asked: Array<string> = []) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly origin: string; readonly close: () => void }>((resume) => {
      const server = createServer((request, response) => {
        asked.push(`${request.url} ${request.headers.authorization}`)
        response.setHeader("content-type", "application/json")
        response.end(JSON.stringify(answer(request.url ?? "", origin())))
      })
      const origin = () => {
        const address = server.address()
        return `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`
      }
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed({ origin: origin(), close: () => server.close() })))
    }),
    ({ close }) => Effect.sync(close)
  )

const owner = "oscar@people.example"

const Stage = Cast.layer.pipe(Layer.provideMerge(TestGateway.layer))

layer(Stage, { excludeTestServices: true })("portico login", (it) => {
  it.effect("with a browser: stores a profile without secrets, and tokens that only the owner can read", () =>
    Effect.gen(function* () {
      const { url } = yield* TestGateway
      const home = yield* newHome
      const args = ["login", url.customer, "--browser", "--profile", "acme"]
      const { exit, stderr, stdout } = yield* home.run(args, { browser: as(owner) })
      assert.strictEqual(exit, 0, stderr)
      assert.deepInclude(JSON.parse(stdout), { user_email: owner, tier: 2 })
      assert.deepInclude(JSON.parse(stdout).login, { profile: "acme", plane: "customer", method: "browser" })
      const { refresh_token } = home.kept("acme")
      assert.isString(refresh_token)
      const config = readFileSync(home.file(".config/portico/config.json"), "utf8")
      for (const secret of [refresh_token, home.kept("acme").access_token]) {
        assert.notInclude(config + stdout + stderr, secret)
      }
      assert.strictEqual(home.mode(home.tokens("acme")), "600")
      assert.strictEqual(home.mode(home.file(".local/state/portico/tokens")), "700")

      const later = yield* home.run(["whoami"], { columns: 80 })
      assert.strictEqual(later.exit, 0, later.stderr)
      // The zone is this machine's.
      assert.match(later.stdout, new RegExp(`User +${owner}\\n`))
      assert.match(later.stdout, /Token ends +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d .*, and renews itself\n/)
    })
  )

  it.effect("takes one redirect of the browser, with the sent state, and leaves no code in the address", () =>
    Effect.gen(function* () {
      const { url } = yield* TestGateway
      const home = yield* newHome
      const seen: Array<readonly [number, string]> = []
      const browser = async (address: string) => {
        const answer = await fetch(`${address}&login_hint=${owner}`, { redirect: "manual" })
        const back = answer.headers.get("location") ?? ""
        const get = async (given: string | URL, init: RequestInit = {}) => {
          const answer = await fetch(given, { redirect: "manual", ...init })
          seen.push([answer.status, answer.headers.get("location") ?? ""])
          return answer
        }
        const wrong = new URL(back)
        wrong.searchParams.set("state", "another")
        await get(wrong)
        await get(new URL("/done", back))
        await get(back, { method: "POST" })
        const first = await get(back)
        assert.strictEqual(first.headers.get("referrer-policy"), "no-referrer")
        await get(back)
        const page = await (await get(new URL("/done", back))).text()
        assert.include(page, "You are logged in")
        assert.notInclude(page, new URL(back).searchParams.get("code") ?? "-")
      }
      const { exit, stderr } = yield* home.run(["login", url.customer, "--browser"], { browser })
      assert.strictEqual(exit, 0, stderr)
      assert.deepStrictEqual(seen, [
        [400, ""],
        [404, ""],
        [400, ""],
        [303, "/done"],
        [410, ""],
        [200, ""]
      ])
    })
  )

  it.effect("keeps listening for the browser despite other requests", () =>
    Effect.gen(function* () {
      const { url } = yield* TestGateway
      const home = yield* newHome
      const answers: Array<string> = []
      const browser = async (address: string) => {
        const back = new URL(new URL(address).searchParams.get("redirect_uri") ?? "")
        for (const target of ["//", "http://[", "/\\\\:"]) {
          answers.push(
            await new Promise<string>((resolve) => {
              const socket = connect(Number(back.port), "127.0.0.1", () =>
                socket.write(`GET ${target} HTTP/1.1\r\nhost: ${back.host}\r\nconnection: close\r\n\r\n`)
              )
              socket.once("data", (bytes) => resolve(String(bytes).split("\r\n")[0] ?? ""))
              socket.once("close", () => resolve("nothing"))
            })
          )
        }
        return as(owner)(address)
      }
      const { exit, stderr } = yield* home.run(["login", url.customer, "--browser"], { browser })
      assert.strictEqual(exit, 0, stderr)
      for (const answer of answers) assert.match(answer, /^HTTP\/1\.1 40[04] /)
    })
  )

  it.effect("opens only http and https URLs of the provider's document", () =>
    Effect.gen(function* () {
      const { url } = yield* TestGateway
      for (const page of ["file:///usr/share/applications/x.desktop", "javascript:alert(1)", "ssh://x", "no address"]) {
        const home = yield* newHome
        const provider = yield* answering((_, origin) => ({
          issuer: origin,
          authorization_endpoint: page,
          token_endpoint: `${origin}/token`
        }))
        const opened: Array<string> = []
        const browser = async (address: string) => void opened.push(address)
        const args = ["login", url.customer, "--browser", "--issuer", provider.origin, "--client-id", "x"]
        const { exit, stderr } = yield* home.run([...args, "--scope", "openid"], { browser })
        assert.deepStrictEqual(opened, [])
        assert.strictEqual(exit, 3)
        assert.include(stderr, page)
      }
    })
  )

  it.effect("reports that the person cancelled, and stores nothing", () =>
    Effect.gen(function* () {
      const { url } = yield* TestGateway
      const home = yield* newHome
      const pages: Array<string> = []
      const browser = async (address: string) => {
        const { origin, pathname, searchParams } = new URL(address)
        searchParams.set("action", "cancel")
        const answer = await fetch(`${origin}${pathname}`, { method: "POST", body: searchParams })
        pages.push(await answer.text())
      }
      const { exit, stderr } = yield* home.run(["login", url.customer, "--browser"], { browser })
      assert.strictEqual(exit, 3)
      assert.include(stderr, "The login did not succeed")
      assert.include(pages[0], "You are not logged in")
      assert.isFalse(existsSync(home.file(".config")))
      assert.isFalse(existsSync(home.file(".local/state/portico/tokens")))
    })
  )

  it.effect("detects an operator plane, and stores that in the profile", () =>
    Effect.gen(function* () {
      const { url } = yield* TestGateway
      const home = yield* newHome
      const { exit, stdout } = yield* home.run(["login", url.operator, "--pat"], { stdin: `${operator}\n` })
      assert.strictEqual(exit, 0)
      assert.deepInclude(JSON.parse(stdout), { all_projects: true })
      assert.strictEqual(JSON.parse(stdout).login.plane, "operator")
    })
  )

  it.effect("stores a personal access token only when the gateway accepts it", () =>
    Effect.gen(function* () {
      const { url } = yield* TestGateway
      const { acme } = yield* Cast
      const home = yield* newHome
      for (const stdin of ["unknown", "", "two words"]) {
        const refused = yield* home.run(["login", url.customer, "--pat"], { stdin })
        assert.strictEqual(refused.exit, stdin === "unknown" ? 3 : 2, refused.stderr)
        assert.isFalse(existsSync(home.file(".config")))
      }
      const file = home.file("secret.txt")
      writeFileSync(file, `${acme.tokens[1]}\n`)
      const args = ["login", url.customer, "--pat", "--secret-file", file, "--profile", "ci"]
      assert.strictEqual((yield* home.run(args)).exit, 0)
      assert.deepStrictEqual(home.kept("ci"), { access_token: acme.tokens[1], url: url.customer })
      // Two askers in one process, the command and its client: neither takes the token for refused.
      const doctor = yield* home.run(["doctor"])
      const states = JSON.parse(doctor.stdout).map((_: { check: string; state: string }) => [_.check, _.state])
      assert.deepInclude(states, ["token", "ok"])
      assert.deepInclude(states, ["whoami", "ok"])
    })
  )

  it.effect("with the key pair of a machine, by flags and by the environment", () =>
    Effect.gen(function* () {
      const { url } = yield* TestGateway
      const { acme } = yield* Cast
      const home = yield* newHome
      const { call } = yield* TestGateway
      const body = { kind: "api-key", tier: 1, label: "machine" }
      const { client_id, client_secret } = JSON.parse(
        (yield* call("customer", "POST", "/v1/credentials", { token: acme.tokens[2], body })).text
      )
      const login = ["login", url.customer, "--client-id", client_id, "--secret-file", "-"]
      const { exit, stderr, stdout } = yield* home.run(login, { stdin: client_secret })
      assert.strictEqual(exit, 0, stderr)
      assert.strictEqual(JSON.parse(stdout).credential_label, "machine")
      assert.strictEqual((yield* home.run(["whoami"])).exit, 0)

      const env = { PORTICO_URL: url.customer, PORTICO_CLIENT_ID: client_id, PORTICO_CLIENT_SECRET: client_secret }
      const bare = yield* newHome
      const seen = yield* bare.run(["whoami"], { env })
      assert.strictEqual(JSON.parse(seen.stdout).credential_label, "machine")
      const half = yield* bare.run(["whoami"], { env: { ...env, PORTICO_CLIENT_SECRET: "" } })
      assert.notStrictEqual(half.exit, 0)
    })
  )

  it.effect("logout ends the tokens at the provider, and removes them", () =>
    Effect.gen(function* () {
      const { url } = yield* TestGateway
      const home = yield* newHome
      yield* home.run(["login", url.customer, "--browser", "--profile", "acme"], { browser: as(owner) })
      const { access_token, refresh_token } = home.kept("acme")
      const { exit, stderr } = yield* home.run(["logout"])
      assert.strictEqual(exit, 0, stderr)
      assert.include(stderr, "revoked")
      assert.isFalse(existsSync(home.tokens("acme")))
      const renewal = yield* Effect.flatMap(Server, (server) =>
        Effect.promise(() =>
          fetch(`${server.url}/idp/oauth/v2/token`, {
            method: "POST",
            body: new URLSearchParams({ grant_type: "refresh_token", client_id: nativeClientId, refresh_token })
          })
        )
      )
      assert.strictEqual(renewal.status, 400)
      const other = yield* home.run(["whoami"], { env: { PORTICO_TOKEN: `${access_token}x` } })
      assert.strictEqual(other.exit, 3)
      const out = yield* home.run(["whoami"])
      assert.strictEqual(out.exit, 3)
      assert.include(out.stderr, "signed out")
      assert.include(out.stderr, "portico login")
    })
  )

  it.effect("logout reports a provider that revoked nothing, and removes the tokens nonetheless", () =>
    Effect.gen(function* () {
      const { url } = yield* TestGateway
      const home = yield* newHome
      yield* home.run(["login", url.customer, "--browser", "--profile", "acme"], { browser: as(owner) })
      const config = home.config()
      config.profiles.acme.issuer = "http://127.0.0.1:1/idp"
      writeFileSync(home.file(".config/portico/config.json"), JSON.stringify(config))
      const { exit, stderr } = yield* home.run(["logout"])
      assert.strictEqual(exit, 5)
      assert.include(stderr, "not revoked")
      assert.isFalse(existsSync(home.tokens("acme")))
    })
  )

  it.effect("profiles are listed, switched, shown and removed", () =>
    Effect.gen(function* () {
      const { url } = yield* TestGateway
      const { acme, globex } = yield* Cast
      const home = yield* newHome
      for (const [profile, token] of [
        ["one", acme.tokens[0]],
        ["two", globex.tokens[0]]
      ] as const) {
        yield* home.run(["login", url.customer, "--pat", "--profile", profile], { stdin: token })
      }
      const tenant = Effect.suspend(() => home.run(["whoami"])).pipe(
        Effect.map((_) => JSON.parse(_.stdout).tenant.name)
      )
      assert.strictEqual(yield* tenant, "Globex")
      assert.strictEqual((yield* home.run(["profile", "use", "one"])).exit, 0)
      assert.strictEqual(yield* tenant, "Acme")
      const two = yield* home.run(["whoami", "--profile", "two"])
      assert.strictEqual(JSON.parse(two.stdout).tenant.name, "Globex")
      const listed = JSON.parse((yield* home.run(["profile", "list"])).stdout)
      assert.deepStrictEqual(
        listed.map((_: { readonly name: string; readonly current: boolean }) => [_.name, _.current]),
        [
          ["one", true],
          ["two", false]
        ]
      )
      const shown = JSON.parse((yield* home.run(["profile", "show", "two"])).stdout)
      assert.deepInclude(shown, { name: "two", url: url.customer, signed_in: true })
      assert.strictEqual((yield* home.run(["profile", "remove", "one"])).exit, 0)
      assert.isFalse(existsSync(home.tokens("one")))
      assert.strictEqual((yield* home.run(["profile", "use", "one"])).exit, 4)
      assert.strictEqual((yield* home.run(["whoami"])).exit, 3)
    })
  )

  it.effect("a profile that the command line names comes before the environment", () =>
    Effect.gen(function* () {
      const { url } = yield* TestGateway
      const { acme, globex } = yield* Cast
      const home = yield* newHome
      yield* home.run(["login", url.customer, "--pat", "--profile", "two"], { stdin: globex.tokens[0] })
      const tenantOf = (text: string) => JSON.parse(text).tenant.name
      const token = { PORTICO_TOKEN: acme.tokens[0] }
      const pair = { PORTICO_CLIENT_ID: "id", PORTICO_CLIENT_SECRET: "secret" }
      for (const env of [token, { ...token, PORTICO_URL: "http://127.0.0.1:1" }, pair]) {
        const two = yield* home.run(["whoami", "--profile", "two"], { env })
        assert.strictEqual(two.exit, 0, two.stderr)
        assert.strictEqual(tenantOf(two.stdout), "Globex")
        assert.strictEqual(JSON.parse(two.stdout).login.profile, "two")
      }
      const examined = yield* home.run(["doctor", "--profile", "two"], {
        env: { ...token, PORTICO_URL: "http://127.0.0.1:1" }
      })
      assert.include(examined.stdout, "From the profile 'two' (pat)")
      assert.include(examined.stdout, url.customer.replace("http://", "").split(":")[1] ?? "")
      // Both are of the environment: the token says who it is, the profile where.
      const both = yield* home.run(["whoami"], { env: { ...token, PORTICO_PROFILE: "two" } })
      assert.strictEqual(tenantOf(both.stdout), "Acme")
      yield* home.run(["logout", "--profile", "two"])
      const out = yield* home.run(["whoami", "--profile", "two"], { env: token })
      assert.deepStrictEqual([out.exit, out.stdout], [3, ""])
      assert.include(out.stderr, "The profile 'two' is signed out")
    })
  )

  it.effect("login warns that PORTICO_TOKEN takes precedence", () =>
    Effect.gen(function* () {
      const { url } = yield* TestGateway
      const { acme, globex } = yield* Cast
      const home = yield* newHome
      const args = ["login", url.customer, "--pat"]
      const said = "PORTICO_TOKEN is set and takes precedence over this login until you unset it.\n"
      const env = { PORTICO_TOKEN: acme.tokens[0] }
      assert.include((yield* home.run(args, { env, stdin: globex.tokens[0] })).stderr, said)
      assert.notInclude((yield* home.run(args, { stdin: globex.tokens[0] })).stderr, said)
    })
  )

  it.effect("a refused personal access token is reported as refused", () =>
    Effect.gen(function* () {
      const { url } = yield* TestGateway
      const home = yield* newHome
      const { exit, stderr, stdout } = yield* home.run(["login", url.customer, "--pat"], { stdin: "unknown" })
      assert.deepStrictEqual([exit, stdout], [3, ""])
      assert.match(stderr, /^The gateway refuses this personal access token\.\n/)
      assert.match(stderr, /\(token_inactive, request \w{32}\)\n$/)
      assert.notInclude(stderr, "Log in again")
    })
  )

  it.effect("a token is sent to the address of its profile alone", () =>
    Effect.gen(function* () {
      const { url } = yield* TestGateway
      const { acme } = yield* Cast
      const home = yield* newHome
      yield* home.run(["login", url.customer, "--pat", "--profile", "acme"], { stdin: acme.tokens[0] })
      const asked: Array<string> = []
      const { origin: other } = yield* answering(() => ({ detail: "no", code: "no" }), asked)
      for (const more of [[], ["--profile", "acme"]]) {
        const { exit, stderr } = yield* home.run(["whoami", "--url", other, ...more])
        assert.strictEqual(exit, 3)
        assert.include(stderr, `The tokens of the profile 'acme' are for ${url.customer}`)
      }
      // What stands in the environment is for the address there.
      const env = { PORTICO_URL: url.customer, PORTICO_TOKEN: acme.tokens[0] }
      assert.strictEqual((yield* home.run(["whoami", "--url", other], { env })).exit, 3)
      assert.strictEqual((yield* home.run(["whoami", "--url", `${url.customer}/`], { env })).exit, 0)
      // The file of the tokens has the name of the profile, which has another address by now.
      const config = home.config()
      config.profiles.acme.url = other
      writeFileSync(home.file(".config/portico/config.json"), JSON.stringify(config))
      const moved = yield* home.run(["whoami"])
      assert.deepStrictEqual([moved.exit, asked], [3, []])
      assert.include(moved.stderr, "signed out")
    })
  )

  it.effect("no token is sent over plain HTTP to another machine", () =>
    Effect.gen(function* () {
      const home = yield* newHome
      const env = { PORTICO_URL: "http://portico.invalid", PORTICO_TOKEN: "a-token" }
      const refused = yield* home.run(["whoami"], { env })
      assert.strictEqual(refused.exit, 3)
      assert.include(refused.stderr, "everybody on the way could read it")
      const login = yield* home.run(["login", "http://portico.invalid", "--pat"], { stdin: "a-token" })
      assert.strictEqual(login.exit, 2)
      const allowed = yield* home.run(["login", "http://portico.invalid", "--pat", "--insecure"], { stdin: "a-token" })
      assert.include(allowed.stderr, "cannot be reached")
    })
  )

  it.effect("no token of a profile without --insecure is sent over plain HTTP", () =>
    Effect.gen(function* () {
      const home = yield* newHome
      const url = "http://portico.invalid"
      const profile = { url, plane: "customer", method: "pat", store: "file" }
      mkdirSync(home.file(".config/portico"), { recursive: true })
      mkdirSync(home.file(".local/state/portico/tokens"), { recursive: true })
      const text = JSON.stringify({ current: "acme", profiles: { acme: profile } })
      writeFileSync(home.file(".config/portico/config.json"), text)
      writeFileSync(home.tokens("acme"), JSON.stringify({ access_token: "a-token", url }), { mode: 0o600 })
      const refused = yield* home.run(["whoami"])
      assert.strictEqual(refused.exit, 3)
      assert.include(refused.stderr, "everybody on the way could read it")
    })
  )

  it.effect("an unreadable configuration is reported with the position, and left unchanged", () =>
    Effect.gen(function* () {
      const { url } = yield* TestGateway
      const { acme } = yield* Cast
      const home = yield* newHome
      mkdirSync(home.file(".config/portico"), { recursive: true })
      const file = home.file(".config/portico/config.json")
      const broken = '{\n  "profiles": {,}\n}\n'
      writeFileSync(file, broken)
      for (const args of [["whoami"], ["profile", "list"], ["login", url.customer, "--pat"]]) {
        const { exit, stderr } = yield* home.run(args, { stdin: acme.tokens[0] })
        assert.strictEqual(exit, 2)
        assert.include(stderr, `${file}: it is not JSON`)
        assert.include(stderr, "line 2, column 16")
      }
      assert.strictEqual(readFileSync(file, "utf8"), broken)
    })
  )

  it.effect("token files that others can read are closed with a warning; links are not followed", () =>
    Effect.gen(function* () {
      const { url } = yield* TestGateway
      const { acme } = yield* Cast
      const home = yield* newHome
      yield* home.run(["login", url.customer, "--pat", "--profile", "acme"], { stdin: acme.tokens[0] })
      const file = home.tokens("acme")
      chmodSync(file, 0o644)
      const repaired = yield* home.run(["whoami"])
      assert.strictEqual(repaired.exit, 0)
      assert.include(repaired.stderr, "could be read by others")
      assert.strictEqual(home.mode(file), "600")
      assert.notInclude((yield* home.run(["whoami"])).stderr, "could be read")

      const elsewhere = home.file("elsewhere.json")
      writeFileSync(elsewhere, readFileSync(file), { mode: 0o600 })
      yield* home.run(["logout"])
      symlinkSync(elsewhere, file)
      const linked = yield* home.run(["whoami"])
      assert.strictEqual(linked.exit, 3)
      assert.include(linked.stderr, "symbolic link")
    })
  )
})

const silent = TestGateway.layerOf(
  Effect.map(Server, ({ url }) => {
    const { CLI_CLIENT_ID: _, ...settings } = gatewaySettings(url)
    return settings
  })
).pipe(Layer.provideMerge(TestGateway.cloud))

layer(Cast.layer.pipe(Layer.provideMerge(silent)), { excludeTestServices: true })(
  "a gateway without a client id for the command line",
  (it) => {
    it.effect("is logged in to with the client id in flags", () =>
      Effect.gen(function* () {
        const { url } = yield* TestGateway
        const home = yield* newHome
        const refused = yield* home.run(["login", url.customer, "--browser"])
        assert.strictEqual(refused.exit, 2)
        assert.include(refused.stderr, "--client-id is needed")
        const args = ["login", url.customer, "--browser", "--client-id", nativeClientId]
        assert.strictEqual((yield* home.run(args, { browser: as(owner) })).exit, 0)
        yield* mint((yield* Cast).acme.tokens[2], 0, "unused")
      })
    )
  }
)

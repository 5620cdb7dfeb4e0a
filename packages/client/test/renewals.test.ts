import { assert, describe, it, layer } from "@effect/vitest"
import type { Auth } from "@portico/client/auth/Auth"
import { authorize, browser, exchangeCode } from "@portico/client/auth/browser"
import { clientCredentials } from "@portico/client/auth/clientCredentials"
import { device, type DeviceCode } from "@portico/client/auth/device"
import { exchange } from "@portico/client/auth/exchange"
import type { Tokens } from "@portico/client/auth/oauth"
import { refresh } from "@portico/client/auth/refresh"
import { createClient, PorticoError } from "@portico/client/createClient"
import { systemTime } from "@portico/client/engine/Time"
import { fixtures } from "@portico/simulator/Fixtures"
import { Server } from "@portico/simulator/Server"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { audienceScope, projectsRolesScope } from "@portico/simulator/zitadel/tokens"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { inspect } from "node:util"
import { Acme, AcmeAlone, cold } from "../../gateway/test/harness/Acme.ts"
import { Cast, person } from "../../gateway/test/harness/Cast.ts"
import { jsonOf, TestGateway } from "../../gateway/test/harness/TestGateway.ts"
import { mapped, podToken } from "../../gateway/test/workloadIdentity/workloads.ts"
import { failure, faultyServer } from "./FaultyServer.ts"
import { fakeTime, settled, soon } from "./fakeTime.ts"

const whoami = { status: 200, body: { user_id: "u" } }
const refused = failure(401, "token_inactive")

/** Tokens `t1`, `t2` … that live for an hour; a renewal takes a moment. */
const counted = (renewable = true, failing: () => boolean = () => false) => {
  let made = 0
  const auth: Auth = {
    renewable,
    obtain: async ({ time }) => {
      made += 1
      const accessToken = `t${made}`
      await settled()
      if (failing()) throw new PorticoError("login_failed", { detail: "no", status: 400 })
      return { accessToken, expiresAt: time.now() + 3_600_000 }
    }
  }
  return { auth, made: () => made }
}

const bearers = (calls: ReadonlyArray<{ readonly headers: { readonly authorization?: string | undefined } }>) =>
  calls.map((_) => _.headers.authorization)

const codeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => "succeeded",
    (error: unknown) => (error instanceof PorticoError ? error.code : error)
  )

describe("a token", () => {
  it("is obtained once for concurrent calls, and cached", async () => {
    await using server = await faultyServer(whoami)
    const { auth, made } = counted()
    const client = createClient({ url: server.url, token: auth })
    await Promise.all([client.identity.whoami(), client.identity.whoami(), client.identity.whoami()])
    await client.identity.whoami()
    assert.deepStrictEqual([made(), new Set(bearers(server.calls))], [1, new Set(["Bearer t1"])])
  })

  it("is renewed a minute before it ends, once for two callers", async () => {
    await using server = await faultyServer(whoami)
    const { auth, made } = counted()
    const { pass, time } = fakeTime()
    const client = createClient({ url: server.url, token: auth, time })
    await client.identity.whoami()
    pass(3_539_000)
    await client.identity.whoami()
    pass(2_000)
    await Promise.all([client.identity.whoami(), client.identity.whoami()])
    assert.strictEqual(made(), 2)
    assert.deepStrictEqual(bearers(server.calls), ["Bearer t1", "Bearer t1", "Bearer t2", "Bearer t2"])
  })

  it("is replaced once for two callers when the gateway refuses it", async () => {
    await using server = await faultyServer((response, { headers }) => {
      const isNew = headers.authorization === "Bearer t2"
      response.writeHead(isNew ? 200 : 401, { "content-type": "application/json" })
      response.end(JSON.stringify(isNew ? whoami.body : refused.body))
    })
    const { auth, made } = counted()
    const client = createClient({ url: server.url, token: auth })
    await Promise.all([client.identity.whoami(), client.account.close({ confirm: "Acme" })])
    assert.strictEqual(made(), 2)
    assert.strictEqual(server.calls.length, 4)
  })

  it("is not replaced again when a call with the old one is refused later", async () => {
    const arrived = { refused: 0 }
    const { auth, made } = counted()
    await using server = await faultyServer(async (response, { headers }) => {
      const isNew = headers.authorization === "Bearer t2"
      // The second refusal comes when the new token is there.
      if (!isNew && (arrived.refused += 1) === 2) await soon(() => made() === 2).then(settled)
      response.writeHead(isNew ? 200 : 401, { "content-type": "application/json" })
      response.end(JSON.stringify(isNew ? whoami.body : refused.body))
    })
    const client = createClient({ url: server.url, token: auth })
    await Promise.all([client.identity.whoami(), client.identity.whoami()])
    assert.deepStrictEqual([made(), server.calls.length], [2, 4])
  })

  it("does not block a caller that aborts while it is being obtained", async () => {
    await using server = await faultyServer(whoami)
    const token: Auth = { renewable: true, obtain: () => new Promise(() => {}) }
    const controller = new AbortController()
    const asked = codeOf(createClient({ url: server.url, token }).identity.whoami({}, { signal: controller.signal }))
    controller.abort("gone")
    assert.strictEqual(await asked, "gone")
    assert.strictEqual(server.calls.length, 0)
  })

  it("is a failure when the gateway refuses it twice", async () => {
    await using server = await faultyServer(refused)
    const { auth } = counted()
    assert.strictEqual(await codeOf(createClient({ url: server.url, token: auth }).identity.whoami()), "token_inactive")
    assert.strictEqual(server.calls.length, 2)
    assert.strictEqual(await codeOf(createClient({ url: server.url, token: "x" }).identity.whoami()), "token_inactive")
    assert.strictEqual(server.calls.length, 3)
  })

  it("is used until it expires while its renewal fails, and not afterwards", async () => {
    await using server = await faultyServer(whoami)
    let down = false
    const { auth } = counted(true, () => down)
    const { pass, time } = fakeTime()
    const client = createClient({ url: server.url, token: auth, time })
    await client.identity.whoami()
    down = true
    pass(3_550_000)
    await client.identity.whoami()
    assert.deepStrictEqual(bearers(server.calls), ["Bearer t1", "Bearer t1"])
    pass(60_000)
    assert.strictEqual(await codeOf(client.identity.whoami()), "login_failed")
  })

  it("is not used when it expired in the pause after a failed renewal", async () => {
    await using server = await faultyServer(whoami)
    let down = false
    const { auth } = counted(true, () => down)
    const { pass, time } = fakeTime()
    const client = createClient({ url: server.url, token: auth, time })
    await client.identity.whoami()
    down = true
    pass(3_598_000)
    await client.identity.whoami()
    pass(3_000)
    assert.strictEqual(await codeOf(client.identity.whoami()), "login_failed")
    assert.strictEqual(server.calls.length, 2)
  })

  it("is not obtained for a caller that has already aborted; its failure is handled", async () => {
    const unhandled: Array<unknown> = []
    const listen = (error: unknown) => void unhandled.push(error)
    process.on("unhandledRejection", listen)
    await using server = await faultyServer(whoami)
    const { auth, made } = counted(true, () => true)
    const client = createClient({ url: server.url, token: auth })
    const signal = AbortSignal.abort("gone")
    assert.strictEqual(await codeOf(client.identity.whoami({}, { signal })), "gone")
    await settled()
    await settled()
    process.off("unhandledRejection", listen)
    assert.deepStrictEqual([unhandled, made(), server.calls.length], [[], 0, 0])
  })

  it("is still obtained for other callers when one of them aborts", async () => {
    await using server = await faultyServer(whoami)
    const { auth, made } = counted()
    const client = createClient({ url: server.url, token: auth })
    const controller = new AbortController()
    const first = codeOf(client.identity.whoami({}, { signal: controller.signal }))
    const second = client.identity.whoami()
    controller.abort("gone")
    assert.strictEqual(await first, "gone")
    await second
    assert.deepStrictEqual([made(), bearers(server.calls)], [1, ["Bearer t1"]])
  })
})

describe("a provider", () => {
  const told = { access_token: "the-access-token", refresh_token: "the-refresh-token", expires_in: 60 }

  it("with an unusable answer fails without a token in the error", async () => {
    for (const token_type of [undefined, "mac"]) {
      await using provider = await faultyServer({ status: 200, body: { ...told, token_type } })
      await using server = await faultyServer(whoami)
      const metadata = { token_endpoint: `${provider.url}/token` }
      const token = refresh({ issuer: provider.url, clientId: "c", refreshToken: "r0", metadata })
      const error: unknown = await createClient({ url: server.url, token })
        .identity.whoami()
        .catch((_: unknown) => _)
      assert.strictEqual(error instanceof PorticoError ? error.code : error, "login_failed")
      assert.notMatch(inspect(error, { depth: 20, showHidden: true }), /the-(access|refresh)-token/)
    }
  })

  it("gets the rotated refresh token although the old one is still stored", async () => {
    const spent: Array<string | null> = []
    await using provider = await faultyServer((response, { body }) => {
      spent.push(new URLSearchParams(body).get("refresh_token"))
      response.writeHead(200, { "content-type": "application/json" })
      const fresh = { access_token: `a${spent.length}`, refresh_token: `r${spent.length}`, token_type: "bearer" }
      response.end(JSON.stringify(fresh))
    })
    await using server = await faultyServer(whoami)
    const metadata = { token_endpoint: `${provider.url}/token` }
    const store = { held: "r0", full: true }
    const token = refresh({
      issuer: provider.url,
      clientId: "c",
      metadata,
      refreshToken: () => store.held,
      onRotate: ({ refreshToken = "" }) => {
        if (store.full) throw new Error("disk full")
        store.held = refreshToken
      }
    })
    const client = createClient({ url: server.url, token, retry: { times: 0 } })
    await codeOf(client.identity.whoami())
    store.full = false
    await client.identity.whoami()
    assert.deepStrictEqual([spent, store.held], [["r0", "r1"], "r2"])
  })

  it("gets the token that another process stored, also after a failed attempt", async () => {
    const spent: Array<string | null> = []
    await using provider = await faultyServer((response, { body }) => {
      spent.push(new URLSearchParams(body).get("refresh_token"))
      response.writeHead(spent.length === 2 ? 503 : 200, { "content-type": "application/json" })
      response.end(JSON.stringify({ access_token: "a", refresh_token: `r${spent.length}`, token_type: "bearer" }))
    })
    const metadata = { token_endpoint: `${provider.url}/token` }
    const store = { held: "r0" }
    const token = refresh({ issuer: provider.url, clientId: "c", metadata, refreshToken: () => store.held })
    const context = { fetch, time: systemTime, url: "" }
    await token.obtain(context)
    store.held = "theirs"
    await codeOf(token.obtain(context))
    await token.obtain(context)
    assert.deepStrictEqual(spent, ["r0", "theirs", "theirs"])
  })

  it("yields no token when the gateway's exchange issues another type than Bearer", async () => {
    for (const token_type of [undefined, "N_A"]) {
      await using server = await faultyServer({ status: 200, body: { ...told, token_type } })
      const token = exchange({ subjectToken: () => "the pod's", token: "mine" })
      assert.strictEqual(await codeOf(createClient({ url: server.url, token }).identity.whoami()), "login_failed")
    }
  })

  it("gets no pod token through a redirect to another host", async () => {
    await using other = await faultyServer({ status: 200, body: told })
    await using server = await faultyServer({ status: 307, headers: { location: `${other.url}/x` } })
    const token = exchange({ subjectToken: () => "the pod's", token: "mine" })
    assert.strictEqual(await codeOf(createClient({ url: server.url, token }).identity.whoami()), "unexpected_response")
    assert.strictEqual(other.calls.length, 0)
  })
})

const scope = ["openid", projectsRolesScope, audienceScope(fixtures.idp.projectId)].join(" ")
const personScope = `${scope} email offline_access`
const login = "ada@people.example"

const Stage = Cast.layer.pipe(Layer.provideMerge(TestGateway.layer))

/** Where to ask. */
const placeOf = Effect.gen(function* () {
  const { world } = yield* SimulatedCloud
  const native = Object.values(world.zitadel.applications).find((_) => _.type === "native")
  const [redirectUri = ""] = native?.redirectUris ?? []
  return {
    url: (yield* TestGateway).url.customer,
    issuer: `${(yield* Server).url}/idp`,
    clientId: native?.clientId ?? assert.fail("no native client"),
    redirectUri
  }
})

/** Where to ask, and whom. */
const stage = Effect.all([placeOf, Cast]).pipe(Effect.map(([place, cast]) => ({ ...place, ...cast })))

layer(Stage, { excludeTestServices: true })("the simulated provider", (it) => {
  it.effect("client credentials: a token with the minted secret, login_failed with a wrong one", () =>
    Effect.gen(function* () {
      const { acme, issuer, url } = yield* stage
      const admin = createClient({ url, token: acme.tokens[2] })
      const minted = yield* Effect.promise(() => admin.credentials.mint({ kind: "api-key", tier: 0, label: "ci" }))
      const as = (clientSecret: string) => {
        const token = clientCredentials({ issuer, clientId: minted.client_id, clientSecret, scope })
        return createClient({ url, token }).identity.whoami()
      }
      const { credential_id } = yield* Effect.promise(() => as(minted.client_secret ?? ""))
      assert.strictEqual(credential_id, minted.credential_id)
      assert.strictEqual(yield* Effect.promise(() => codeOf(as("wrong"))), "login_failed")
    })
  )

  it.effect("a login in a browser, and renewals that rotate and are stored", () =>
    Effect.gen(function* () {
      const { clientId, issuer, redirectUri, url } = yield* stage
      const kept: Array<Tokens> = []
      const provider = { issuer, clientId, redirectUri, scope: personScope, parameters: { login_hint: login } }
      const open = async (address: string) => {
        const answer = await fetch(address, { redirect: "manual" })
        return answer.headers.get("location") ?? assert.fail("no way back")
      }
      const { pass, time } = movable()
      const token = browser({ ...provider, open, onRotate: (_) => void kept.push(_) })
      const client = createClient({ url, token, time })
      const first = yield* Effect.promise(() => client.identity.whoami())
      assert.strictEqual(first.user_email, login)
      pass(12 * 3_600_000)
      yield* Effect.promise(() => Promise.all([client.identity.whoami(), client.identity.whoami()]))
      assert.strictEqual(kept.length, 2)
      assert.notStrictEqual(kept[0]?.refreshToken, kept[1]?.refreshToken)

      // A later process goes on with what was kept; the first refresh token is used up.
      const later = (refreshToken = "") =>
        createClient({ url, token: refresh({ issuer, clientId, refreshToken }), time }).identity
      const going = later(kept[1]?.refreshToken)
      assert.strictEqual((yield* Effect.promise(() => going.whoami())).user_email, login)
      pass(12 * 3_600_000)
      assert.strictEqual((yield* Effect.promise(() => going.whoami())).user_email, login)
      assert.strictEqual(yield* Effect.promise(() => codeOf(later(kept[0]?.refreshToken).whoami())), "login_failed")

      const begun = yield* Effect.promise(() => authorize(provider))
      const back = yield* Effect.promise(() => open(begun.url))
      const foreign = exchangeCode(provider, { ...begun, state: "another" }, back)
      assert.strictEqual(yield* Effect.promise(() => codeOf(foreign)), "login_failed")
    })
  )

  it.effect("the token of a pod is exchanged for a Bearer token", () =>
    Effect.gen(function* () {
      const { acme, url } = yield* stage
      yield* mapped(acme.projectId)
      const pod = yield* podToken
      const as = (subject: string) =>
        createClient({ url, token: exchange({ subjectToken: () => `${subject}\n`, token: acme.tokens[2] }) })
      const { tenant } = yield* Effect.promise(() => as(pod).identity.whoami())
      assert.strictEqual(tenant?.source, "workload_identity")
      assert.strictEqual(yield* Effect.promise(() => codeOf(as("x").identity.whoami())), "subject_token_refused")
    })
  )
})

layer(AcmeAlone)("a token obtained or lost during work", (it) => {
  it.effect("a person confirms a device login, or denies it", () =>
    Effect.gen(function* () {
      const { projectId } = yield* Acme
      yield* person("ada", ["customer-admin"], projectId)
      const { clientId, issuer, url } = yield* placeOf
      const context = yield* Effect.context<never>()
      const asked = (action: string) => {
        const shown: Array<DeviceCode> = []
        const polls = { count: 0 }
        // The person takes longer than the first poll.
        const sleep = async (millis: number) => {
          await Effect.runPromiseWith(context)(TestClock.adjust(millis))
          polls.count += 1
          const [code] = shown
          if (polls.count !== 2 || code === undefined) return
          const body = new URLSearchParams({ user_code: code.userCode, login_hint: login, action })
          assert.strictEqual((await fetch(code.verificationUri, { method: "POST", body })).status, 200)
        }
        const token = device({ issuer, clientId, scope: personScope, onCode: (_) => void shown.push(_) })
        return createClient({ url, token, time: { ...systemTime, sleep } }).identity.whoami()
      }
      assert.strictEqual((yield* Effect.promise(() => asked("allow"))).user_email, login)
      assert.strictEqual(yield* Effect.promise(() => codeOf(asked("deny"))), "login_failed")
    })
  )

  it.effect("a client whose token ended obtains another, and its call is answered", () =>
    Effect.gen(function* () {
      const { tokens } = yield* Acme
      const { call, url } = yield* TestGateway
      const { world } = yield* SimulatedCloud
      const body = { kind: "api-key", tier: 0, label: "middle" }
      const minted = jsonOf(yield* call("customer", "POST", "/v1/credentials", { token: tokens[2], body }))
      const { client_id: clientId, client_secret: clientSecret } = minted
      const bearers: Array<string> = []
      const client = createClient({
        url: url.customer,
        token: clientCredentials({ issuer: `${(yield* Server).url}/idp`, clientId, clientSecret, scope }),
        fetch: (input, init) => {
          const bearer = new Headers(init?.headers).get("authorization")
          if (bearer?.startsWith("Bearer ") === true) bearers.push(bearer.slice(7))
          return fetch(input, init)
        }
      })
      yield* Effect.promise(() => client.identity.whoami())
      const [first = ""] = bearers
      assert.isTrue(Reflect.deleteProperty(world.zitadel.tokens, first))
      yield* cold
      const { credential_id } = yield* Effect.promise(() => client.identity.whoami())
      assert.strictEqual(credential_id, minted.credential_id)
      assert.strictEqual(bearers.length, 3)
      assert.deepStrictEqual([bearers[1] === first, bearers[2] === first], [true, false])
    })
  )
})

/** The machine's time, and some more. */
const movable = () => {
  let more = 0
  return { time: { ...systemTime, now: () => systemTime.now() + more }, pass: (millis: number) => (more += millis) }
}

import { sampled } from "@portico/testing/sample/sampled"
import { assert, layer } from "@effect/vitest"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import type { KeystoneState } from "@portico/simulator/keystone/state"
import { Memory } from "@portico/testing/store/Memory"
import { Sessions } from "@portico/upstream/openstack/Sessions"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { Acme, AcmeAlone, asked, asks, calls, cold, leaked, read, tokenSeconds } from "../harness/Acme.ts"
import { arrivals } from "./arrivals.ts"
import { operator } from "../harness/Cast.ts"
import {
  badGateway,
  type Expected,
  failure,
  forgetTokens,
  introspected,
  introspection,
  kinds,
  loggedIn,
  login,
  matches,
  notAccepted,
  service,
  spelled,
  type Step,
  step,
  story,
  unreachable,
  unusable
} from "./legs.ts"
import { Logs } from "../harness/Logs.ts"
import {
  active,
  catalog,
  email,
  exp,
  expires_at,
  platformToken,
  user,
  project,
  type Reply,
  replying,
  roles,
  Scripted,
  sub,
  well
} from "./parties.ts"
import { TestGateway } from "../harness/TestGateway.ts"
import { settle, until } from "@portico/testing/clock"

const combinations = asks.flatMap((ask) =>
  (["before", "after"] as const).flatMap((when) => ([1, "always"] as const).map((times) => ({ ask, when, times })))
)

layer(AcmeAlone)("the identity provider fails", (it) => {
  for (const { as, introspection: answer, name } of kinds) {
    it.effect(`with ${name}: every caller is refused, and the next call asks again`, () =>
      Effect.forEach(sampled(name, 3, combinations), ({ ask, times, when }) => {
        const refused: Step = { answer, calls: [introspected] }
        const during = times === 1 ? [refused] : [refused, refused]
        return story({
          ask,
          leg: introspection,
          as,
          when,
          times,
          during,
          after: [introspected, loggedIn, spelled(service(ask))]
        })
      })
    )
  }

  it.effect("and the reason is logged", () =>
    Effect.gen(function* () {
      yield* cold
      yield* (yield* Logs).forget
      yield* (yield* SimulatedCloud).fault({ ...introspection, when: "before", as: { status: 401 } })
      yield* asked(read)
      const [line = "", ...more] = yield* (yield* Logs).lines
      assert.include(line, '"a token could not be introspected" message="zitadel introspect: answered 401"')
      assert.deepStrictEqual(more, [])
    })
  )
})

layer(AcmeAlone)("Keystone fails", (it) => {
  for (const { as, login: answer, name } of kinds) {
    // It says 401 to a wrong password and to a disabled project alike, and locks out who tries too often.
    const isRefusal = typeof as === "object" && "status" in as && as.status === 401
    const title = isRefusal ? "which is believed for ten seconds" : "the next call asks again"
    it.effect(`at the login with ${name}: a 502 with its message, ${title}`, () =>
      Effect.forEach(sampled(`${name} at the login`, 3, combinations), ({ ask, times, when }) => {
        const called = spelled(service(ask))
        const again: Step = { answer, calls: isRefusal ? [] : [loggedIn] }
        return story({
          ask,
          leg: login,
          as,
          when,
          times,
          during: [{ answer, calls: [introspected, loggedIn] }, ...(times === 1 && !isRefusal ? [] : [again])],
          after: [loggedIn, called],
          rest: isRefusal ? "10 seconds" : undefined
        })
      })
    )
  }
})

layer(AcmeAlone)("a service fails", (it) => {
  for (const { as, name, service: answerOf } of kinds) {
    if (answerOf === undefined) continue
    it.effect(`with ${name}: its own message if it has one, and the next call succeeds`, () =>
      Effect.forEach(sampled(`${name} at the service`, 3, combinations), ({ ask, times, when }) => {
        const called = spelled(service(ask))
        const failed = { answer: answerOf(ask), calls: [introspected, loggedIn, called] }
        const during = times === 1 ? [failed] : [failed, { ...failed, calls: [called] }]
        return story({ ask, leg: service(ask), as, when, times, during, after: [called] })
      })
    )
  }

  it.effect("with a 401 once: the token is replaced, and the call repeated unless its body was sent", () =>
    Effect.forEach(combinations, ({ ask, times, when }) => {
      const called = spelled(service(ask))
      const first = [introspected, loggedIn, called]
      const [answer, refused] = ["good", notAccepted(ask)] as const
      const during: ReadonlyArray<Step> =
        ask.streamed === true
          ? [
              { answer: refused, calls: first },
              ...(times === 1 ? [] : [{ answer: refused, calls: [loggedIn, called] }])
            ]
          : times === 1
            ? [{ answer, calls: [...first, loggedIn, called] }]
            : [
                { answer: refused, calls: [...first, loggedIn, called] },
                // It begins with the token that was refused last, and ends after one more.
                { answer: refused, calls: [called, loggedIn, called] }
              ]
      const after = ask.streamed === true ? [loggedIn, called] : [called]
      return story({ ask, leg: service(ask), as: { status: 401 }, when, times, during, after })
    })
  )
})

layer(AcmeAlone)("the store fails", (it) => {
  it.effect("and the caller sees only that; the next call succeeds", () =>
    Effect.forEach(asks, (ask) =>
      Effect.gen(function* () {
        const { credentials, tenants } = yield* Memory
        const logs = yield* Logs
        const called = spelled(service(ask))
        const down = () => {
          throw new Error("the database is down")
        }
        const { values } = credentials
        const { get } = tenants
        const breaks: ReadonlyArray<() => void> = [
          () => void (credentials.values = down),
          () => void (tenants.get = down)
        ]
        for (const breakIt of breaks) {
          yield* cold
          yield* logs.forget
          breakIt()
          const answer = failure(500, "Internal Server Error", "internal_error")
          const failed = yield* step(ask, { answer, calls: [introspected] }, false, ask.name)
          failed.push(...(yield* step(ask, { answer, calls: [] }, false, ask.name)))
          assert.deepStrictEqual(yield* leaked(failed), [])
          const lines = yield* logs.lines
          assert.lengthOf(lines, 2)
          for (const [i, line] of lines.entries()) {
            assert.include(line, `${ask.method} ${ask.path} failed`)
            assert.include(line, "the database is down")
            assert.include(line, `request_id=${failed[i]?.headers["x-request-id"]}`)
          }
          credentials.values = values
          tenants.get = get
          yield* step(ask, { answer: "good", calls: [loggedIn, called] }, false, ask.name)
        }
      })
    )
  )
})

const crowd = 20
/** Somebody answers after this. */
const slow = { delay_ms: 1000 } as const

/** Many callers at once, who all wait by the time that it goes on. */
const crowded = Effect.gen(function* () {
  const arrived = yield* arrivals
  const callers = yield* Effect.forEach(Array.from({ length: crowd }), () => Effect.forkChild(asked(read)))
  yield* until(Effect.sync(() => arrived.length === crowd))
  yield* settle
  return { callers, arrived }
})

const counted = Effect.map(calls, (all) =>
  Object.fromEntries(
    Map.groupBy(all, (_) => _)
      .entries()
      .map(([call, _]) => [call, _.length])
  )
)

layer(AcmeAlone)("many concurrent callers of one tenant", (it) => {
  const called = spelled(service(read))

  it.effect("make one introspection and one login", () =>
    Effect.gen(function* () {
      const cloud = yield* SimulatedCloud
      yield* cold
      for (const leg of [introspection, login]) yield* cloud.fault({ ...leg, when: "before", as: slow })
      const { callers } = yield* crowded
      yield* TestClock.adjust("1 second")
      yield* until(Effect.map(calls, (_) => _.includes(loggedIn)))
      yield* TestClock.adjust("1 second")
      const answers = yield* Fiber.joinAll(callers)
      assert.deepStrictEqual([...new Set(answers.map((_) => _.status))], [200])
      assert.deepStrictEqual(yield* counted, { [introspected]: 1, [loggedIn]: 1, [called]: crowd })
      yield* cloud.clearFaults
    })
  )

  for (const { as, introspection: unidentified, login: unauthorized, name } of kinds) {
    for (const [leg, expected, before] of [
      [introspection, unidentified, {}],
      [login, unauthorized, { [introspected]: 1 }]
    ] as const) {
      it.effect(`share the one ${leg.service} call that fails with ${name}, and the next one tries again`, () =>
        Effect.gen(function* () {
          const cloud = yield* SimulatedCloud
          yield* cold
          yield* cloud.fault({ ...leg, when: "before", as: slow })
          yield* cloud.fault({ ...leg, when: "before", as })
          const { callers } = yield* crowded
          yield* until(Effect.map(calls, (_) => _.includes(spelled(leg))))
          yield* settle
          yield* TestClock.adjust(as === "hang" ? "10 seconds" : "1 second")
          const answers = yield* Fiber.joinAll(callers)
          for (const answer of answers) matches(answer, read, expected, name)
          assert.deepStrictEqual(yield* counted, { ...before, [spelled(leg)]: 1 })
          if (leg === login) yield* TestClock.adjust("10 seconds")
          assert.strictEqual((yield* asked(read)).status, 200)
        })
      )
    }
  }

  it.effect("survive the disconnect of the one that began the login, and of all but one", () =>
    Effect.gen(function* () {
      const cloud = yield* SimulatedCloud
      yield* cold
      yield* asked(read)
      const session = yield* (yield* Sessions).tenant((yield* Acme).projectId)
      yield* (yield* Sessions).drop(session)
      yield* cloud.clearCalls
      yield* cloud.fault({ ...login, when: "before", as: slow })
      const { arrived, callers } = yield* crowded
      const [stays, ...leave] = callers.toReversed()
      if (stays === undefined) return assert.fail("there is nobody")
      for (const caller of leave.toReversed()) yield* Fiber.interrupt(caller)
      yield* until(Effect.sync(() => arrived.filter(({ request }) => request.socket.destroyed).length === crowd - 1))
      yield* settle
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Fiber.join(stays)).status, 200)
      assert.deepStrictEqual(yield* counted, { [loggedIn]: 1, [called]: 1 })
    })
  )

  it.effect("may all disconnect, and the next one succeeds", () =>
    Effect.gen(function* () {
      const cloud = yield* SimulatedCloud
      yield* cold
      yield* cloud.fault({ ...login, when: "before", as: slow })
      const { arrived, callers } = yield* crowded
      yield* until(Effect.map(calls, (_) => _.includes(loggedIn)))
      yield* settle
      for (const caller of callers) yield* Fiber.interrupt(caller)
      yield* until(Effect.sync(() => arrived.every(({ request }) => request.socket.destroyed)))
      const next = yield* Effect.forkChild(asked(read))
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Fiber.join(next)).status, 200)
      assert.deepInclude(yield* counted, { [introspected]: 1, [called]: 1 })
      yield* cloud.clearFaults
    })
  )

  it.effect("replace an expired token once, together", () =>
    Effect.gen(function* () {
      const cloud = yield* SimulatedCloud
      yield* cold
      yield* asked(read)
      yield* forgetTokens
      yield* cloud.clearCalls
      yield* cloud.fault({ ...service(read), times: crowd, when: "before", as: slow })
      const { callers } = yield* crowded
      yield* until(Effect.map(calls, (_) => _.length === crowd))
      yield* TestClock.adjust("1 second")
      const answers = yield* Fiber.joinAll(callers)
      assert.deepStrictEqual([...new Set(answers.map((_) => _.status))], [200])
      assert.deepStrictEqual(yield* counted, { [loggedIn]: 1, [called]: 2 * crowd })
    })
  )
})

layer(AcmeAlone)("a platform token that expires early", (it) => {
  const called = spelled(service(read))
  const good = (calls: ReadonlyArray<string>) => step(read, { answer: "good", calls }, false, "")

  for (const ask of asks) {
    const [called, streamed] = [spelled(service(ask)), ask.streamed === true]
    it.effect(`${streamed ? "fails" : "is not noticed by"} a ${ask.name}, and is replaced once`, () =>
      Effect.gen(function* () {
        yield* cold
        yield* step(ask, { answer: "good", calls: [introspected, loggedIn, called] }, false, ask.name)
        yield* forgetTokens
        if (streamed) {
          yield* step(ask, { answer: notAccepted(ask), calls: [called] }, false, ask.name)
          yield* step(ask, { answer: "good", calls: [loggedIn, called] }, false, ask.name)
        } else {
          yield* step(ask, { answer: "good", calls: [called, loggedIn, called] }, false, ask.name)
        }
        yield* step(ask, { answer: "good", calls: [called] }, false, ask.name)
      })
    )
  }

  it.effect("is noticed by Keystone too", () =>
    Effect.gen(function* () {
      const { projectId } = yield* Acme
      const path = `/v3/projects/${projectId}`
      yield* cold
      const project = { ...read, path: `/v1/iaas/identity/projects/${projectId}` }
      yield* asked(project)
      yield* forgetTokens
      yield* (yield* SimulatedCloud).clearCalls
      assert.strictEqual((yield* asked(project)).status, 200)
      assert.deepStrictEqual(yield* calls, [`keystone GET ${path}`, loggedIn, `keystone GET ${path}`])
    })
  )

  it.effect("is not the cause of a 404", () =>
    Effect.gen(function* () {
      yield* cold
      yield* good([introspected, loggedIn, called])
      yield* (yield* SimulatedCloud).clearCalls
      const path = "/containers/00000000-0000-4000-8000-000000000000"
      const answer = yield* asked({ ...read, path: `/v1/iaas/key-manager/v1${path}` })
      assert.strictEqual(answer.status, 404)
      assert.deepStrictEqual(yield* calls, [`barbican GET /v1${path}`])
      yield* good([called])
    })
  )

  it.effect("is renewed before that, at four fifths of its lifetime", () =>
    Effect.gen(function* () {
      const { keystone } = (yield* SimulatedCloud).world
      yield* cold
      keystone.tokenSeconds = 3600
      yield* good([introspected, loggedIn, called])
      keystone.tokenSeconds = tokenSeconds
      yield* TestClock.adjust("2879 seconds")
      yield* good([introspected, called])
      yield* TestClock.adjust("1 second")
      yield* good([loggedIn, called])
    })
  )

  it.effect("is not cached when it expires within two minutes", () =>
    Effect.gen(function* () {
      const { keystone } = (yield* SimulatedCloud).world
      yield* cold
      keystone.tokenSeconds = 120
      yield* good([introspected, loggedIn, called])
      yield* good([loggedIn, called])
      keystone.tokenSeconds = tokenSeconds
      yield* good([loggedIn, called])
      yield* good([called])
    })
  )

  it.effect("is renewed without waiting for another identity's login", () =>
    Effect.gen(function* () {
      const cloud = yield* SimulatedCloud
      yield* cold
      yield* good([introspected, loggedIn, called])
      yield* forgetTokens
      yield* cloud.clearCalls
      yield* cloud.fault({ ...login, when: "before", as: "hang" })
      const { call } = yield* TestGateway
      const administrator = yield* Effect.forkChild(call("operator", "GET", read.path, { token: operator }))
      yield* until(Effect.map(calls, (_) => _.includes(loggedIn)))
      yield* good([called, loggedIn, called])
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual((yield* Fiber.join(administrator)).status, 502)
    })
  )
})

layer(AcmeAlone)("a tenant that Keystone no longer admits", (it) => {
  const called = spelled(service(read))
  const shut: Readonly<Record<string, (keystone: KeystoneState, projectId: string, userId: string) => void>> = {
    "the project is disabled": ({ projects }, id) => void Object.assign(projects[id] ?? {}, { enabled: false }),
    "the project was removed": ({ projects }, id) => void delete projects[id],
    "the user is disabled": ({ users }, _, id) => void Object.assign(users[id] ?? {}, { enabled: false }),
    "the user was removed": ({ users }, _, id) => void delete users[id],
    "the user has another password": ({ tokens, users }, _, id) => {
      Object.assign(users[id] ?? {}, { password: "another" })
      for (const token of Object.values(tokens)) if (token.userId === id) delete tokens[token.id]
    },
    "the user has no role": (keystone, _, id) => {
      keystone.grants = keystone.grants.filter(({ userId }) => userId !== id)
    }
  }
  for (const [why, shutOut] of Object.entries(shut)) {
    it.effect(`because ${why} gets a 502, and succeeds soon after the repair`, () =>
      Effect.gen(function* () {
        const { keystone } = (yield* SimulatedCloud).world
        const { projectId } = yield* Acme
        const user = Object.values(keystone.users).find(({ name }) => name === `gw-${projectId}`)
        const before = structuredClone({ ...keystone })
        yield* cold
        yield* (yield* Logs).forget
        yield* step(read, { answer: "good", calls: [introspected, loggedIn, called] }, false, why)

        shutOut(keystone, projectId, user?.id ?? "")
        const refused = "keystone login: The request you have made requires authentication."
        const answer = badGateway(refused, false)
        const failed = yield* step(read, { answer, calls: [called, loggedIn] }, false, why)
        // Whoever asks on and on must not have Keystone lock the user.
        failed.push(...(yield* step(read, { answer, calls: [] }, false, why)))
        yield* TestClock.adjust("10 seconds")
        failed.push(...(yield* step(read, { answer, calls: [loggedIn] }, false, why)))
        assert.deepStrictEqual(yield* leaked(failed), [])

        Object.assign(keystone, before)
        yield* TestClock.adjust("9999 millis")
        yield* step(read, { answer, calls: [] }, false, why)
        yield* TestClock.adjust("1 millis")
        yield* step(read, { answer: "good", calls: [loggedIn, called] }, false, why)
      })
    )
  }
})

layer(Scripted)("a malformed success", (it) => {
  const [ofProvider, ofKeystone] = ["/odd/idp/", "/odd/identity/"] as const
  const { body, headers, status } = well[ofKeystone]
  const noRoles = failure(403, "Token carries no project roles; tenant access denied", "no_project_roles")
  const inactive = failure(401, "Token is not active", "token_inactive")
  const unread = (status: number) =>
    badGateway(`keystone login: answered ${status} with a body that is not understood`, false)
  const cases: ReadonlyArray<
    readonly [what: string, of: typeof ofProvider | typeof ofKeystone, reply: Reply, answer: Expected]
  > = [
    ["no body", ofProvider, {}, unusable],
    ["a page", ofProvider, { body: "<html>Welcome</html>" }, unusable],
    ["the active flag alone", ofProvider, { body: { active } }, unusable],
    ["no expiry of the token", ofProvider, { body: { active, sub, ...roles } }, unusable],
    ["no roles", ofProvider, { body: { active, sub, exp, email } }, noRoles],
    ["an inactive token", ofProvider, { body: { active: false } }, inactive],
    ["a truncated body", ofProvider, { ...well[ofProvider], breaks: true }, unreachable],
    ["no token", ofKeystone, { status, body }, unread(201)],
    ["no body", ofKeystone, { status, headers }, unread(201)],
    ["JSON that ends too early", ofKeystone, { status, headers, body: '{"token": {"catalog": ' }, unread(201)],
    ["no project", ofKeystone, { status, headers, body: { token: { expires_at, user, catalog } } }, unread(201)],
    ["no user", ofKeystone, { status, headers, body: { token: { expires_at, project, catalog } } }, unread(201)],
    ["no expiry", ofKeystone, { status, headers, body: { token: { project, user, catalog } } }, unread(201)],
    [
      "an invalid expiry",
      ofKeystone,
      { status, headers, body: { token: { project, user, expires_at: "soon" } } },
      unread(201)
    ],
    ["another status", ofKeystone, { status: 200, headers, body }, unread(200)],
    ["a redirect", ofKeystone, { status: 302, headers: { location: "http://identity.internal:5000" } }, unread(302)],
    [
      "a truncated body",
      ofKeystone,
      { ...well[ofKeystone], breaks: true },
      badGateway("keystone login: the answer broke off", true)
    ]
  ]
  for (const [what, of, reply, answer] of cases) {
    it.effect(
      `of ${of === ofProvider ? "the identity provider" : "Keystone"} with ${what} admits no caller, and is not cached`,
      () =>
        Effect.gen(function* () {
          const { call } = yield* TestGateway
          const path = "/v1/iaas/dns/zones"
          yield* TestClock.adjust("61 seconds")
          yield* replying({ ...well, [of]: reply })
          const failed = yield* call("customer", "GET", path, { token: "token-of-somebody" })
          matches(failed, read, answer, what)
          const told = [...failed.rawHeaders, failed.text, ...(yield* (yield* Logs).lines)].join("\n")
          for (const secret of [platformToken, "internal:", "token-of-somebody"]) assert.notInclude(told, secret)
          yield* replying(well)
          assert.strictEqual((yield* call("customer", "GET", path, { token: "token-of-somebody" })).text, "fine")
        })
    )
  }
})

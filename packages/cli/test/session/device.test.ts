import { assert, layer } from "@effect/vitest"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { inTime, repeatInTime, until } from "@portico/testing/clock"
import { Effect, Fiber } from "effect"
import { Acme, AcmeAlone } from "../../../gateway/test/harness/Acme.ts"
import { person } from "../../../gateway/test/harness/Cast.ts"
import { TestGateway } from "../../../gateway/test/harness/TestGateway.ts"
import { newHome } from "./home.ts"

layer(AcmeAlone)("portico login --device", (it) => {
  /** Begins a login, and gives what the provider waits for. */
  const begun = Effect.fnUntraced(function* (columns = 80) {
    const { world } = yield* SimulatedCloud
    const { url } = yield* TestGateway
    for (const old of Object.keys(world.zitadel.deviceCodes)) delete world.zitadel.deviceCodes[old]
    const home = yield* newHome
    const fiber = yield* Effect.forkChild(home.run(["login", url.customer, "--device", "-o", "json"], { columns }))
    // The gateway and the provider are asked over sockets, which no clock moves.
    const codes = Effect.sync(() => Object.values(world.zitadel.deviceCodes))
    yield* until(Effect.map(codes, (_) => _.length > 0))
    const code = (yield* codes)[0]!
    /** Lets time pass until the login is over. */
    const ended = inTime(Fiber.join(fiber), "1 second")
    return { home, code, ended }
  })

  it.effect("shows address, code and a QR code, and waits until the person has allowed it", () =>
    Effect.gen(function* () {
      yield* person("ada", ["customer-admin"], (yield* Acme).projectId)
      const { code, ended } = yield* begun()
      // Too early: the provider asks for longer pauses.
      code.polledAt = Number.MAX_SAFE_INTEGER
      // The client may not wait for its time yet: large steps could pass the code's end before it does.
      yield* repeatInTime(
        Effect.sync(() => code.polledAt),
        (_) => _ !== Number.MAX_SAFE_INTEGER,
        "100 millis"
      )
      assert.strictEqual(code.intervalSeconds, 10)
      const { world } = yield* SimulatedCloud
      code.decision = "allowed"
      code.userId = Object.values(world.zitadel.users).find((_) => _.userName === "ada@people.example")?.id ?? null
      const { exit, stderr, stdout } = yield* ended
      assert.strictEqual(exit, 0, stderr)
      assert.include(stderr, code.userCode)
      assert.include(stderr, "/idp/device\n")
      assert.match(stderr, /[█▀▄]{8}/)
      assert.strictEqual(JSON.parse(stdout).user_email, "ada@people.example")
    })
  )

  it.effect("fails when the person denies it, and draws no code in a small window", () =>
    Effect.gen(function* () {
      const { code, ended, home } = yield* begun(30)
      code.decision = "denied"
      const { exit, stderr } = yield* ended
      assert.strictEqual(exit, 3)
      assert.include(stderr, "denied")
      assert.notMatch(stderr, /[█▀▄]/)
      assert.throws(() => home.config())
    })
  )

  it.effect("fails when the code expires", () =>
    Effect.gen(function* () {
      const { ended } = yield* begun()
      const { exit, stderr } = yield* ended
      assert.strictEqual(exit, 3)
      assert.match(stderr, /expired|in time/)
    })
  )
})

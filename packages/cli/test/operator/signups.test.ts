import { assert, layer } from "@effect/vitest"
import { NodeServices } from "@effect/platform-node"
import { Effect, FileSystem, Layer } from "effect"
import { operator } from "../../../gateway/test/harness/Cast.ts"
import { jsonOf, TestGateway } from "../../../gateway/test/harness/TestGateway.ts"
import { Memory } from "@portico/testing/store/Memory"
import { commandLine } from "../harness/commandLine.ts"
import { type Typed, typed } from "./typed.ts"

const envOf = Effect.map(TestGateway, ({ url }) => ({ PORTICO_URL: url.operator, PORTICO_TOKEN: operator }))

const ask = Effect.fnUntraced(function* (org_name: string) {
  const { call } = yield* TestGateway
  const email = `ann@${org_name.toLowerCase().replaceAll(/[^a-z]/g, "")}.example`
  yield* call("customer", "POST", "/v1/signup", { body: { email, org_name } })
  const listed = jsonOf(yield* call("operator", "GET", "/v1/signups?state=pending", { token: operator }))
  return listed.signups.find((_: { org_name: string }) => _.org_name === org_name).signup_id
})

const stateOf = Effect.fnUntraced(function* (id: string) {
  const { call } = yield* TestGateway
  const { signups } = jsonOf(yield* call("operator", "GET", "/v1/signups", { token: operator }))
  return signups.find((_: { signup_id: string }) => _.signup_id === id).state
})

const review = Effect.fnUntraced(function* (keys: ReadonlyArray<Typed>, args: ReadonlyArray<string> = []) {
  return yield* typed(["signups", "review", ...args], yield* envOf, keys)
})

layer(Layer.mergeAll(TestGateway.layer, NodeServices.layer), { excludeTestServices: true })("signups", (it) => {
  it.effect("lists pending signups, with the remaining capacity", () =>
    Effect.gen(function* () {
      const id = yield* ask("Initech")
      const env = yield* envOf
      const { exit, stdout } = yield* commandLine(["signups"], { env })
      assert.strictEqual(exit, 0)
      const { capacity, signups } = JSON.parse(stdout)
      assert.deepStrictEqual([signups.length, signups[0].signup_id], [1, id])
      assert.deepInclude(capacity.tenants, { discovery: 0 })

      const drawn = yield* commandLine(["signups", "--output", "table"], { env, columns: 120 })
      assert.match(drawn.stdout, new RegExp(`${id} +Initech +ann@initech\\.example +pending +\\d+ s`))
      assert.match(drawn.stdout, /remains, and after one more +discovery +standard +extension +of/)
      assert.match(drawn.stdout, /cores +10000 -> 9992 +10000 -> 9968 +10000 -> 9872 +10000/)
      assert.match(drawn.stdout, /one more fits +yes +yes +yes/)
      assert.include(drawn.stdout, "1 signup waits: portico signups review")
    })
  )

  it.effect("escapes hostile names", () =>
    Effect.gen(function* () {
      const id = yield* ask("Evil corp")
      const { signups } = yield* Memory
      const row = signups.get(id)
      if (row === undefined) return assert.fail("it is stored")
      // From before such characters were refused.
      signups.set(id, { ...row, org_name: "Evil \u202e corp" })
      const drawn = yield* commandLine(["signups", "--output", "table"], { env: yield* envOf, columns: 120 })
      assert.include(drawn.stdout, "Evil \\u202e corp")
      yield* review(["down", "down", "down", "down", "enter", "y"], [id])
    })
  )

  it.effect("prints its questions without a terminal, and decides nothing", () =>
    Effect.gen(function* () {
      const { trace } = yield* TestGateway
      const before = yield* trace
      const { exit, stdout } = yield* commandLine(["signups", "review"], { env: yield* envOf })
      assert.deepStrictEqual([exit, JSON.parse(stdout).signups.length], [0, 1])
      assert.deepStrictEqual(yield* trace, before)
    })
  )

  it.effect("approves with a tier, and shows numbers before and the secret after", () =>
    Effect.gen(function* () {
      const id = yield* ask("Initech")
      const { isDone, written } = yield* review(["down", "down", "enter"], [id])
      assert.isTrue(isDone, written)
      assert.match(written, /1 of 1: Initech, asked by ann@initech\.example \d+ s ago/)
      assert.match(written, /initech, tier standard\n/)
      assert.match(written, /client secret {2}\S{20,}\n/)
      assert.include(written, "ann@initech.example gets a mail")
      assert.include(written, "1 signup: 1 approved.")
      assert.strictEqual(yield* stateOf(id), "onboarded")
    })
  )

  it.effect("rejects after a confirmation, skips and quits", () =>
    Effect.gen(function* () {
      const ids = [yield* ask("One"), yield* ask("Two"), yield* ask("Three"), yield* ask("Four")]
      const toReject: ReadonlyArray<Typed> = ["down", "down", "down", "down", "enter"]
      const { isDone, written } = yield* review([
        ...toReject,
        "n",
        ...toReject,
        "y",
        "enter",
        ...toReject.slice(0, -1),
        "down",
        "enter"
      ])
      assert.isTrue(isDone, written)
      assert.include(written, "4 signups: 1 rejected, 2 skipped, 1 not looked at.")
      assert.deepStrictEqual(yield* Effect.forEach(ids, stateOf), ["pending", "rejected", "pending", "pending"])
      yield* Effect.forEach(
        ids.filter((_) => _ !== ids[1]),
        (id) => review([...toReject, "y"], [id])
      )
    })
  )

  it.effect("asks for another name when the organisation's is taken", () =>
    Effect.gen(function* () {
      const { call } = yield* TestGateway
      yield* call("operator", "POST", "/v1/tenants", { token: operator, body: { name: "Taken" } })
      const files = yield* FileSystem.FileSystem
      const directory = yield* files.makeTempDirectoryScoped()
      const id = yield* ask("Taken")
      const keys: ReadonlyArray<Typed> = ["down", "enter", { text: "Taken Two" }, "enter"]
      const { isDone, written } = yield* review(keys, [id, "--secret-directory", directory])
      assert.isTrue(isDone, written)
      assert.include(written, "(organisation_name_taken, request ")
      assert.match(written, /taken-two, tier discovery\n/)
      const secret = (yield* files.readFileString(`${directory}/${id}`)).trim()
      assert.isAbove(secret.length, 20)
      assert.notInclude(written, secret)
    })
  )

  it.effect("leaves a signup as it is on Ctrl-C", () =>
    Effect.gen(function* () {
      const id = yield* ask("Later")
      const { isDone } = yield* review(["ctrl-c"], [id])
      assert.isFalse(isDone)
      assert.strictEqual(yield* stateOf(id), "pending")
    })
  )

  it.effect("reports an unknown signup", () =>
    Effect.gen(function* () {
      const { exit, stderr } = yield* commandLine(["signups", "review", "signup-none"], { env: yield* envOf })
      assert.strictEqual(exit, 4)
      assert.include(stderr, "There is no signup 'signup-none'")
    })
  )
})

import { assert, layer } from "@effect/vitest"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { inTime } from "@portico/testing/clock"
import { Duration, Effect, Fiber, FileSystem, Layer } from "effect"
import { NodeServices } from "@effect/platform-node"
import { operator } from "../../../gateway/test/harness/Cast.ts"
import { jsonOf, TestGateway } from "../../../gateway/test/harness/TestGateway.ts"
import { FollowPause } from "../../src/commands/tenants/follow.ts"
import { type Around, commandLine } from "../harness/commandLine.ts"
import { live } from "./live.ts"

const as = Effect.fnUntraced(function* (args: ReadonlyArray<string>, around: Around = {}) {
  const { url } = yield* TestGateway
  const run = commandLine(args, {
    ...around,
    env: { PORTICO_URL: url.operator, PORTICO_TOKEN: operator, LANG: "C.UTF-8" }
  }).pipe(Effect.provideService(FollowPause, Duration.millis(20)))
  return yield* inTime(run, "20 millis")
})

const subnetFails = {
  service: "neutron",
  method: "POST",
  path: "/v2.0/subnets",
  when: "before",
  as: { status: 503 }
} as const

const networkStays = {
  service: "neutron",
  method: "DELETE",
  path: "/v2.0/networks/*",
  times: "always",
  when: "before",
  as: { status: 503 }
} as const

const slowly = (service: "neutron" | "keystone", path: string, delay_ms: number) =>
  ({ service, method: "POST", path, when: "before", as: { delay_ms } }) as const

layer(Layer.mergeAll(TestGateway.layer, NodeServices.layer))("tenants onboard", (it) => {
  it.effect("shows each step when it is done, and the secret once", () =>
    Effect.gen(function* () {
      const cloud = yield* SimulatedCloud
      yield* cloud.fault(slowly("neutron", "/v2.0/routers", 500))
      const { exit, stderr, stdout } = yield* as(["tenants", "onboard", "Initech", "--tier", "discovery"])
      assert.strictEqual(exit, 0, stderr)
      const onboarded = JSON.parse(stdout)
      assert.strictEqual(onboarded.tenant.slug, "initech")
      assert.isAbove(onboarded.credential.client_secret.length, 20)
      assert.match(stderr, /^Onboarding Initech, tier discovery, idempotency key [0-9a-f-]{36}\n/)
      assert.match(stderr, /project: done: \d\.\d s\n/)
      assert.strictEqual(stderr.match(/router interface: done/g)?.length, 1)
      assert.match(stderr, /subnet: done: [\d.]+ s\n[^]*router: done: [\d.]+ s\n/)
      assert.notInclude(stderr, onboarded.credential.client_secret)
    })
  )

  it.effect("draws the tenant, its credential and the budget for a person", () =>
    Effect.gen(function* () {
      const { exit, stderr, stdout } = yield* as(["tenants", "onboard", "Drawn", "--output", "table"], { columns: 100 })
      assert.strictEqual(exit, 0, stderr)
      assert.match(stdout, /^drawn, tier discovery\n {2}project {8}\w{32}\n/)
      assert.match(stdout, /\n {2}client secret {2}\S{20,}\n/)
      assert.match(stdout, /\n {2}cores +8 +\d+ +\d+ +10000\n/)
    })
  )

  it.effect("writes the secret to a file that only its owner can read", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const directory = yield* files.makeTempDirectoryScoped()
      const path = `${directory}/secret`
      const { exit, stderr, stdout } = yield* as(["tenants", "onboard", "Filed", "--secret-file", path])
      assert.strictEqual(exit, 0, stderr)
      const secret = (yield* files.readFileString(path)).trim()
      assert.isAbove(secret.length, 20)
      assert.strictEqual((yield* files.stat(path)).mode & 0o777, 0o600)
      const { credential } = JSON.parse(stdout)
      assert.deepInclude(credential, { client_secret: null, client_secret_file: path })
      assert.notInclude(stdout + stderr, secret)
    })
  )

  it.effect("refuses to overwrite a file, before it sends a call", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const { trace } = yield* TestGateway
      const path = yield* files.makeTempFileScoped()
      yield* files.writeFileString(path, "mine")
      const before = yield* trace
      const { exit, stderr } = yield* as(["tenants", "onboard", "Refused", "--secret-file", path])
      assert.deepStrictEqual([exit, yield* files.readFileString(path)], [2, "mine"])
      assert.match(stderr, /exists already/)
      assert.deepStrictEqual(yield* trace, before)
    })
  )

  it.effect("leaves no empty file behind when it is refused", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const directory = yield* files.makeTempDirectoryScoped()
      const { exit } = yield* as(["tenants", "onboard", "admin", "--secret-file", `${directory}/secret`])
      assert.strictEqual(exit, 1)
      assert.deepStrictEqual(yield* files.readDirectory(directory), [])
    })
  )

  it.effect("says which step failed, that all was rolled back, and how to try again", () =>
    Effect.gen(function* () {
      const cloud = yield* SimulatedCloud
      yield* cloud.fault(slowly("neutron", "/v2.0/networks", 200))
      yield* cloud.fault(subnetFails)
      const { exit, stderr, stdout } = yield* as(["tenants", "onboard", "Soylent", "--idempotency-key", "mine"])
      assert.deepStrictEqual([exit, stdout], [5, ""])
      assert.match(stderr, /✗ subnet failed\n/)
      assert.match(stderr, /Rolled back: project, /)
      assert.include(
        stderr,
        "Nothing is left, and the name is free. To try again: portico tenants onboard Soylent --tier discovery --idempotency-key mine\n"
      )
      assert.match(
        stderr,
        /Onboarding stopped at subnet: neutron create subnet: simulated 503\.\nSend the request again\.\n\(onboarding_failed, request \w+\)\n$/
      )
      const again = yield* as(["tenants", "onboard", "Soylent", "--tier", "discovery", "--idempotency-key", "mine"])
      assert.strictEqual(again.exit, 0, again.stderr)
    })
  )

  it.effect("says what is left and how to remove it when a rollback gets stuck", () =>
    Effect.gen(function* () {
      const cloud = yield* SimulatedCloud
      yield* cloud.fault(slowly("neutron", "/v2.0/networks", 200))
      yield* cloud.fault(subnetFails)
      const rule = yield* cloud.fault(networkStays)
      const { exit, stderr } = yield* as(["tenants", "onboard", "Umbrella"])
      assert.strictEqual(exit, 5)
      assert.include(stderr, "'portico journal retry <attempt_id>'")
      assert.match(stderr, /Attempt ([0-9a-f-]{36}): stuck, tried again in (4 min|3 min 5\d s)\n/)
      assert.match(stderr, /left: network \(neutron remove network: simulated 503\)\n/)
      const [, id = ""] = /portico journal retry ([0-9a-f-]{36})\n/.exec(stderr) ?? []

      const inProgress = yield* as(["tenants", "onboard", "Umbrella"])
      assert.strictEqual(inProgress.exit, 1)
      assert.match(inProgress.stderr, new RegExp(`Attempt ${id}: stuck`))

      const listed = yield* as(["journal", "--output", "table"], { columns: 120 })
      assert.match(listed.stdout, new RegExp(`${id} +Umbrella +discovery +stuck +\\d+ s +network, `))
      assert.match(listed.stdout, /1 attempt is stuck:/)
      assert.deepStrictEqual(JSON.parse((yield* as(["journal", "--state", "running"])).stdout), [])

      const shown = yield* as(["journal", "show", id.slice(0, 8), "--output", "table"], { columns: 120 })
      assert.match(shown.stdout, /✗ network \(left\)\n/)
      assert.strictEqual((yield* as(["journal", "show", "none"])).exit, 4)

      const failed = yield* as(["journal", "retry", id])
      assert.deepStrictEqual([failed.exit, JSON.parse(failed.stdout).removed], [5, false])
      yield* cloud.removeFault(rule.id)
      const removed = yield* as(["journal", "retry", id])
      assert.deepStrictEqual([removed.exit, JSON.parse(removed.stdout).removed], [0, true])
      assert.deepStrictEqual(JSON.parse((yield* as(["journal"])).stdout), [])
    })
  )

  it.effect("continues at the gateway after Ctrl-C, and says how to see the result", () =>
    Effect.gen(function* () {
      const cloud = yield* SimulatedCloud
      const { call, url } = yield* TestGateway
      yield* cloud.fault(slowly("neutron", "/v2.0/routers", 700))
      const env = { PORTICO_URL: url.operator, PORTICO_TOKEN: operator }
      const args = ["tenants", "onboard", "Interrupted", "--tier", "discovery", "--idempotency-key", "kept"]
      const { fiber, until, written } = yield* live(args, env).pipe(
        Effect.provideService(FollowPause, Duration.millis(20))
      )
      yield* inTime(until("project: done"), "20 millis")
      yield* Fiber.interrupt(fiber)
      const said = written()
      assert.include(said, "The gateway goes on with the onboarding of Interrupted")
      assert.match(said, /'portico journal show [0-9a-f-]{36}' shows how far it is\./)
      assert.include(said, "portico tenants onboard Interrupted --tier discovery --idempotency-key kept")

      const answer = yield* as(args)
      assert.strictEqual(answer.exit, 0, answer.stderr)
      assert.strictEqual(JSON.parse(answer.stdout).credential.client_secret, null)
      assert.include(answer.stderr, "the secret was shown then")
      const listed = jsonOf(yield* call("operator", "GET", "/v1/tenants", { token: operator }))
      assert.strictEqual(listed.tenants.filter((_: { slug: string }) => _.slug === "interrupted").length, 1)
    })
  )
})

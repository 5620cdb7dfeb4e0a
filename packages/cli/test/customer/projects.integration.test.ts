import { assert, it, layer } from "@effect/vitest"
import type { Deletion } from "@portico/contract/Projects"
import { Server } from "@portico/simulator/Server"
import { gatewaySettings } from "@portico/simulator/settings"
import { Effect, Fiber, Layer, Schedule } from "effect"
import { operator, person, tenant } from "../../../gateway/test/harness/Cast.ts"
import { jsonOf, TestGateway } from "../../../gateway/test/harness/TestGateway.ts"
import { told } from "../../src/commands/projects/follow.ts"
import { commandLine } from "../harness/commandLine.ts"
import { atTerminal, started, widest } from "./started.ts"

/** A gateway that works its deletions off. */
const Working = TestGateway.layerOf(
  Effect.map(Server, ({ url }) => ({ ...gatewaySettings(url), PURGE_SECONDS: "1" }))
).pipe(Layer.provideMerge(TestGateway.cloud))

/** A tenant with a volume and an owner. */
const doomed = Effect.fnUntraced(function* (name: string) {
  const { call, url } = yield* TestGateway
  const made = yield* tenant(name)
  const slug = name.toLowerCase()
  const owner = yield* person(`owner-of-${slug}`, ["customer-owner"], made.projectId, "customer-owner")
  const volume = { name: "data \u202e1", size: 1 }
  const token = made.tokens[1]
  const volumes = yield* call("customer", "POST", "/v1/iaas/volume/volumes", { token, body: { volume } })
  assert.strictEqual(volumes.status, 202, volumes.text)
  const state = Effect.map(call("operator", "GET", `/v1/projects/${made.projectId}`, { token: operator }), (_) =>
    _.status === 200 ? String(jsonOf(_).state) : "gone"
  )
  return { ...made, slug, state, env: { PORTICO_URL: url.customer, PORTICO_TOKEN: owner } }
})

layer(Working, { excludeTestServices: true })("portico projects delete", (it) => {
  it.effect("shows the contents, asks for the name, and then shows the deletion's progress", () =>
    Effect.gen(function* () {
      const { env, projectId, slug, state } = yield* doomed("Hooli")
      const args = ["projects", "delete", slug]
      const given = yield* atTerminal(args, { columns: 40, env, types: "acme\n" })
      assert.strictEqual(given.exit, 130)
      assert.isTrue(given.stderr.endsWith("Nothing was done: 'acme' is not the name.\n"))
      const left = yield* atTerminal(args, { columns: 40, env, types: "hoo\u0003" })
      assert.deepStrictEqual([left.exit, left.stderr.endsWith("Nothing was done.\n")], [130, true])
      assert.strictEqual(yield* state, "live")
      const { exit, stderr, stdout } = yield* atTerminal(args, { columns: 100, env, types: `${slug}\n` })
      assert.deepStrictEqual([exit, stdout], [0, `${slug} is gone.\n`], stderr)
      assert.match(stderr, new RegExp(`^hooli \\(Hooli, tier discovery, ${projectId}\\)\n\nThis would be destroyed:\n`))
      assert.include(stderr, "1 volume/volumes: data \\u202e1\n")
      assert.include(stderr, `  portico deletions cancel ${projectId}\n`)
      assert.include(stderr, "s The deletion of hooli - ")
      assert.strictEqual(yield* state, "gone")
      const other = yield* doomed("Massive")
      const asGiven = yield* atTerminal(["projects", "delete", "Massive"], {
        columns: 100,
        env: other.env,
        types: "MASSIVE\n"
      })
      assert.strictEqual(asGiven.exit, 130)
      const named = yield* atTerminal(["projects", "delete", "Massive"], {
        columns: 100,
        env: other.env,
        types: "Massive\n"
      })
      assert.strictEqual(named.exit, 0, named.stderr)
      assert.isAtMost(widest(given.stderr.split("?")[0] ?? ""), 40)
    })
  )

  it.effect("needs --yes without a terminal, and does not wait there", () =>
    Effect.gen(function* () {
      const { env, projectId, slug, state } = yield* doomed("Initech")
      const silent = yield* commandLine(["projects", "delete", slug], { env })
      assert.deepStrictEqual([silent.exit, silent.stdout], [2, ""])
      assert.match(silent.stderr, /Add --yes if it is meant\.\n$/)
      assert.strictEqual(yield* state, "live")
      const begun = yield* commandLine(["projects", "delete", projectId, "--yes"], { env })
      assert.deepInclude(JSON.parse(begun.stdout), { project_id: projectId, state: "deleting" })
      const again = yield* commandLine(["projects", "delete", projectId, "--yes", "--wait", "--timeout", "0s"], { env })
      assert.include([1, 4], again.exit)
    })
  )

  it.effect("exits with 6 at its time-out; Ctrl-C says that the deletion continues", () =>
    Effect.gen(function* () {
      const slow = yield* doomed("Umbrella")
      const { env, projectId, slug } = slow
      const args = ["projects", "delete", slug, "--yes", "--wait"]
      const late = yield* commandLine([...args, "--timeout", "0s"], { env })
      assert.strictEqual(late.exit, 6, late.stderr)
      assert.include(late.stderr, "Not done in time: The deletion of umbrella goes on without you.\n")
      assert.include(late.stderr, `See how far it is with: portico projects show ${projectId}\n`)
      const other = yield* doomed("Soylent")
      const { fiber, written } = yield* started(["projects", "delete", other.slug, "--yes"], {
        columns: 100,
        env: other.env
      })
      const seen = Effect.sync(() => written.stderr.includes("The deletion has begun."))
      yield* Effect.repeat(seen, { until: (_) => _, schedule: Schedule.spaced("5 millis") })
      yield* Effect.sleep("20 millis")
      yield* Fiber.interrupt(fiber)
      assert.include(written.stderr, "The deletion of soylent goes on without you.\n")
      for (const { state } of [slow, other]) {
        yield* Effect.repeat(state, { until: (_) => _ === "gone", schedule: Schedule.spaced("100 millis") })
      }
    })
  )

  it.effect("is refused to all but owners, and an unknown project is not found", () =>
    Effect.gen(function* () {
      const { env, projectId, slug, state } = yield* doomed("Vandelay")
      const admin = yield* person("art", ["customer-admin"], projectId)
      const mayNot = yield* commandLine(["projects", "delete", slug, "--yes"], {
        env: { ...env, PORTICO_TOKEN: admin }
      })
      assert.strictEqual(mayNot.exit, 1)
      assert.include(mayNot.stderr, "owner_required")
      const none = yield* commandLine(["projects", "delete", "nobody", "--yes"], { env })
      assert.deepStrictEqual(
        [none.exit, none.stderr],
        [4, "There is no project 'nobody'.\nList the projects with: portico projects list\n"]
      )
      assert.strictEqual(yield* state, "live")
    })
  )

  it.effect("does not start a deletion that a locked server would refuse", () =>
    Effect.gen(function* () {
      const { env, networkId, slug, state, tokens } = yield* doomed("Wonka")
      const { call } = yield* TestGateway
      const { publicImageId } = yield* Effect.promise(() => import("@portico/simulator/glance/state"))
      const body = {
        server: { name: "vault", flavorRef: "3", imageRef: publicImageId, networks: [{ uuid: networkId }] }
      }
      const made = yield* call("customer", "POST", "/v1/iaas/compute/servers", { token: tokens[1], body })
      assert.strictEqual(made.status, 202, made.text)
      const action = `/v1/iaas/compute/servers/${jsonOf(made).server.id}/action`
      const locked = yield* call("customer", "POST", action, { token: tokens[2], body: { lock: null } })
      assert.strictEqual(locked.status, 202, locked.text)
      const { exit, stderr } = yield* commandLine(["projects", "delete", slug, "--yes"], { env })
      assert.strictEqual(exit, 1)
      assert.include(
        stderr,
        "Nothing was deleted, because the deletion would be refused: compute/servers vault is locked.\n"
      )
      assert.strictEqual(yield* state, "live")
    })
  )
})

it.effect("a deletion's progress lists its steps, what is left, and its last failure", () =>
  Effect.gen(function* () {
    const seen: Array<string> = []
    const shown = {
      now: (text: string) => Effect.sync(() => void seen.push(text)),
      step: (...step: ReadonlyArray<string | undefined>) => Effect.sync(() => void seen.push(step.join(" ")))
    }
    const deletion: Deletion = {
      state: "purging",
      steps: [
        { step: "compute/servers", state: "done", done: 2, left: 0 },
        { step: "image/images", state: "done", done: 0, left: 0 },
        { step: "volume/volumes", state: "running", done: 1, left: 4 },
        { step: "network/networks", state: "waiting", done: 0, left: null }
      ],
      done: 3,
      left: 4,
      refusal: null,
      last_failure: null,
      started_at: "2026-01-31T12:00:00.000Z"
    }
    yield* told(shown, deletion)
    const steps = ["compute/servers done 2 removed", "volume/volumes running 1 removed, 4 left"]
    assert.deepStrictEqual(seen, [...steps, "1 removed, 4 left"])
    yield* told(shown, { ...deletion, last_failure: "volume/volumes: no answer" })
    assert.deepStrictEqual(seen.slice(3), [...steps, "volume/volumes: no answer"])
    yield* told(shown, { ...deletion, state: "finishing", steps: [] })
    assert.strictEqual(seen.at(-1), "finishing")
  })
)

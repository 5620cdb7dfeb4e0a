import { assert, layer } from "@effect/vitest"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect, Fiber, Layer, Schedule } from "effect"
import { Cast } from "../../../gateway/test/harness/Cast.ts"
import { jsonOf, TestGateway } from "../../../gateway/test/harness/TestGateway.ts"
import { commandLine } from "../harness/commandLine.ts"
import { atTerminal, started } from "./started.ts"

const asAcme = Effect.gen(function* () {
  const { url } = yield* TestGateway
  const { acme } = yield* Cast
  return { PORTICO_URL: url.customer, PORTICO_TOKEN: acme.tokens[2] }
})

const create = (name: string, ...more: ReadonlyArray<string>) => [
  "databases",
  "create",
  "postgres",
  name,
  "--version",
  "17",
  "--size-gb",
  "10",
  ...more
]

layer(Cast.layer.pipe(Layer.provideMerge(TestGateway.layer)), { excludeTestServices: true })(
  "portico databases create",
  (it) => {
    it.effect("says what it needs, shows progress, and ends with how to connect, without the password", () =>
      Effect.gen(function* () {
        const { acme } = yield* Cast
        const { call } = yield* TestGateway
        const env = yield* asAcme
        const { exit, stderr, stdout } = yield* atTerminal(create("orders", "--backup.enabled", "--wait"), {
          columns: 100,
          env
        })
        assert.strictEqual(exit, 0, stderr)
        assert.deepStrictEqual(stdout.split("\n"), [
          "postgres/orders (version 17) is ready.",
          "Within the cluster it is at:",
          `  orders-rw.db-${acme.projectId}.svc:5432`,
          "Read its user name and password with:",
          "  portico databases credentials postgres orders",
          ""
        ])
        const [first] = stderr.split("\n")
        assert.strictEqual(
          first,
          "It takes 10 GiB; all databases then use 10 of 100 GiB of storage and 1 of 8 volumes."
        )
        assert.match(stderr, /Database postgres\/orders - (pending|provisioning)/)
        const path = "/v1/databases/postgres/orders/credentials"
        const { password } = jsonOf(yield* call("customer", "GET", path, { token: acme.tokens[2] }))
        assert.isFalse((stdout + stderr).includes(password))
      })
    )

    it.effect("does not wait unless it is asked to, and says how to look", () =>
      Effect.gen(function* () {
        const env = yield* asAcme
        const { exit, stdout } = yield* atTerminal(create("ledger"), { columns: 40, env })
        assert.strictEqual(exit, 0)
        assert.include(stdout, "postgres/ledger is pending")
        assert.include(stdout, "  portico databases show postgres ledger\n")
        const kafka = ["databases", "create", "kafka", "log", "--version", "4.3.1", "--size-gb", "1"]
        const data = yield* commandLine(kafka, { env })
        assert.deepInclude(JSON.parse(data.stdout), { engine: "kafka", name: "log", status: "pending" })
        assert.strictEqual(data.stderr, "")
      })
    )

    it.effect("takes its fields as the derived commands do: by flags alone, or from a body", () =>
      Effect.gen(function* () {
        const env = yield* asAcme
        const args = [
          "databases",
          "create",
          "--engine",
          "postgres",
          "--name",
          "flags",
          "--version",
          "17",
          "--size-gb",
          "1"
        ]
        const more = ["--backup.schedule", "0 30 2 * * *", "--backup.retention-days", "14", "--backup.enabled"]
        const flags = yield* commandLine([...args, ...more], { env })
        assert.deepStrictEqual(JSON.parse(flags.stdout).backup, {
          enabled: true,
          schedule: "0 30 2 * * *",
          retention_days: 14
        })
        const body = JSON.stringify({ size_gb: 1, version: "17" })
        const whole = ["databases", "create", "postgres", "whole", "--body", body]
        assert.deepInclude(JSON.parse((yield* commandLine(whole, { env })).stdout), { name: "whole", size_gb: 1 })
        const skeleton = yield* commandLine(["databases", "create", "--generate-skeleton"], { env })
        assert.hasAnyKeys(JSON.parse(skeleton.stdout), ["engine", "backup"])
        const twice = yield* commandLine(["databases", "create", "postgres", "x", "--name", "y"], { env })
        assert.deepStrictEqual([twice.exit, twice.stdout], [2, ""])
        const again = yield* commandLine(args, { env })
        assert.deepStrictEqual([again.exit, again.stdout], [1, ""])
        assert.include(again.stderr, "database_exists")
      })
    )

    it.effect("exits with 6 at its time-out; Ctrl-C says that the creation continues", () =>
      Effect.gen(function* () {
        const env = yield* asAcme
        const cloud = yield* SimulatedCloud
        const goesOn = "Database postgres/slow goes on without you"
        const look = "See how far it is with: portico databases show postgres slow"
        const late = yield* commandLine(create("slow", "--wait", "--timeout", "1s"), { env })
        assert.deepStrictEqual([late.exit, late.stdout], [6, ""])
        assert.isTrue(late.stderr.endsWith(`Not done in time: ${goesOn}.\n${look}\n`), late.stderr)

        const { fiber, written } = yield* started(create("slower", "--wait"), { columns: 100, env })
        const seen = Effect.sync(() => written.stderr.includes("Database postgres/slower - "))
        yield* Effect.repeat(seen, { until: (_) => _, schedule: Schedule.spaced("20 millis") })
        yield* Fiber.interrupt(fiber)
        assert.include(written.stderr, "Database postgres/slower goes on without you.\n")
        assert.include(written.stderr, "portico databases show postgres slower\n")
        yield* cloud.clearFaults
      })
    )

    it.effect("is refused with a message for a bad name or version", () =>
      Effect.gen(function* () {
        const env = yield* asAcme
        const wrong = yield* commandLine(create("Orders"), { env })
        assert.strictEqual(wrong.stdout, "")
        assert.notStrictEqual(wrong.exit, 0)
        const version = yield* commandLine(
          ["databases", "create", "postgres", "old", "--version", "9.6", "--size-gb", "1"],
          { env }
        )
        assert.strictEqual(version.exit, 1)
        assert.include(version.stderr, "version of a postgres database must be one of 16, 17, 18")
      })
    )
  }
)

import { assert, it as plain, layer } from "@effect/vitest"
import { documents } from "@portico/contract/openapi/documents"
import { Effect, Layer } from "effect"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Cast, operator } from "../harness/Cast.ts"
import { type Plane, TestGateway } from "../harness/TestGateway.ts"
import { folder } from "../parts/parts.ts"
import { repository } from "../processes/children.ts"
import { isHere, ran, title } from "./clients.ts"

const configuration = join(import.meta.dirname, "schemathesis.toml")

/** What the configuration leaves out. */
const [, leftOut = ""] =
  /include-operation-id = \[([^\]]*)\]\nenabled = false/.exec(readFileSync(configuration, "utf8")) ?? []

const operationsOf = (plane: Plane): number =>
  Object.values(documents[plane].paths)
    .flatMap((item) => Object.values(item))
    .filter((_) => "operationId" in _).length

/** The documents' examples, requests that fit them and that do not, and requests made of answers. */
const phases = ["examples", "fuzzing", "stateful"]

/** What a run of Schemathesis says of itself. */
interface Report {
  readonly operations: { readonly tested: number; readonly errored: number }
  readonly phases: Readonly<Record<string, { readonly status: string }>>
  readonly failures: ReadonlyArray<unknown>
  readonly errors: ReadonlyArray<unknown>
  readonly test_cases: { readonly generated: number }
  readonly valid_rates: Readonly<Record<string, Readonly<Record<string, { readonly accepted: number }>>>>
}

const asked = Effect.fnUntraced(function* (plane: Plane, token: string, ...args: ReadonlyArray<string>) {
  const { url } = yield* TestGateway
  const { at, path } = yield* folder
  const document = join(repository, `packages/contract/generated/openapi.${plane}.json`)
  const { stderr, stdout } = yield* ran(
    path,
    [
      "schemathesis",
      `--config-file=${configuration}`,
      "run",
      document,
      "--seed=1",
      "--max-examples=3",
      `--phases=${phases.join(",")}`,
      `--report-json-path=${at("report.json")}`,
      "--no-color",
      ...args
    ],
    { GATEWAY: url[plane], TOKEN: token }
  )
  assert.isTrue(existsSync(at("report.json")), stdout + stderr)
  const report: Report = JSON.parse(readFileSync(at("report.json"), "utf8"))
  return { report, said: stdout.slice(-20_000) + stderr }
}, Effect.scoped)

const Stage = Cast.layer.pipe(Layer.provideMerge(TestGateway.layer))

if (!isHere) plain.skip(title("Schemathesis finds no answer that the documents do not describe"), () => {})
else
  layer(Stage, { excludeTestServices: true })("Schemathesis finds no answer that is not in the document", (it) => {
    const expectNothing = (
      { report, said }: Effect.Success<ReturnType<typeof asked>>,
      plane: Plane,
      atLeast: { readonly writes: number }
    ) => {
      assert.deepStrictEqual([report.failures, report.errors], [[], []], said)
      assert.strictEqual(report.operations.tested, operationsOf(plane) - leftOut.split(",").length, said)
      assert.deepStrictEqual(
        phases.map((_) => report.phases[_]?.status),
        phases.map(() => "success"),
        said
      )
      // A run whose requests are all refused shows nothing of the answers to those that are not.
      const writes = Object.entries(report.valid_rates).filter(
        ([operation, rates]) => !operation.startsWith("GET") && Object.values(rates).some((_) => _.accepted > 0)
      )
      assert.isAtLeast(writes.length, atLeast.writes, said)
    }

    it.effect("of customers, for a tenant of tier 2", () =>
      Effect.gen(function* () {
        const { acme } = yield* Cast
        const { call } = yield* TestGateway
        const outcome = yield* asked("customer", acme.tokens[2])
        expectNothing(outcome, "customer", { writes: 30 })
        // Its rights have lasted: the rest would have been refusals.
        assert.strictEqual((yield* call("customer", "GET", "/v1/whoami", { token: acme.tokens[2] })).status, 200)
      })
    )

    it.effect("of operators, for a platform administrator", () =>
      Effect.gen(function* () {
        // Most writes are a tenant's, and an operator names none here.
        expectNothing(yield* asked("operator", operator), "operator", { writes: 15 })
      })
    )
  })

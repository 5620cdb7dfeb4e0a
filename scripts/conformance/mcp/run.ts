import { Cast } from "../../../packages/gateway/test/harness/Cast.ts"
import { TestGateway } from "../../../packages/gateway/test/harness/TestGateway.ts"
import { freePort } from "../../../packages/gateway/test/limits/redis.ts"
import { spawned } from "../../../packages/gateway/test/processes/children.ts"
import { Server } from "@portico/simulator/Server"
import { gatewaySettings } from "@portico/simulator/settings"
import { Effect, FileSystem, Layer, Schema } from "effect"
import { join } from "node:path"
import { type Outcome, together } from "../../difference.ts"
import { mcpSuite } from "../packages.ts"
import { relay } from "./relay.ts"
import { confirmed } from "./standIns.ts"

/** The newest revision of MCP with sessions, and the one without. */
const revisions = ["2025-11-25", "2026-07-28"]

const Checks = Schema.fromJsonString(
  Schema.Array(
    Schema.Struct({ id: Schema.String, status: Schema.String, errorMessage: Schema.optionalKey(Schema.String) })
  )
)

/** Runs the suite's scenarios for servers against the MCP endpoint of a gateway on a simulated cloud. */
export const runMcp = Effect.gen(function* () {
  const port = yield* freePort
  const Stage = Cast.layer.pipe(
    Layer.provideMerge(
      TestGateway.layerOf(
        Effect.map(Server, ({ url }) => ({
          ...gatewaySettings(url),
          AGENT_ALLOWED_ORIGINS: `http://localhost:${port}`
        }))
      )
    ),
    Layer.provideMerge(TestGateway.cloud)
  )
  return yield* Effect.provide(runOn(port), Stage, { local: true })
})

const runOn = Effect.fnUntraced(function* (port: number) {
  const { agentUrl, call } = yield* TestGateway
  const { acme, customerOwner } = yield* Cast
  const policy = { enabled: true, confirm: [confirmed] }
  const put = yield* call("customer", "PUT", "/v1/agents/policy", { token: customerOwner, body: policy })
  if (put.status !== 200) return yield* Effect.die(new Error(`the policy: ${put.status} ${put.text}`))
  yield* relay(port, agentUrl, acme.tokens[1])
  const url = `http://localhost:${port}${new URL(agentUrl).pathname}`
  return together(yield* Effect.forEach(revisions, (revision) => outcomeOf(url, revision)))
})

/** What the scenarios of a revision show. One that leaves no result has failed. */
const outcomeOf = Effect.fnUntraced(function* (url: string, revision: string) {
  const fs = yield* FileSystem.FileSystem
  const folder = yield* fs.makeTempDirectoryScoped()
  const version = ["--spec-version", revision]
  const list = yield* said(["list", "--server", ...version])
  const scenarios = [...list.matchAll(/^ {2}- (\S+)/gm)].flatMap((_) => _[1] ?? [])
  if (scenarios.length === 0) return yield* Effect.die(new Error(`the suite has no scenarios: ${list}`))
  yield* said(["server", "--url", url, "--suite", "all", "--output-dir", folder, ...version])
  const results = yield* fs.readDirectory(folder)
  const passed = new Set<string>()
  const failed = new Map<string, string>()
  for (const scenario of scenarios) {
    const result = results.find((_) => _.startsWith(`server-${scenario}-20`))
    if (result === undefined) {
      failed.set(`${revision} ${scenario}`, "it left no result")
      continue
    }
    const checks = yield* Schema.decodeEffect(Checks)(yield* fs.readFileString(join(folder, result, "checks.json")))
    for (const { errorMessage = "", id, status } of checks) {
      const name = `${revision} ${scenario}${id === scenario ? "" : `/${id}`}`
      if (status === "SUCCESS") passed.add(name)
      else if (status !== "INFO") failed.set(name, errorMessage)
    }
  }
  for (const name of failed.keys()) passed.delete(name)
  return { passed, failed } satisfies Outcome
})

const said = Effect.fnUntraced(function* (args: ReadonlyArray<string>) {
  const child = yield* spawned({ command: [process.execPath, mcpSuite, ...args], settings: {} })
  yield* child.ended
  return child.stdout()
}, Effect.scoped)

import { EmbeddedPostgres } from "@portico/store/EmbeddedPostgres"
import { Effect, FileSystem, Layer, Redacted } from "effect"
import { join } from "node:path"
import { onNode, root, running, urlIn } from "./proxy/processes.ts"

/** The simulated cloud as a process of its own; answers its address. */
export const simulatedCloud = Effect.map(
  running(
    { name: "the simulated cloud", env: { CLOUD_PORT: "0" }, ...onNode("packages/simulator/src/main.ts") },
    urlIn
  ),
  (_) => _.up
)

/** An empty PostgreSQL that is gone with the scope; answers its URL. */
export const database = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const dataDir = yield* fs.makeTempDirectoryScoped({ prefix: "portico-bench-" })
  const server = yield* Layer.build(EmbeddedPostgres.layer({ dataDir }))
  return Redacted.value(
    yield* Effect.provideContext(
      Effect.map(EmbeddedPostgres, (_) => _.url),
      server
    )
  )
})

/** Calls are counted as ever, and no load comes near the limit. */
export const roomy = {
  RATE_LIMIT_RPM_DISCOVERY: "1000000000",
  RATE_LIMIT_RPM_STANDARD: "1000000000",
  RATE_LIMIT_RPM_EXTENSION: "1000000000"
}

/** A gateway as in production, on free ports; answers the addresses of its planes, and its process. */
export const gatewayProcess = (
  settings: Readonly<Record<string, string>>,
  flags: ReadonlyArray<string> = [],
  main = join(root, "packages/gateway/src/main.ts")
) => {
  const env = { ...roomy, ...settings, CUSTOMER_PORT: "0", OPERATOR_PORT: "0", AGENT_PORT: "0" }
  const program = { name: "the gateway", env, command: process.execPath, args: [...flags, main] }
  return running(program, (said) => {
    const [, customer] = /"customer_url":"([^"]+)"/.exec(said) ?? []
    const [, operator] = /"operator_url":"([^"]+)"/.exec(said) ?? []
    const [, agent] = /"agent_url":"([^"]+)"/.exec(said) ?? []
    return customer !== undefined && operator !== undefined && agent !== undefined
      ? { customer, operator, agent }
      : undefined
  })
}

/** The addresses alone. */
export const gateway = (settings: Readonly<Record<string, string>>) => Effect.map(gatewayProcess(settings), (_) => _.up)

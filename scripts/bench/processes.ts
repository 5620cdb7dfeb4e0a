import { Deferred, Effect, FileSystem, Layer, Redacted, Schema, Stream } from "effect"
import { ChildProcess } from "effect/process"
import { EmbeddedPostgres } from "@portico/store/EmbeddedPostgres"
import { join } from "node:path"

/** The top of the repository. */
export const root = join(import.meta.dirname, "../..")

class NotUp extends Schema.TaggedError<NotUp>()("NotUp", { program: Schema.String, said: Schema.String }) {
  override get message() {
    return `${this.program} did not say where it listens. It said:\n${this.said}`
  }
}

/**
 * Runs a program of the repository on this Node while the scope is open.
 * Answers what `found` makes of its output, as soon as it makes something of it.
 */
const started = Effect.fnUntraced(function* <A>(
  program: string,
  env: Readonly<Record<string, string>>,
  found: (said: string) => A | undefined
) {
  const child = yield* ChildProcess.make(process.execPath, [join(root, program)], {
    cwd: root,
    env,
    extendEnv: true,
    stdin: "ignore",
    forceKillAfter: "30 seconds"
  })
  const up = yield* Deferred.make<A, NotUp>()
  let said = ""
  const notUp = () => new NotUp({ program, said })
  // Heard to the end, or a full pipe would stop the program.
  yield* child.all.pipe(
    Stream.decodeText(),
    Stream.runForEach((text) => {
      said = `${said}${text}`.slice(-10_000)
      const value = found(said)
      return value === undefined ? Effect.void : Deferred.succeed(up, value)
    }),
    Effect.ignore,
    Effect.andThen(Effect.suspend(() => Deferred.fail(up, notUp()))),
    Effect.forkScoped
  )
  return yield* Effect.timeoutOrElse(Deferred.await(up), { duration: "30 seconds", orElse: notUp })
})

/** The simulated cloud as a process of its own; answers its address. */
export const simulatedCloud = started(
  "packages/simulator/src/main.ts",
  { CLOUD_PORT: "0" },
  (said) => /"url":"(http:[^"]+)"/.exec(said)?.[1]
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

/** A gateway as in production, on free ports; answers the addresses of both planes. */
export const gateway = (env: Readonly<Record<string, string>>) =>
  started("packages/gateway/src/main.ts", { ...roomy, ...env, CUSTOMER_PORT: "0", OPERATOR_PORT: "0" }, (said) => {
    const [, customer] = /"customer_url":"([^"]+)"/.exec(said) ?? []
    const [, operator] = /"operator_url":"([^"]+)"/.exec(said) ?? []
    return customer !== undefined && operator !== undefined ? { customer, operator } : undefined
  })

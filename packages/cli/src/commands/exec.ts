import { Effect } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { CliFailure } from "../CliFailure.ts"
import { Argument, Command, Flag } from "../effectCli.ts"
import { portico, Session } from "../Session.ts"
import { constants } from "node:os"
import { variable } from "../setup/surroundings.ts"

const keys = Effect.gen(function* () {
  const { use } = yield* portico
  const { access_key, endpoint, secret_key } = yield* use((_, signal) => _.objectStorage.credentials({}, { signal }))
  return {
    AWS_ACCESS_KEY_ID: access_key,
    AWS_SECRET_ACCESS_KEY: secret_key,
    AWS_ENDPOINT_URL: endpoint,
    AWS_ENDPOINT_URL_S3: endpoint,
    // Of somebody's other keys: it would be sent along with these.
    AWS_SESSION_TOKEN: undefined
  }
})

const environment = Effect.fnUntraced(function* (withKeys: boolean, cloud: string) {
  const { url } = yield* portico
  return {
    OS_CLOUD: (yield* variable("OS_CLOUD")) ?? cloud,
    OS_TOKEN: yield* (yield* Session).token,
    // These come before clouds.yaml and before an openrc that was read: the token goes to its own gateway alone.
    OS_AUTH_TYPE: "v3token",
    OS_AUTH_URL: `${url}/openstack/identity`,
    ...(withKeys ? yield* keys : {})
  }
})

/** The number of the signal that ended a program, which Effect names in an error's message alone. */
const signalIn = (cause: unknown): number | undefined => {
  const [, name] = cause instanceof Error ? (/receipt of signal: '(\w+)'/.exec(cause.message) ?? []) : []
  return Object.entries(constants.signals).find(([signal]) => signal === name)?.[1]
}

export const exec = Command.make(
  "exec",
  {
    s3: Flag.Boolean("s3").pipe(
      Flag.withDescription("Also give the program the tenant's S3 keys"),
      Flag.withDefault(false)
    ),
    cloud: Flag.String("cloud").pipe(
      Flag.withDescription("The cloud of clouds.yaml that the program uses, unless OS_CLOUD names one"),
      Flag.withMetavar("name"),
      Flag.withDefault("portico")
    ),
    line: Argument.String("program").pipe(
      Argument.withDescription("The program and its arguments, after '--'"),
      Argument.variadic({ min: 1 })
    )
  },
  Effect.fnUntraced(function* ({ cloud, line, s3 }) {
    const [program = "", ...args] = line
    const env = yield* environment(s3, cloud)
    const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
    const stdio = { stdin: "inherit", stdout: "inherit", stderr: "inherit" } as const
    // Ctrl-C reaches the program itself, which says when it is over.
    const code = yield* spawner.exitCode(ChildProcess.make(program, args, { ...stdio, env, extendEnv: true })).pipe(
      Effect.uninterruptible,
      Effect.catch(({ reason }) => {
        const signal = signalIn(reason.cause)
        if (signal !== undefined) return Effect.succeed(128 + signal)
        return reason._tag === "NotFound"
          ? new CliFailure({
              exit: "programMissing",
              message: `${program} cannot be started: there is no such program`
            })
          : new CliFailure({ exit: "usage", message: `${program} cannot be started` })
      })
    )
    if (code !== 0) {
      return yield* new CliFailure({ exit: "refused", message: `${program} ended with ${code}`, code })
    }
  })
).pipe(
  Command.withShortDescription("Run a program with a token in its environment"),
  Command.withDescription(
    "Runs a client that knows no credential helper. The token is in its environment as OS_TOKEN, and with --s3 the " +
      "tenant's S3 keys as AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY. They are written to no file."
  ),
  Command.withExamples([
    { command: "portico exec -- openstack server list", description: "With the cloud of 'portico setup openstack'" },
    { command: "portico exec -- terraform plan", description: "With the provider of 'portico setup terraform'" },
    { command: "portico exec --s3 -- s3cmd ls", description: "With the tenant's S3 keys" }
  ])
)

import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Config, Console, Effect, Layer, Logger, Option, Schema } from "effect"
import { CliError, Command, Flag } from "effect/cli"
import { readFileSync } from "node:fs"
import process from "node:process"
import * as Cloud from "./cloud.ts"
import { fixtures } from "./Fixtures.ts"
import { outliveOutputs } from "./outputs.ts"
import { Server } from "./Server.ts"
import { addresses } from "./settings.ts"

// The one file that knows `effect/cli`, whose modules may change with any release.

/** How the process ends. */
const codes = { failed: 1, usage: 2 } as const

const Port = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 65535 }))

const flags = {
  port: Flag.Int("port").pipe(
    Flag.withSchema(Port),
    Flag.withDescription(
      "The port, for HTTP and for DNS over UDP; 0 takes a free one. Or CLOUD_PORT; 8090 when absent"
    ),
    Flag.withMetavar("number"),
    Flag.withFallbackConfig(Config.Int("CLOUD_PORT")),
    Flag.withDefault(8090)
  ),
  host: Flag.String("host").pipe(
    Flag.withDescription("The address to listen on. Or CLOUD_HOST; 127.0.0.1 when absent"),
    Flag.withMetavar("address"),
    Flag.withFallbackConfig(Config.String("CLOUD_HOST")),
    Flag.withDefault("127.0.0.1")
  ),
  s3Port: Flag.Int("s3-port").pipe(
    Flag.withSchema(Port),
    Flag.withDescription("A port for RGW alone, at its root, for S3 clients; 0 takes a free one. Or CLOUD_S3_PORT"),
    Flag.withMetavar("number"),
    Flag.withFallbackConfig(Config.Int("CLOUD_S3_PORT")),
    Flag.optional
  ),
  state: Flag.String("state").pipe(
    Flag.withDescription(
      "The file that keeps the state: loaded when it is there, and saved after every change. Or CLOUD_DATA_FILE"
    ),
    Flag.withMetavar("cloud.json"),
    Flag.withFallbackConfig(Config.NonEmptyString("CLOUD_DATA_FILE")),
    Flag.optional
  ),
  seed: Flag.String("seed").pipe(
    Flag.withDescription("The file that fills a new cloud: calls, DNS records and fault rules"),
    Flag.withMetavar("seed.json"),
    Flag.optional
  ),
  json: Flag.Boolean("json").pipe(
    Flag.withDescription("Print the addresses as one line of JSON, as where standard output is not a terminal"),
    Flag.withDefault(false)
  )
}

/** What a person needs for the first call. */
const banner = ({ s3Url, url }: Server["Service"]): string => {
  const { billing, control, idp, kubernetes, rgw } = fixtures
  const lines = (rows: Readonly<Record<string, string>>) =>
    Object.entries(rows)
      .map(([name, value]) => `  ${name.padEnd(11)} ${value}`)
      .join("\n")
  return `The simulated cloud is at ${url}

${lines({ ...addresses(url), rgw: s3Url, control: `${url}/cloud (faults, calls, state, snapshot)` })}

Its administrator, and other throw-away secrets:

${lines({
  OpenStack: `user ${control.name}, password ${control.password}, project admin, domain default`,
  "Ceph RGW": `access key ${rgw.accessKey}, secret key ${rgw.secretKey}`,
  Zitadel: `token ${idp.serviceToken}`,
  Kubernetes: `token ${kubernetes.token}`,
  billing: `token ${billing.token}`
})}

Ctrl-C ends it.`
}

const lineOf = ({ s3Url, url }: Server["Service"]): string =>
  JSON.stringify({ url, services: { ...addresses(url), rgw: s3Url }, control: `${url}/cloud` })

const command = Command.make(
  "portico-simulator",
  flags,
  Effect.fnUntraced(function* ({ json, s3Port, seed, state, ...where }) {
    const told = Effect.flatMap(Server, (server) =>
      Console.log(json || !process.stdout.isTTY ? lineOf(server) : banner(server))
    )
    const options = {
      ...where,
      s3Port: Option.getOrUndefined(s3Port),
      seed: Option.getOrUndefined(seed),
      state: Option.getOrUndefined(state)
    }
    yield* Layer.launch(Layer.provide(Layer.effectDiscard(told), Cloud.layer(options)))
  })
).pipe(
  Command.withDescription(
    "OpenStack's services, Ceph RGW, Zitadel, Kubernetes, billing, Prometheus and a DNS in one process, over their wire protocols. It fails on request: POST /cloud/faults."
  ),
  Command.withExamples([
    { command: "portico-simulator", description: "At port 8090" },
    {
      command: "portico-simulator --port 0 --json",
      description: "At a free port, which the one line on standard output names"
    },
    {
      command: "portico-simulator --state cloud.json --seed seed.json",
      description: "A cloud that goes on where it was"
    }
  ])
)

const { version }: { readonly version: string } = JSON.parse(
  readFileSync(new URL("../package.json", import.meta.url), "utf8")
)

const exit = (code: number) =>
  Effect.sync(() => {
    process.exitCode = code
  })

const program = Command.runWith(command, { version })(process.argv.slice(2)).pipe(
  Effect.catch((error) => {
    if (!CliError.isCliError(error)) return Effect.andThen(Console.error(error.message), exit(codes.failed))
    return error._tag === "ShowHelp" && error.errors.length === 0 ? Effect.void : exit(codes.usage)
  })
)

const logs = Logger.layer([Logger.withConsoleError(Logger.formatLogFmt)])

outliveOutputs()
NodeRuntime.runMain(program.pipe(Effect.provide(NodeServices.layer), Effect.provide(logs)))

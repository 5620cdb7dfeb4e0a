import { NodeHttpClient } from "@effect/platform-node"
import { fixtures } from "@portico/simulator/Fixtures"
import * as Persistence from "@portico/simulator/Persistence"
import { Server } from "@portico/simulator/Server"
import { nativeClientId } from "@portico/simulator/zitadel/state"
import * as PostgresClient from "@portico/store/client/PostgresClient"
import * as Database from "@portico/store/Database"
import { EmbeddedPostgres } from "@portico/store/EmbeddedPostgres"
import * as Store from "@portico/store/Store"
import { Config, ConfigProvider, Console, Context, Effect, Layer, Option } from "effect"
import { access, constants, mkdir, readFile } from "node:fs/promises"
import { join, resolve } from "node:path"
import * as Gateway from "./Gateway.ts"
import { cannotListen, CannotStart, launch, Port } from "./launch.ts"
import { AgentAddress, CustomerAddress, OperatorAddress } from "./Planes.ts"
import * as SettingsCheck from "./settings/check.ts"
import * as UnknownSettings from "./settings/unknown.ts"
import { StopWhenAbandoned } from "./start/abandoned.ts"
import { banner } from "./start/banner.ts"
import { type CertificateFiles, demoCertificate } from "./start/certificates.ts"
import { consoleBuild } from "./start/console.ts"
import { demoTenants } from "./start/demo.ts"
import { demoPeople } from "./start/people.ts"
import { readDevFile, writeDevFile } from "./start/DevFile.ts"
import { demoSettings } from "./start/settings.ts"
import { demoUsage } from "./start/usage.ts"

// `npm start`: embedded PostgreSQL, the simulated cloud, the three planes and two demo tenants, in one process. With
// `-- --no-demo` nothing is made in the cloud, which may then be one of your own.

/** Whether the demo tenants are made. */
const hasTenants = Effect.suspend(() => {
  const [flag, ...others] = process.argv.slice(2)
  return others.length === 0 && (flag === undefined || flag === "--no-demo")
    ? Effect.succeed(flag === undefined)
    : new CannotStart({ message: "Usage: npm start [-- --no-demo]" })
})

/** Directory of all data. It is created when it does not exist. */
const dataDirectory = Effect.gen(function* () {
  const directory = resolve(yield* Config.String("PORTICO_DATA_DIR").pipe(Config.withDefault(".portico")))
  yield* Effect.mapError(
    Effect.tryPromise(() => mkdir(directory, { recursive: true }).then(() => access(directory, constants.W_OK))),
    ({ cause }) =>
      new CannotStart({
        message:
          `The data directory cannot be used: ${cause instanceof Error ? cause.message : directory}. ` +
          "PORTICO_DATA_DIR sets another one."
      })
  )
  return directory
})

/** The certificate of the planes; undefined for plain HTTP. */
class DemoCertificate extends Context.Service<DemoCertificate, CertificateFiles | undefined>()(
  "portico/gateway/start/DemoCertificate"
) {
  static readonly layer = Layer.effect(DemoCertificate, Effect.flatMap(dataDirectory, demoCertificate))
}

/** Waits for the console's build, which runs beside the rest of the start. */
class ConsoleBuild extends Context.Service<ConsoleBuild, Effect.Effect<boolean>>()(
  "portico/gateway/start/ConsoleBuild"
) {
  static readonly layer = Layer.effect(ConsoleBuild, consoleBuild)
}

/** PostgreSQL at `DATABASE_URL`, or an embedded one in the data directory. */
const DatabaseLive = Layer.unwrap(
  Effect.gen(function* () {
    const given = yield* Config.option(Config.Redacted("DATABASE_URL"))
    const dataDir = join(yield* dataDirectory, "postgres")
    return Option.isSome(given) ? Layer.orDie(Database.fitClient) : Layer.orDie(embedded(dataDir))
  })
)

const embedded = (dataDir: string) =>
  Layer.unwrap(
    Effect.map(EmbeddedPostgres, ({ url }) =>
      PostgresClient.layer({ url, maxConnections: 20, statementTime: Database.usualStatementTime })
    )
  ).pipe(Layer.provide(EmbeddedPostgres.layer({ dataDir })))

const CloudLive = Layer.unwrap(
  Effect.gen(function* () {
    const port = yield* Config.schema(Port, "CLOUD_PORT").pipe(Config.withDefault(8090))
    const s3Port = yield* Config.schema(Port, "CLOUD_S3_PORT").pipe(Config.withDefault(port === 0 ? 0 : port + 1))
    return Server.layer({ port, s3Port }).pipe(
      Layer.catchTag("CannotListen", ({ address, reason }) =>
        cannotListen({
          who: "The simulated cloud",
          address,
          port: port !== s3Port && address.endsWith(`:${s3Port}`) ? "CLOUD_S3_PORT" : "CLOUD_PORT",
          cause: reason
        })
      ),
      Layer.provideMerge(Persistence.layer(join(yield* dataDirectory, "cloud.json")))
    )
  })
)

/** The environment first, then the settings of the simulated cloud. */
const SettingsLive = Layer.unwrap(
  Effect.gen(function* () {
    const cloud = yield* Server
    const certificate = yield* DemoCertificate
    const environment = yield* ConfigProvider.ConfigProvider
    const settings = ConfigProvider.fromUnknown(demoSettings(cloud, certificate))
    return ConfigProvider.layer(ConfigProvider.orElse(environment, settings))
  })
)

/** An HTTP client that trusts the planes' certificate. */
const clientOf = Effect.fnUntraced(function* (certificate: CertificateFiles | undefined) {
  if (certificate === undefined) return NodeHttpClient.layerUndici
  const ca = yield* Effect.orDie(Effect.tryPromise(() => readFile(certificate.ca, "utf8")))
  return NodeHttpClient.layerUndiciOptions({ connect: { ca } })
})

const Demo = Layer.effectDiscard(
  Effect.gen(function* () {
    const dataDir = yield* dataDirectory
    const cloud = yield* Server
    const customer = yield* CustomerAddress
    const operator = yield* OperatorAddress
    const agent = yield* AgentAddress
    const certificate = yield* DemoCertificate
    const hasConsole = yield* ConsoleBuild
    const before = yield* readDevFile(dataDir)
    const authUrl = `${cloud.url}/idp`
    const dev = {
      customer_url: customer.url,
      operator_url: operator.url,
      agent_url: agent.url,
      auth_url: authUrl,
      cloud_url: `${cloud.url}/cloud`,
      s3_url: cloud.s3Url,
      ...(certificate === undefined ? {} : { ca_file: certificate.ca }),
      cli_client_id: nativeClientId,
      operator: { token: fixtures.idp.operatorToken },
      tenants: (yield* hasTenants) ? yield* demoTenants(authUrl, before?.tenants ?? []) : []
    }
    // Once for a tenant: people whom the developer removed stay removed. A start that was killed writes no file.
    const hasPeople =
      before?.cli_client_id !== undefined && before.tenants[0]?.project_id === dev.tenants[0]?.project_id
    if (!hasPeople) yield* Effect.provide(demoPeople(dev), yield* clientOf(certificate), { local: true })
    yield* writeDevFile(dataDir, dev)
    yield* Console.log(banner(dev, join(dataDir, "dev.json"), yield* hasConsole))
    // Once only: demo usage that the developer removed stays removed.
    if (before === undefined)
      yield* Effect.forkScoped(Effect.provide(demoUsage(dev), yield* clientOf(certificate), { local: true }))
  })
)

Demo.pipe(
  Layer.provide(Gateway.layer),
  Layer.provide(NodeHttpClient.layerUndici),
  Layer.provide(SettingsCheck.layerWithoutDatabase),
  Layer.provide(UnknownSettings.layer),
  Layer.provide(SettingsLive),
  Layer.provide(DemoCertificate.layer),
  Layer.provide(Store.layerNoDeps),
  Layer.provide(CloudLive),
  Layer.provide(ConsoleBuild.layer),
  // First, because only the database notices that another process uses the data directory.
  Layer.provide(DatabaseLive),
  Layer.provide(Layer.effectDiscard(hasTenants)),
  Layer.provide(StopWhenAbandoned),
  launch
)

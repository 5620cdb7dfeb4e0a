import { NodeServices } from "@effect/platform-node"
import { fixtures } from "@portico/simulator/Fixtures"
import { Server } from "@portico/simulator/Server"
import { gatewaySettings } from "@portico/simulator/settings"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { makeWorld } from "@portico/simulator/World"
import { EmbeddedPostgres } from "@portico/store/EmbeddedPostgres"
import { Context, Effect, FileSystem, Layer, Redacted, Schema, Stream } from "effect"
import { ChildProcess } from "effect/process"
import { company } from "./simulated.ts"

/** The cloud and the support desk, which listen on loopback. */
const Cloud = Server.layer({ port: 0 }).pipe(
  Layer.provideMerge(Layer.sync(SimulatedCloud, () => SimulatedCloud.make(makeWorld(), company)))
)

/** An empty PostgreSQL, which is removed at the end. */
const Database = Layer.unwrap(
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const dataDir = yield* fs.makeTempDirectoryScoped({ prefix: "company-postgres-" })
    return EmbeddedPostgres.layer({ dataDir, durable: false })
  })
)

const sellable = {
  SELLABLE_CORES: "128",
  SELLABLE_RAM_GIB: "256",
  SELLABLE_BLOCK_GIB: "4000",
  SELLABLE_OBJECT_GIB: "1000",
  SELLABLE_FLOATING_IPS: "32"
}

const Addresses = Schema.fromJsonString(Schema.Struct({ customer_url: Schema.String, operator_url: Schema.String }))

/** The company's gateway, as a process of its own over a simulated cloud. */
export class Started extends Context.Service<
  Started,
  { readonly customerUrl: string; readonly operatorUrl: string; readonly operatorToken: string }
>()("company/Started") {
  static readonly layer = Layer.effect(
    Started,
    Effect.gen(function* () {
      const { url } = yield* Server
      const database = yield* EmbeddedPostgres
      const gateway = yield* ChildProcess.make(process.execPath, ["gateway.ts"], {
        cwd: import.meta.dirname,
        env: {
          ...gatewaySettings(url),
          ...sellable,
          DATABASE_URL: Redacted.value(database.url),
          DESK_URL: `${url}/company/desk`,
          DESK_TOKEN: "a token of the desk",
          CUSTOMER_PORT: "0",
          OPERATOR_PORT: "0",
          AGENT_PORT: "0"
        },
        stderr: "inherit"
      })
      // Its only line, once both planes listen.
      const line = yield* gateway.stdout.pipe(
        Stream.decodeText(),
        Stream.splitLines,
        Stream.runHead,
        Effect.flatMap(Effect.fromOption)
      )
      const addresses = yield* Schema.decodeEffect(Addresses)(line)
      return {
        customerUrl: addresses.customer_url,
        operatorUrl: addresses.operator_url,
        operatorToken: fixtures.idp.operatorToken
      }
    })
  ).pipe(Layer.provideMerge(Cloud), Layer.provide(Database), Layer.provide(NodeServices.layer))
}

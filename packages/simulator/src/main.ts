import { NodeRuntime } from "@effect/platform-node"
import { Config, Console, Effect, Layer, Logger, Option, Schema } from "effect"
import * as Persistence from "./Persistence.ts"
import { Server } from "./Server.ts"
import { SimulatedCloud } from "./SimulatedCloud.ts"

/** Unlike a configured port elsewhere, 0 is fine: any free one. */
const CloudPort = Schema.NumberFromString.check(Schema.isInt(), Schema.isBetween({ minimum: 0, maximum: 65535 }))

const settings = Config.all({
  host: Config.String("CLOUD_HOST").pipe(Config.withDefault("127.0.0.1")),
  port: Config.schema(CloudPort, "CLOUD_PORT").pipe(Config.withDefault(8090)),
  file: Config.option(Config.NonEmptyString("CLOUD_DATA_FILE"))
})

/** The simulated cloud as a process of its own. Standard output carries the one line that says where it is. */
const cloud = Layer.unwrap(
  Effect.map(settings, ({ file, host, port }) =>
    Layer.effectDiscard(Effect.flatMap(Server, ({ url }) => Console.log(JSON.stringify({ url })))).pipe(
      Layer.provide(Server.layer({ host, port })),
      Layer.provide(Option.match(file, { onNone: () => SimulatedCloud.layerMemory, onSome: Persistence.layer }))
    )
  )
)

NodeRuntime.runMain(
  Layer.launch(cloud).pipe(Effect.provide(Logger.layer([Logger.withConsoleError(Logger.formatLogFmt)])))
)

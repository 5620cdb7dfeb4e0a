import { NodeRuntime } from "@effect/platform-node"
import { Config, Console, Effect, Layer, Logger, Option, Schema } from "effect"
import * as Cloud from "./cloud.ts"
import { outliveOutputs } from "./outputs.ts"
import { Server } from "./Server.ts"

/** Unlike a configured port elsewhere, 0 is fine: any free one. */
const CloudPort = Schema.NumberFromString.check(Schema.isInt(), Schema.isBetween({ minimum: 0, maximum: 65535 }))

const settings = Config.all({
  host: Config.String("CLOUD_HOST").pipe(Config.withDefault("127.0.0.1")),
  port: Config.schema(CloudPort, "CLOUD_PORT").pipe(Config.withDefault(8090)),
  s3Port: Config.option(Config.schema(CloudPort, "CLOUD_S3_PORT")),
  file: Config.option(Config.NonEmptyString("CLOUD_DATA_FILE"))
})

/** The simulated cloud as a process of its own. Standard output carries the one line that says where it is. */
const cloud = Layer.unwrap(
  Effect.map(settings, ({ file, host, port, s3Port }) =>
    Layer.effectDiscard(
      Effect.flatMap(Server, ({ s3Url, url }) => Console.log(JSON.stringify({ url, s3_url: s3Url })))
    ).pipe(
      Layer.provide(
        Cloud.layer({ host, port, s3Port: Option.getOrUndefined(s3Port), state: Option.getOrUndefined(file) })
      )
    )
  )
)

outliveOutputs()
NodeRuntime.runMain(
  Layer.launch(cloud).pipe(Effect.provide(Logger.layer([Logger.withConsoleError(Logger.formatLogFmt)])))
)

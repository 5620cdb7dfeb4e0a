import { Effect } from "effect"
import { resolve } from "node:path"
import * as aws from "./clients/aws.ts"
import * as docker from "./clients/docker.ts"
import * as kubectl from "./clients/kubectl.ts"
import * as openstack from "./clients/openstack.ts"
import * as rclone from "./clients/rclone.ts"
import * as s3cmd from "./clients/s3cmd.ts"
import { readText } from "./files.ts"
import { logins } from "./registries.ts"
import { sourcesIn } from "./Target.ts"

const filesOf = (client: string): Effect.Effect<ReadonlyArray<string>> => {
  switch (client) {
    case "openstack":
      return Effect.map(openstack.pathsOf, ({ clouds }) => [clouds])
    case "kubectl":
      return kubectl.candidates
    case "aws":
      return Effect.map(aws.configFile, (_) => [_])
    case "rclone":
      return Effect.map(rclone.configFile, (_) => [_])
    case "s3cmd":
      return s3cmd.pathsOf("portico")
    case "docker":
      return Effect.map(docker.configFile, (_) => [_])
    default:
      return Effect.succeed([resolve("portico.tf")])
  }
}

const registries = logins.pipe(
  Effect.map((_) => Object.entries(_.logins).map(([registry, { source }]) => `${registry}: ${source}`)),
  Effect.orElseSucceed(() => [])
)

/** Where the configuration of a client is, and whose entries of ours are in it. */
export const survey = Effect.fnUntraced(function* (client: string) {
  const files = yield* filesOf(client)
  const texts = yield* Effect.forEach(files, (_) => Effect.orElseSucceed(readText(_), () => undefined))
  const marked = texts.flatMap((_) => sourcesIn(_ ?? ""))
  const first = files.find((_, i) => texts[i] !== undefined) ?? files[0]
  return { file: first ?? null, configured: client === "docker" ? yield* registries : marked }
})

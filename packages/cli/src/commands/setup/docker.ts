import { Effect } from "effect"
import { CliFailure } from "../../CliFailure.ts"
import { Command } from "../../effectCli.ts"
import { targetOf } from "../../setup/connect.ts"
import { follow } from "../../setup/Plan.ts"
import * as flags from "./flags.ts"

const files = Effect.promise(() => import("../../setup/clients/docker.ts"))

/** As images name it. */
const hostOf = (registry: string | undefined) =>
  registry === undefined || registry === ""
    ? new CliFailure({
        exit: "usage",
        message: "The registry's host is not known",
        hint: "Name it with --registry, as the names of its images begin. Your operator knows it"
      })
    : Effect.succeed(registry.replace(/^https?:\/\//, "").replace(/\/.*$/, ""))

export const docker = Command.make(
  "docker",
  {
    ...flags.manner,
    registry: flags.optionalText("registry", "host", "The registry, such as registry.cloud.example")
  },
  Effect.fnUntraced(function* (options) {
    const { docker, withoutDocker } = yield* files
    const registry = yield* hostOf(options.registry)
    if (options.remove) return yield* follow(withoutDocker({ ...options, registry }), options)
    const target = yield* targetOf({ ...options, caFile: undefined })
    yield* follow(docker(target, { ...options, registry }), options)
  })
).pipe(
  Command.withShortDescription("~/.docker/config.json, for docker, podman and skopeo"),
  Command.withDescription(
    "Makes docker-credential-portico the helper of a registry in ~/.docker/config.json, so that no 'docker login' is " +
      "needed. Where the helper is not on the PATH, it is written to ~/.local/bin."
  ),
  Command.withExamples([
    { command: "portico setup docker --registry registry.cloud.example", description: "Use the helper for a registry" },
    {
      command: "portico setup docker --registry registry.cloud.example --remove",
      description: "Remove that entry again"
    }
  ])
)

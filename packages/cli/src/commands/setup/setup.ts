import { Effect, Stream } from "effect"
import { Command } from "../../effectCli.ts"
import { Output } from "../../output/Output.ts"
import { programAt } from "../../setup/surroundings.ts"
import { docker } from "./docker.ts"
import { kubectl } from "./kubectl.ts"
import { openstack } from "./openstack.ts"
import { aws, rclone, s3cmd } from "./s3.ts"
import { terraform } from "./terraform.ts"

const commands = [openstack, kubectl, aws, s3cmd, rclone, docker, terraform] as const

/** Programs that read the same files. */
const programs: Readonly<Record<string, ReadonlyArray<string>>> = {
  kubectl: ["kubectl", "helm", "k9s"],
  docker: ["docker", "podman", "skopeo"],
  terraform: ["terraform", "tofu"]
}

const row = Effect.fnUntraced(function* (client: string) {
  const { survey } = yield* Effect.promise(() => import("../../setup/survey.ts"))
  const found = yield* Effect.forEach(programs[client] ?? [client], programAt)
  return { client, installed: found.find((_) => _ !== undefined) ?? null, ...(yield* survey(client)) }
})

export const setup = Command.make(
  "setup",
  {},
  Effect.fnUntraced(function* () {
    const { rows } = yield* Output
    const clients = Stream.mapEffect(Stream.fromIterable(commands), (_) => row(_.name))
    yield* rows(clients, { columns: ["client", "installed", "configured", "file"], name: "client" })
  })
).pipe(
  Command.withShortDescription("Configure stock clients: openstack, kubectl, aws, docker and others"),
  Command.withDescription(
    "Writes the entries of this cloud to the configuration of a client, and leaves those of others alone. Without a " +
      "client: which ones are installed here, and which have entries."
  ),
  Command.withExamples([
    { command: "portico setup", description: "Show the clients" },
    { command: "portico setup kubectl", description: "Configure kubectl" }
  ]),
  Command.withSubcommands(commands)
)

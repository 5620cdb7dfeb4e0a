import { Option } from "effect"
import { clientNames } from "../../agents/clients.ts"
import { Argument, Flag } from "../../effectCli.ts"

export const client = Argument.Literals("client", clientNames).pipe(
  Argument.withDescription(
    `The program in which the agent runs; 'json' prints an entry for any other one (choices: ${clientNames.join(", ")})`
  )
)

export const text = (name: string, metavar: string, description: string) =>
  Flag.String(name).pipe(
    Flag.withDescription(description),
    Flag.withMetavar(metavar),
    Flag.optional,
    Flag.map(Option.getOrUndefined)
  )

export const boolean = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withDefault(false))

/** Which entry of which file. */
export const entry = {
  name: Flag.String("name").pipe(
    Flag.withDescription("The name of the server in the client"),
    Flag.withMetavar("name"),
    Flag.withDefault("portico")
  ),
  file: text("file", "file", "Another file of the client, such as .mcp.json of a project"),
  force: boolean("force", "Replace or remove a server of that name that is not ours, too"),
  dryRun: boolean("dry-run", "Show what would change, and change nothing")
}

export const projectId = text(
  "project-id",
  "id",
  "The agents of this project; for platform administrators, who have none of their own"
)

/** The most rows. */
export const limit = (what: string) =>
  Flag.Int("limit").pipe(
    Flag.withDescription(`The most ${what}`),
    Flag.withMetavar("rows"),
    Flag.filter(
      (_) => _ >= 1,
      (_) => `Expected 1 or more, got ${_}`
    )
  )

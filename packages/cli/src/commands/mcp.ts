import { Effect, Option, Stdio, Stream } from "effect"
import { CliFailure } from "../CliFailure.ts"
import { Command, Flag } from "../effectCli.ts"
import { sentence } from "../output/sentence.ts"
import { Screen, Sides } from "../Screen.ts"
import { Session } from "../Session.ts"
import { decoded } from "../utf8.ts"

const optional = (name: string, metavar: string, description: string) =>
  Flag.String(name).pipe(
    Flag.withDescription(description),
    Flag.withMetavar(metavar),
    Flag.optional,
    Flag.map(Option.getOrUndefined)
  )

export const agentUrlFlag = optional(
  "agent-url",
  "address",
  "The address of the agent plane. Or PORTICO_AGENT_URL; otherwise what the gateway says"
)

export const areasFlag = optional(
  "areas",
  "names",
  "Areas of tools to switch on, separated by commas, such as compute,network"
)

const capitalized = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`

/** No byte of a longer character in UTF-8 is one of a line break: each line is decoded by itself. */
const linesOf = <E, R>(bytes: Stream.Stream<Uint8Array, E, R>): Stream.Stream<string | undefined, E, R> =>
  bytes.pipe(
    Stream.map((_) => Buffer.from(_).toString("latin1")),
    Stream.splitLines,
    Stream.map((_) => decoded(Buffer.from(_, "latin1")))
  )

/** Standard output has the messages of the protocol and nothing else. */
export const mcp = Command.make(
  "mcp",
  { agentUrl: agentUrlFlag, areas: areasFlag },
  Effect.fnUntraced(function* (wanted) {
    const session = yield* Session
    const { url } = yield* session.connect
    const { agentAddressOf } = yield* Effect.promise(() => import("../mcp/agentAddress.ts"))
    const { bridge } = yield* Effect.promise(() => import("../mcp/bridge.ts"))
    const { current, replaced } = yield* session.tokens
    const address = yield* agentAddressOf(url, yield* session.profile, wanted)
    const { out } = yield* Sides
    const { note } = yield* Screen
    const { stdin } = yield* Stdio.Stdio
    yield* bridge({
      plane: { url: address, token: current, replaced, signIn: capitalized(yield* session.signIn) },
      lines: linesOf(stdin),
      write: (message) => Effect.orDie(out.write(`${message}\n`)),
      log: (text) => note(sentence(`portico mcp: ${text}`))
    }).pipe(
      Effect.catchTag("PlatformError", () =>
        Effect.fail(new CliFailure({ exit: "platform", message: "Standard input cannot be read" }))
      )
    )
  })
).pipe(
  Command.withShortDescription(
    "Give an agent on this machine the tools of the gateway, over standard input and output"
  ),
  Command.withDescription(
    "An MCP server of the stdio transport, which agents' programs start by themselves: it passes each message to the " +
      "gateway's agent plane with the token of the profile, and renews the token. 'portico agents connect' names it in " +
      "the configuration of a client. It ends with its standard input."
  ),
  Command.withExamples([
    { command: "portico mcp --profile agent-claude-code", description: "What a client starts" },
    { command: "portico mcp --areas compute,network", description: "With the tools of two further areas" }
  ])
)

import { Effect } from "effect"
import { homedir } from "node:os"
import { join } from "node:path"
import process from "node:process"
import { configHome, home, variable } from "../setup/surroundings.ts"

export const clientNames = [
  "claude-code",
  "claude-desktop",
  "cursor",
  "vscode",
  "codex",
  "gemini-cli",
  "windsurf",
  "zed",
  "json"
] as const
/** A program in which agents run. `json` is any other one: its entry is printed. */
export type ClientName = (typeof clientNames)[number]

/** What a client starts, or where it goes. */
export type Server =
  | {
      readonly kind: "local"
      readonly command: string
      readonly args: ReadonlyArray<string>
      readonly env: Readonly<Record<string, string>>
    }
  | { readonly kind: "remote"; readonly url: string; readonly headers: Readonly<Record<string, string>> }

export type Fields = Readonly<Record<string, unknown>>

/** How a client is configured. */
export interface Client {
  /** As people call it. */
  readonly title: string
  /** Undefined where nothing is written. */
  readonly file: Effect.Effect<string | undefined>
  readonly format: "json" | "json with comments" | "toml"
  /** The object of the file that has the servers by their names. */
  readonly key: string
  /** Undefined where the file takes no server of that kind. */
  readonly entry: (server: Server) => Fields | undefined
  /** Whether it is started without the PATH of a shell. */
  readonly lacksPath?: boolean
  /** What a person does next. */
  readonly next: string
}

/** Where programs of a desktop keep their configuration, each system's own way. */
const applicationData = Effect.fnUntraced(function* (...below: ReadonlyArray<string>) {
  if (process.platform === "darwin") return join(yield* home, "Library", "Application Support", ...below)
  if (process.platform === "win32") {
    return join((yield* variable("APPDATA")) ?? join(homedir(), "AppData", "Roaming"), ...below)
  }
  return join(yield* configHome(""), ...below)
})

const below = (...path: ReadonlyArray<string>) => Effect.map(home, (_) => join(_, ...path))

const ifAny = (name: string, value: Fields): Fields => (Object.keys(value).length === 0 ? {} : { [name]: value })

const localOf = (server: Extract<Server, { kind: "local" }>): Fields => ({
  command: server.command,
  args: server.args,
  ...ifAny("env", server.env)
})

/** The keys of an entry, which differ in how they name an address. */
const entryBy =
  (address: string, types?: { readonly local: string; readonly remote: string }, headers = "headers") =>
  (server: Server): Fields =>
    server.kind === "local"
      ? { ...(types === undefined ? {} : { type: types.local }), ...localOf(server) }
      : {
          ...(types === undefined ? {} : { type: types.remote }),
          [address]: server.url,
          ...ifAny(headers, server.headers)
        }

const typed = { local: "stdio", remote: "http" }

const restart = (title: string) => `Restart ${title}, which reads its configuration at its start`

export const clients: Readonly<Record<ClientName, Client>> = {
  // Claude Code's documentation, "Connect Claude Code to tools via MCP": servers of all projects are in ~/.claude.json.
  "claude-code": {
    title: "Claude Code",
    file: Effect.flatMap(variable("CLAUDE_CONFIG_DIR"), (_) =>
      _ === undefined ? below(".claude.json") : Effect.succeed(join(_, ".claude.json"))
    ),
    format: "json",
    key: "mcpServers",
    entry: entryBy("url", typed),
    next: "Try: claude mcp get portico, or /mcp within a session"
  },
  // The quickstart for users of modelcontextprotocol.io. Its file takes local servers alone: a program of a desktop is
  // started without the PATH of a shell.
  "claude-desktop": {
    title: "Claude Desktop",
    file: applicationData("Claude", "claude_desktop_config.json"),
    format: "json",
    key: "mcpServers",
    entry: (server) => (server.kind === "local" ? localOf(server) : undefined),
    lacksPath: true,
    next: restart("Claude Desktop")
  },
  // Cursor's documentation, "Model Context Protocol": ~/.cursor/mcp.json is for all projects.
  cursor: {
    title: "Cursor",
    file: below(".cursor", "mcp.json"),
    format: "json",
    key: "mcpServers",
    entry: entryBy("url"),
    next: restart("Cursor")
  },
  // VS Code's documentation, "MCP configuration reference": mcp.json of the user's profile, with "servers".
  vscode: {
    title: "VS Code",
    file: applicationData("Code", "User", "mcp.json"),
    format: "json with comments",
    key: "servers",
    entry: entryBy("url", typed),
    next: "Start the server in VS Code: 'MCP: List Servers' in the command palette"
  },
  // Codex's documentation, "Model Context Protocol" and "Config reference": [mcp_servers.<name>] of config.toml.
  codex: {
    title: "Codex",
    file: Effect.flatMap(variable("CODEX_HOME"), (_) =>
      _ === undefined ? below(".codex", "config.toml") : Effect.succeed(join(_, "config.toml"))
    ),
    format: "toml",
    key: "mcp_servers",
    entry: entryBy("url", undefined, "http_headers"),
    next: "Try: codex mcp list, or /mcp within a session"
  },
  // Gemini CLI's documentation, "MCP servers with the Gemini CLI": "httpUrl" is streamable HTTP, "url" is not.
  "gemini-cli": {
    title: "Gemini CLI",
    file: below(".gemini", "settings.json"),
    format: "json with comments",
    key: "mcpServers",
    entry: entryBy("httpUrl"),
    next: "Try: gemini mcp list, or /mcp within a session"
  },
  // Windsurf's documentation, "Cascade MCP integration": remote servers have a "serverUrl".
  windsurf: {
    title: "Windsurf",
    file: below(".codeium", "windsurf", "mcp_config.json"),
    format: "json",
    key: "mcpServers",
    entry: entryBy("serverUrl"),
    next: "Refresh the list of servers in Windsurf's MCP settings"
  },
  // Zed's documentation, "Model Context Protocol": "context_servers" of settings.json.
  zed: {
    title: "Zed",
    file: Effect.suspend(() =>
      process.platform === "win32"
        ? applicationData("Zed", "settings.json")
        : process.platform === "darwin"
          ? below(".config", "zed", "settings.json")
          : Effect.map(configHome("zed"), (_) => join(_, "settings.json"))
    ),
    format: "json with comments",
    key: "context_servers",
    entry: entryBy("url"),
    next: "Zed starts it by itself; its agent panel shows whether it runs"
  },
  json: {
    title: "the client",
    file: Effect.undefined,
    format: "json",
    key: "mcpServers",
    entry: entryBy("url", typed),
    next: "Put the entry into the configuration of the client"
  }
}

/** The addresses and arguments of an entry, whichever client wrote it. */
export const describedBy = (entry: unknown): { readonly args: ReadonlyArray<unknown>; readonly url: unknown } => {
  if (typeof entry !== "object" || entry === null) return { args: [], url: undefined }
  const found: Fields = { ...entry }
  return {
    args: Array.isArray(found["args"]) ? found["args"] : [],
    url: found["url"] ?? found["httpUrl"] ?? found["serverUrl"]
  }
}

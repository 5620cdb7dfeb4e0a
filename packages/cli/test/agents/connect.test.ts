import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { parse as parseToml } from "effect/encoding/Toml"
import { chmodSync, lstatSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { parse as parseJsonc } from "jsonc-parser"
import { Cast } from "../../../gateway/test/harness/Cast.ts"
import { TestGateway } from "../../../gateway/test/harness/TestGateway.ts"
import { acme, succeeded } from "./acme.ts"
import { initialize } from "./messages.ts"

const entryOf = (args: ReadonlyArray<string>) => ({ command: "portico", args })

/** Where each client has its servers on Linux, and a file with a foreign one. */
const jsonClients = [
  ["claude-code", ".claude.json", "mcpServers", { type: "stdio" }],
  ["cursor", ".cursor/mcp.json", "mcpServers", {}],
  ["vscode", ".config/Code/User/mcp.json", "servers", { type: "stdio" }],
  ["gemini-cli", ".gemini/settings.json", "mcpServers", {}],
  ["windsurf", ".codeium/windsurf/mcp_config.json", "mcpServers", {}],
  ["zed", ".config/zed/settings.json", "context_servers", {}]
] as const

layer(Cast.layer.pipe(Layer.provideMerge(TestGateway.layer)), { excludeTestServices: true })(
  "portico agents connect",
  (it) => {
    for (const [client, file, key, more] of jsonClients) {
      it.effect(`${client}: into no file, an empty one, and beside foreign entries, and out again`, () =>
        Effect.gen(function* () {
          const { agents, files, has, modeOf, portico, read, secretOf, write } = yield* acme
          const profile = `agent-${client}`
          const entry = { ...more, ...entryOf(["mcp", "--profile", profile]) }
          succeeded(yield* portico(`agents connect ${client}`))
          assert.deepStrictEqual(JSON.parse(read(file)), { [key]: { portico: entry } })
          assert.strictEqual(modeOf(file), 0o600)
          assert.deepInclude(agents()[profile].agent, { client, tier: 0 })
          assert.isFalse(files().some((_) => _.includes(secretOf(profile))))
          succeeded(yield* portico(`agents disconnect ${client}`))
          assert.isFalse(has(file))
          assert.isUndefined(agents()[profile])

          write(file, "")
          succeeded(yield* portico(`agents connect ${client}`))
          assert.deepStrictEqual(JSON.parse(read(file)), { [key]: { portico: entry } })

          const foreign = `{\n    "other": [1,   2],\n    "${key}": {\n        "theirs": { "command": "x",  "args": [] }\n    }\n}\n`
          write(file, foreign, 0o640)
          succeeded(yield* portico(`agents connect ${client}`))
          assert.deepStrictEqual(JSON.parse(read(file))[key].portico, entry)
          assert.include(read(file), `"theirs": { "command": "x",  "args": [] }`)
          assert.include(read(file), `"other": [1,   2]`)
          assert.strictEqual(modeOf(file), 0o640)
          assert.strictEqual(read(`${file}.portico-backup`), foreign)
          assert.strictEqual(modeOf(`${file}.portico-backup`), 0o600)
          succeeded(yield* portico(`agents disconnect ${client}`))
          assert.strictEqual(read(file), foreign)
        })
      )
    }

    it.effect("claude-desktop: with the paths of the program, because it has no PATH of a shell", () =>
      Effect.gen(function* () {
        const { portico, read } = yield* acme
        succeeded(yield* portico("agents connect claude-desktop"))
        const { args, command } = JSON.parse(read(".config/Claude/claude_desktop_config.json")).mcpServers.portico
        assert.isTrue([command, ...args].some((_: string) => _.startsWith("/")))
        assert.deepStrictEqual(args.slice(-3), ["mcp", "--profile", "agent-claude-desktop"])
        const remote = yield* portico("agents connect claude-desktop --remote")
        assert.strictEqual(remote.exit, 2)
        assert.include(remote.stderr, "Claude Desktop takes remote servers in its settings alone")
      })
    )

    it.effect("codex: a table of its own among others and comments, which stay letter by letter", () =>
      Effect.gen(function* () {
        const { portico, read, write } = yield* acme
        const file = ".codex/config.toml"
        const foreign =
          'model = "x" # mine\n\n[mcp_servers.theirs]\ncommand = "y"\n\n[mcp_servers.theirs.env]\nKEY = "1"\n\n[tui]\nx = 1\n'
        write(file, foreign)
        succeeded(yield* portico("agents connect codex"))
        const once = read(file)
        assert.isTrue(once.startsWith(foreign))
        const parsed = Result.getOrThrow(parseToml(once))
        assert.deepStrictEqual(JSON.parse(JSON.stringify(parsed)).mcp_servers.portico, {
          command: "portico",
          args: ["mcp", "--profile", "agent-codex"]
        })
        succeeded(yield* portico("agents connect codex --areas compute,network"))
        assert.include(read(file), 'args = ["mcp", "--profile", "agent-codex", "--areas", "compute,network"]')
        assert.isTrue(read(file).startsWith(foreign))
        succeeded(yield* portico("agents disconnect codex"))
        assert.strictEqual(read(file), foreign)

        write(file, 'mcp_servers = { theirs = { command = "y" } }\n')
        const refused = yield* portico("agents connect codex")
        assert.strictEqual(refused.exit, 1)
        assert.include(refused.stderr, "in a form that is not edited here")
        write(file, "[broken\n")
        const broken = yield* portico("agents connect codex")
        assert.strictEqual(broken.exit, 1)
        assert.include(broken.stderr, "is not valid, and was left alone")
        assert.strictEqual(read(file), "[broken\n")
      })
    )

    it.effect("mints what was asked for: its tier, its days, its label", () =>
      Effect.gen(function* () {
        const { agents, portico, token, url } = yield* acme
        succeeded(yield* portico("agents connect cursor --tier 1 --days 2 --label mine"))
        const { agent } = agents()["agent-cursor"]
        const answer = yield* Effect.promise(() =>
          fetch(`${url}/v1/credentials`, { headers: { authorization: `Bearer ${token}` } }).then((_) => _.json())
        )
        const found = answer.credentials.find((_: { credential_id: string }) => _.credential_id === agent.credential_id)
        assert.deepInclude(found, { kind: "mcp", tier: 1, label: "mine", state: "active" })
        const days = (Date.parse(found.expires_at) - Date.parse(found.created_at)) / 86_400_000
        assert.strictEqual(Math.round(days), 2)
        const tooLong = yield* portico("agents connect cursor --days 8")
        assert.strictEqual(tooLong.exit, 2)
      })
    )

    it.effect("once more renews: a new credential, and the earlier one is revoked", () =>
      Effect.gen(function* () {
        const { agents, portico, read, secretOf, stateOf } = yield* acme
        succeeded(yield* portico("agents connect cursor"))
        const first = agents()["agent-cursor"].agent.credential_id
        const [text, secret] = [read(".cursor/mcp.json"), secretOf("agent-cursor")]
        const { stderr } = yield* portico("agents connect cursor")
        assert.include(stderr, "Renewed: 'Cursor on ")
        assert.include(stderr, `The earlier credential (${first}) is revoked.`)
        assert.strictEqual(read(".cursor/mcp.json"), text)
        assert.notStrictEqual(secretOf("agent-cursor"), secret)
        assert.notStrictEqual(yield* stateOf(first), "active")
        assert.strictEqual(yield* stateOf(agents()["agent-cursor"].agent.credential_id), "active")
      })
    )

    it.effect("a dry run mints nothing and writes nothing", () =>
      Effect.gen(function* () {
        const { has, portico } = yield* acme
        const { trace } = yield* TestGateway
        const before = yield* trace
        const { exit, stderr, stdout } = yield* portico("agents connect cursor --dry-run")
        assert.strictEqual(exit, 0, stderr)
        assert.include(stdout, '+        "--profile"')
        assert.isFalse(has(".cursor/mcp.json"))
        assert.isFalse(has(".config/portico/config.json"))
        assert.deepStrictEqual(yield* trace, before)
      })
    )

    it.effect("a foreign entry is kept unless another name or --force is given", () =>
      Effect.gen(function* () {
        const { portico, read, write } = yield* acme
        const text = '{"mcpServers":{"portico":{"command":"theirs"}}}\n'
        write(".cursor/mcp.json", text)
        const { trace } = yield* TestGateway
        const before = yield* trace
        const refused = yield* portico("agents connect cursor")
        assert.strictEqual(refused.exit, 1)
        assert.include(refused.stderr, "was not written by 'portico agents connect'")
        assert.deepStrictEqual(yield* trace, before, "nothing is minted for it")
        assert.strictEqual((yield* portico("agents disconnect cursor")).exit, 1)
        assert.strictEqual(read(".cursor/mcp.json"), text)
        succeeded(yield* portico("agents connect cursor --name acme"))
        const { acme: own, portico: theirs } = JSON.parse(read(".cursor/mcp.json")).mcpServers
        assert.deepStrictEqual(theirs, { command: "theirs" })
        assert.deepStrictEqual(own, entryOf(["mcp", "--profile", "agent-cursor-acme"]))
        succeeded(yield* portico("agents connect cursor --force"))
        assert.deepStrictEqual(
          JSON.parse(read(".cursor/mcp.json")).mcpServers.portico,
          entryOf(["mcp", "--profile", "agent-cursor"])
        )
      })
    )

    it.effect("a file that its client could not read is left alone, comments are where a client takes them", () =>
      Effect.gen(function* () {
        const { portico, read, write } = yield* acme
        write(".cursor/mcp.json", "{ broken")
        const broken = yield* portico("agents connect cursor")
        assert.strictEqual(broken.exit, 1)
        assert.include(broken.stderr, "mcp.json is not valid, and was left alone: line 1, column 3")
        assert.strictEqual(read(".cursor/mcp.json"), "{ broken")
        write(".cursor/mcp.json", '{"mcpServers": []}')
        assert.include((yield* portico("agents connect cursor")).stderr, "'mcpServers' is not an object")
        const zed = '// mine\n{\n  "theme": "One", // dark\n}\n'
        write(".config/zed/settings.json", zed)
        succeeded(yield* portico("agents connect zed"))
        assert.include(read(".config/zed/settings.json"), '"theme": "One", // dark')
        assert.isObject(parseJsonc(read(".config/zed/settings.json")).context_servers.portico)
      })
    )

    it.effect("a symbolic link is kept, and a dangling one is refused", () =>
      Effect.gen(function* () {
        const { at, portico, read, write } = yield* acme
        write("dotfiles/mcp.json", '{"mcpServers":{}}')
        mkdirSync(dirname(at(".cursor/mcp.json")), { recursive: true })
        symlinkSync(at("dotfiles/mcp.json"), at(".cursor/mcp.json"))
        succeeded(yield* portico("agents connect cursor"))
        assert.isTrue(lstatSync(at(".cursor/mcp.json")).isSymbolicLink())
        assert.isObject(JSON.parse(read("dotfiles/mcp.json")).mcpServers.portico)
        mkdirSync(at(".gemini"))
        symlinkSync(at("nowhere.json"), at(".gemini/settings.json"))
        const refused = yield* portico("agents connect gemini-cli")
        assert.strictEqual(refused.exit, 1)
        assert.include(refused.stderr, "which does not exist")
      })
    )

    it.effect("a failed write revokes the new credential and keeps the earlier agent", () =>
      Effect.gen(function* () {
        const { agents, at, portico, secretOf, stateOf, token, url } = yield* acme
        succeeded(yield* portico("agents connect cursor"))
        const before = { agent: agents()["agent-cursor"], secret: secretOf("agent-cursor") }
        const ids = () =>
          Effect.promise(() =>
            fetch(`${url}/v1/credentials`, { headers: { authorization: `Bearer ${token}` } })
              .then((_) => _.json())
              .then(({ credentials }) =>
                credentials
                  .filter((_: { kind: string; state: string }) => _.kind === "mcp" && _.state === "active")
                  .map((_: { credential_id: string }) => _.credential_id)
              )
          )
        const active = yield* ids()
        // A folder in the place of the backup: also the superuser cannot write it.
        writeFileSync(at(".cursor/mcp.json"), '{"mcpServers":{}}')
        mkdirSync(at(".cursor/mcp.json.portico-backup"))
        chmodSync(at(".cursor/mcp.json.portico-backup"), 0o500)
        const failed = yield* portico("agents connect cursor")
        assert.strictEqual(failed.exit, 1, failed.stderr)
        assert.include(failed.stderr, "cannot be backed up")
        assert.deepStrictEqual(yield* ids(), active)
        assert.deepStrictEqual({ agent: agents()["agent-cursor"], secret: secretOf("agent-cursor") }, before)
        assert.strictEqual(yield* stateOf(before.agent.agent.credential_id), "active")
      })
    )

    it.effect("no agent is connected over plain HTTP to another machine", () =>
      Effect.gen(function* () {
        const { has, portico } = yield* acme
        const elsewhere = { PORTICO_AGENT_URL: "http://agents.invalid/mcp" }
        for (const more of ["--remote --with-token", "--remote", ""]) {
          const refused = yield* portico(`agents connect vscode ${more}`.trim(), elsewhere)
          assert.strictEqual(refused.exit, 2)
          assert.include(refused.stderr, "everybody on the way could read it")
        }
        assert.isFalse(has(".config/Code/User/mcp.json"))
      })
    )

    it.effect("--remote writes the address, and the token only on request", () =>
      Effect.gen(function* () {
        const { agentUrl, has, modeOf, portico, read } = yield* acme
        succeeded(yield* portico("agents connect vscode --remote"))
        const file = ".config/Code/User/mcp.json"
        assert.deepStrictEqual(JSON.parse(read(file)).servers.portico, { type: "http", url: agentUrl })
        assert.isFalse(has(".config/portico/config.json"))
        succeeded(yield* portico("agents connect vscode --remote --with-token"))
        const { headers } = JSON.parse(read(file)).servers.portico
        assert.match(headers.Authorization, /^Bearer \S{20,}$/)
        assert.strictEqual(modeOf(file), 0o600)
        assert.notInclude(read(".local/state/portico/tokens/agent-vscode.json"), headers.Authorization.slice(7))
        const answer = yield* Effect.promise(() =>
          fetch(agentUrl, {
            method: "POST",
            headers: {
              ...headers,
              accept: "application/json, text/event-stream",
              "content-type": "application/json"
            },
            body: JSON.stringify(initialize())
          })
        )
        assert.strictEqual(answer.status, 200)
        succeeded(yield* portico("agents connect windsurf --remote"))
        assert.deepStrictEqual(JSON.parse(read(".codeium/windsurf/mcp_config.json")).mcpServers.portico, {
          serverUrl: agentUrl
        })
        succeeded(yield* portico("agents disconnect vscode"))
        assert.isFalse(has(file))
      })
    )

    it.effect("an agent cannot connect agents, and ending one asks", () =>
      Effect.gen(function* () {
        const { portico } = yield* acme
        succeeded(yield* portico("agents connect cursor"))
        const refused = yield* portico("agents connect zed --profile agent-cursor")
        assert.strictEqual(refused.exit, 2)
        assert.include(refused.stderr, "'agent-cursor' is the profile of an agent")
        const asks = yield* portico("agents end")
        assert.strictEqual(asks.exit, 2)
        assert.include(asks.stderr, "Add --yes if it is meant")
        const machine = yield* portico("agents end --yes")
        assert.strictEqual(machine.exit, 1)
        assert.include(machine.stderr, "(owner_required, ")
        const words = yield* portico("__complete -- agents connect :cl")
        assert.include(words.stdout, "claude-code")
      })
    )
  }
)

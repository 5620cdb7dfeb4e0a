import { NodeFileSystem } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { readText } from "../../src/setup/files.ts"
import { commandLine } from "../harness/commandLine.ts"

/** Nothing listens there: a command that got as far as a request ends with 5. */
const env = { PORTICO_URL: "http://127.0.0.1:2", PORTICO_TOKEN: "a-token" }

const latin1 = (text: string) => Uint8Array.from(text, (_) => _.charCodeAt(0))

const body = JSON.stringify({ kind: "api-key", tier: 0, label: "Zürich" })

/** Every way in which a file or standard input becomes a part of a call. */
const readers: Readonly<Record<string, (file: string) => ReadonlyArray<string>>> = {
  "a body": (file) => ["credentials", "mint", "--body", file === "-" ? file : `@${file}`],
  "a body as it is": (file) => ["api", "/v1/credentials", "--body", file === "-" ? file : `@${file}`],
  "a body of a service": (file) => [
    "iaas",
    "post",
    "network/v2.0/networks",
    "--body",
    file === "-" ? file : `@${file}`
  ],
  "a zone file": (file) => ["dns", "import", "b5f1d9de-6b1f-4b3e-9d7c-1a3f4d8a1c11", file, "--dry-run"]
}

/** The modules that make text of bytes in another way, and why nothing is lost there. */
const others: Readonly<Record<string, string>> = {
  "commands/doctor/gateway.ts": "an answer, of which one line is read",
  "commands/doctor/network.ts": "authorities, which are ASCII",
  "derived/raw.ts": "an answer, which is printed",
  "events/Listeners.ts": "a file of our own",
  "events/cursorFile.ts": "a file of our own",
  "mcp/answers.ts": "an answer, whose form is UTF-8",
  "commands/dockerCredential.ts": "what Docker asks for, of which nothing is sent on",
  "session/connections.ts": "authorities, which are ASCII",
  "session/files.ts": "a file of our own",
  "session/lock.ts": "a file of our own, and one of the kernel's",
  "session/profiles.ts": "a file of our own"
}

describe("text that is not valid UTF-8", () => {
  for (const [what, args] of Object.entries(readers)) {
    it.effect(`is refused as ${what}, and nothing is sent`, () =>
      Effect.gen(function* () {
        const files = yield* FileSystem.FileSystem
        const file = yield* files.makeTempFileScoped()
        yield* files.writeFile(file, latin1(body))
        const named = yield* commandLine(args(file), { env })
        assert.deepStrictEqual([named.exit, named.stdout], [2, ""], named.stderr)
        assert.include(named.stderr, `${file}`)
        assert.match(named.stderr, /is not text in UTF-8\.\nConvert it, such as with 'iconv /)
        assert.notInclude(named.stderr, "\uFFFD")
        const piped = yield* commandLine(args("-"), { env, stdin: latin1(body) })
        assert.deepStrictEqual([piped.exit, piped.stdout], [2, ""], piped.stderr)
        assert.match(piped.stderr, /^Standard input is not text in UTF-8\.\n/)
      }).pipe(Effect.scoped, Effect.provide(NodeFileSystem.layer))
    )

    it.effect(`valid UTF-8 with a byte order mark is accepted as ${what}`, () =>
      Effect.gen(function* () {
        const { exit, stderr } = yield* commandLine(args("-"), { env, stdin: `\uFEFF${body}` })
        assert.strictEqual(exit, 5, stderr)
      })
    )
  }

  it.effect("is refused as a secret and as a delivery", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const file = yield* files.makeTempFileScoped()
      const headers = ["id", "timestamp", "signature"].flatMap((_) => [`--webhook-${_}`, "1"])
      const args = ["webhooks", "verify", ...headers, "--secret-file", file]
      yield* files.writeFile(file, latin1("clé"))
      assert.match((yield* commandLine(args, { env })).stderr, /^'.*' is not text in UTF-8\.\n/)
      yield* files.writeFileString(file, "clé")
      const piped = yield* commandLine(args, { env, stdin: latin1(body) })
      assert.match(piped.stderr, /^Standard input is not text in UTF-8\.\n/)
      assert.strictEqual(piped.exit, 2)
    }).pipe(Effect.scoped, Effect.provide(NodeFileSystem.layer))
  )

  it.effect("is not rewritten in another program's configuration", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const file = yield* files.makeTempFileScoped()
      yield* files.writeFile(file, latin1("# für mich\n"))
      const refused = yield* Effect.flip(readText(file))
      assert.strictEqual(refused.message, `${file} is not text in UTF-8`)
      yield* files.writeFileString(file, "# für mich\n")
      assert.strictEqual(yield* readText(file), "# für mich\n")
    }).pipe(Effect.scoped, Effect.provide(NodeFileSystem.layer))
  )

  it("is refused by every module but these that reads foreign text", () => {
    const source = join(import.meta.dirname, "../../src")
    const found = readdirSync(source, { recursive: true, encoding: "utf8" })
      .filter((_) => _.endsWith(".ts") && _ !== "utf8.ts")
      .filter((_) =>
        /readFileString|readFile\w*\([^)]*"utf8"|readFile\("utf8"|decodeText|new TextDecoder|text\(process\.stdin/.test(
          readFileSync(join(source, _), "utf8")
        )
      )
    assert.deepStrictEqual(found.toSorted(), Object.keys(others).toSorted())
  })
})

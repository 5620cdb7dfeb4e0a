import { assert, describe, it } from "@effect/vitest"
import { sampled } from "@portico/testing/sample/sampled"
import { Effect } from "effect"
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { faultyServer } from "../../../client/test/FaultyServer.ts"
import { commandLine } from "../harness/commandLine.ts"

/** What some reader of a file takes for the end of a line, or of a text. */
const breaks = ["\n", "\r", "\r\n", "\u0000", "\u000b", "\u000c", "\u001c", "\u001d", "\u0085", "\u2028", "\u2029"]
const linesOf = (text: string) =>
  breaks.reduce<ReadonlyArray<string>>((all, _) => all.flatMap((line) => line.split(_)), [text])

/** A setting that starts a program, where it stands on a line of its own. */
const injected = "gpg_encrypt = /usr/bin/touch"

/** The texts of the gateway's answers that a setup reads. */
const fields = ["access_key", "secret_key", "endpoint", "tenant"] as const
type Field = (typeof fields)[number] | "none"

/** A gateway that says something else than it should in one field of its answers. */
const hostileGateway = (field: Field, separator: string) => {
  const said = (name: Field, right: string) => (name === field ? `${right}${separator}${injected}` : right)
  const body = {
    // GET /v1/whoami
    user_id: "u",
    tenant: { id: said("tenant", "p1"), slug: "acme", name: "Acme" },
    tier: 2,
    // GET /v1/object-storage/buckets and /credentials
    buckets: [],
    access_key: said("access_key", "AKIA"),
    secret_key: said("secret_key", "sk"),
    uid: "tenant$p1",
    endpoint: said("endpoint", "https://s3.example"),
    region: "us-east-1"
  }
  return Effect.acquireRelease(
    Effect.promise(() => faultyServer({ status: 200, body })),
    (_) => Effect.promise(() => _[Symbol.asyncDispose]())
  )
}

const home = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "portico-hostile-"))),
  (_) => Effect.sync(() => rmSync(_, { recursive: true }))
)

/** The texts of all files below a folder. */
const textsIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((_) => join(folder, _))
    .filter((_) => statSync(_).isFile())
    .map((_) => readFileSync(_, "utf8"))

/** Every client with the fields that it writes as they are; the address of an endpoint is parsed, and so on one line. */
const clients: Readonly<Record<string, { readonly line: string; readonly writes: ReadonlyArray<Field> }>> = {
  aws: { line: "setup aws", writes: [] },
  docker: { line: "setup docker --registry registry.example", writes: [] },
  kubectl: { line: "setup kubectl", writes: ["tenant"] },
  openstack: { line: "setup openstack --store-secret", writes: [] },
  rclone: { line: "setup rclone", writes: [] },
  s3cmd: { line: "setup s3cmd --store-secret", writes: ["access_key", "secret_key"] },
  terraform: { line: "setup terraform --store-secret --file FOLDER/portico.tf", writes: [] }
}

const manners = ["", " --print", " --dry-run", " --name other"]

const ran = Effect.fnUntraced(function* (line: string, field: Field, separator: string, token = "a-token") {
  const folder = yield* home
  const { url } = yield* hostileGateway(field, separator)
  const words = line.replace("FOLDER", folder).split(" ")
  const ended = yield* commandLine(words, { env: { HOME: folder, PORTICO_URL: url, PORTICO_TOKEN: token } })
  return { ...ended, texts: textsIn(folder) }
})

describe("a setup with a hostile gateway", () => {
  it("knows every client", () => {
    const written = readdirSync(join(import.meta.dirname, "../../src/setup/clients")).map((_) => _.replace(".ts", ""))
    assert.deepStrictEqual(Object.keys(clients), written.toSorted())
  })

  for (const [client, { line, writes }] of Object.entries(clients)) {
    it.effect(`${client}: an answer cannot add lines to files or the screen`, () =>
      Effect.gen(function* () {
        for (const manner of client === "docker" ? manners.slice(0, 3) : manners) {
          for (const field of fields) {
            if (manner !== "" && !writes.includes(field)) continue
            for (const separator of sampled(`${line}${manner} ${field}`, 2, breaks)) {
              const { exit, stderr, stdout, texts } = yield* ran(`${line}${manner}`, field, separator)
              const because = `${line}${manner}, ${field}, ${JSON.stringify(separator)}: ${stderr}`
              for (const text of [...texts, stdout]) {
                const lines = linesOf(text).map((_) => _.replace(/^[+\s]+/, ""))
                assert.isFalse(
                  lines.some((_) => _.startsWith("gpg_encrypt")),
                  because
                )
              }
              if (!writes.includes(field)) continue
              assert.notStrictEqual(exit, 0, because)
              assert.include(stderr, "has a line break or another control character, and nothing was written", because)
              assert.notInclude(stderr, injected)
              assert.deepStrictEqual([texts, stdout], [[], ""], because)
            }
          }
        }
      }).pipe(Effect.scoped)
    )

    it.effect(`${client}: a valid answer is written`, () =>
      Effect.gen(function* () {
        for (const manner of ["", " --print"]) {
          const { exit, stderr, stdout, texts } = yield* ran(`${line}${manner}`, "none", "")
          assert.strictEqual(exit, 0, stderr)
          assert.isNotEmpty(manner === "" ? texts : stdout)
        }
      }).pipe(Effect.scoped)
    )
  }
})

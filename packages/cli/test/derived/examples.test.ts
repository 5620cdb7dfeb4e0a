import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem, Path } from "effect"
import { afterAll, beforeAll } from "vitest"
import type { Arguments } from "@portico/client/catalogue/arguments"
import type { Operation } from "@portico/client/catalogue/Catalogue"
import { exampleOf, lineOf } from "../../src/derived/examples.ts"
import { excused } from "@portico/client/catalogue/excused"
import { byHand } from "./byHand.ts"
import { commandLine } from "../harness/commandLine.ts"
import { operationNamed, operations } from "./operations.ts"

interface Sent {
  readonly method: string
  readonly url: URL
  readonly body: string
  readonly type: string | null
  readonly lastEvent: string | null
}

const real = globalThis.fetch
let sent: Array<Sent> = []

/** Takes every request down, and answers with nothing. */
const recording: typeof fetch = async (input, init) => {
  const request = new Request(input, init)
  sent.push({
    method: request.method,
    url: new URL(request.url),
    body: await request.text(),
    type: request.headers.get("content-type"),
    lastEvent: request.headers.get("last-event-id")
  })
  // A stream that is refused is not opened again.
  const streams = /event-stream|ndjson/.test(request.headers.get("accept") ?? "")
  return streams ? Response.json({ code: "not_found", detail: "None" }, { status: 404 }) : Response.json({})
}

beforeAll(() => {
  globalThis.fetch = recording
})
afterAll(() => {
  globalThis.fetch = real
})

/** Files of an example lie in a directory of their own. */
const withFiles = Effect.fnUntraced(function* ({ args, files }: Arguments) {
  const system = yield* FileSystem.FileSystem
  const { join } = yield* Path.Path
  const directory = yield* system.makeTempDirectoryScoped()
  yield* Effect.forEach(Object.entries(files), ([name, text]) => system.writeFileString(join(directory, name), text))
  return args.map((_) => (_ in files ? join(directory, _) : _))
})

const expectedPath = ({ catchAll, example, path }: Operation): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, key: string) =>
    catchAll === true ? String(example.path[key]) : encodeURIComponent(String(example.path[key]))
  )

/** A tenant's command names no project where only its own is one. */
const pairsOf = ({ example, planes, query }: Operation): ReadonlyArray<string> =>
  Object.entries(example.query)
    .filter(
      ([key]) =>
        key !== "project_id" ||
        !planes.includes("customer") ||
        query.some(({ name, required }) => name === key && required === true)
    )
    .flatMap(([key, value]) => (Array.isArray(value) ? value : [value]).map((one: unknown) => `${key}=${String(one)}`))
    .toSorted()

/** A stream goes on behind an event by a header. */
const queryOf = ({ lastEvent, url }: Sent): ReadonlyArray<string> =>
  [...url.searchParams, ...(lastEvent === null ? [] : [["cursor", lastEvent] as const])]
    .map(([key, value]) => `${key}=${value}`)
    .toSorted()

const bodyOf = ({ body, type }: Sent): unknown =>
  body === ""
    ? undefined
    : type?.startsWith("application/x-www-form-urlencoded") === true
      ? Object.fromEntries(new URLSearchParams(body))
      : JSON.parse(body)

/** A body that is required, and has no field that is, is sent empty. */
const expectedBody = ({ example, optional, takes }: Operation): unknown =>
  example.body ?? (takes === "json" && optional !== true ? {} : undefined)

describe("the example of each operation", () => {
  const shown = operations.filter((_) => excused[_.id] === undefined && byHand[_.id] === undefined)

  it("is there, but for the two that have no recorded request", () => {
    const without = shown.filter((_) => exampleOf(_) === undefined).map((_) => _.id)
    assert.deepStrictEqual(without, ["iaas.options", "kubernetes.options"])
  })

  for (const operation of shown) {
    const example = exampleOf(operation)
    if (example === undefined) continue
    it.effect(`${operation.id} is the recorded request: ${lineOf(example)}`, () =>
      Effect.gen(function* () {
        sent = []
        const args = yield* withFiles(example)
        // Nobody can be asked here.
        const said = operation.destroys === true ? ["--yes"] : []
        const { stderr } = yield* commandLine([...args, ...said], {
          env: { PORTICO_URL: "https://plane.example", PORTICO_TOKEN: "token" }
        })
        const [request] = sent
        if (request === undefined) return assert.fail(stderr)
        assert.strictEqual(request.method, operation.method)
        assert.strictEqual(request.url.pathname, expectedPath(operation))
        assert.deepStrictEqual(queryOf(request), pairsOf(operation))
        assert.deepStrictEqual(bodyOf(request), expectedBody(operation))
      }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
    )
  }

  it("is a command line that a shell takes unchanged", () => {
    const mint = exampleOf(operationNamed("credentials.mint"))
    assert.strictEqual(
      mint === undefined ? undefined : lineOf(mint),
      'portico credentials mint --kind api-key --tier 1 --label "deploy pipeline" --expires-in-days 90 --networks 198.51.100.0/24'
    )
  })
})

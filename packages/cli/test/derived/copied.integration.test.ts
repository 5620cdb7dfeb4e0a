import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import type { OperationCall } from "@portico/client/catalogue/Call"
import { commandOfCall } from "@portico/client/catalogue/command"
import { asCommand } from "@portico/client/catalogue/copyAs"
import { excused } from "@portico/client/catalogue/excused"
import { Effect, FileSystem, Path } from "effect"
import * as fc from "fast-check"
import { afterAll, beforeAll } from "vitest"
import {
  base,
  callOf,
  queryOf,
  recorded,
  recordedBody,
  recordedPath,
  recordedQuery
} from "../../../client/test/catalogue/recorded.ts"
import { startedBy } from "../../../client/test/catalogue/shells.ts"
import { commandLine } from "../harness/commandLine.ts"
import { byHand } from "./byHand.ts"

// What the console copies, given to the command line as a shell gives it.

interface Sent {
  readonly method: string
  readonly url: URL
  readonly body: string
  readonly headers: Headers
}

const real = globalThis.fetch
let sent: Array<Sent> = []

const recording: typeof fetch = async (input, init) => {
  const request = new Request(input, init)
  const { headers, method, url } = request
  sent.push({ method, url: new URL(url), body: await request.text(), headers })
  // A stream that is refused is not opened again.
  const streams = /event-stream|ndjson/.test(headers.get("accept") ?? "")
  return streams ? Response.json({ code: "not_found", detail: "None" }, { status: 404 }) : Response.json({})
}

beforeAll(() => {
  globalThis.fetch = recording
})
afterAll(() => {
  globalThis.fetch = real
})

/** Runs the text of a call, beside the files that it names. */
const made = Effect.fnUntraced(function* (call: OperationCall | Parameters<typeof asCommand>[0]) {
  sent = []
  const text = asCommand(call) ?? assert.fail("no command")
  const { files = {} } = commandOfCall(call) ?? {}
  const system = yield* FileSystem.FileSystem
  const { join } = yield* Path.Path
  const directory = yield* system.makeTempDirectoryScoped()
  yield* Effect.forEach(Object.entries(files), ([name, text]) => system.writeFileString(join(directory, name), text))
  const placed = (word: string): string => {
    const name = Object.keys(files).find((_) => word.endsWith(_))
    return name === undefined ? word : `${word.slice(0, -name.length)}${join(directory, name)}`
  }
  const { args } = startedBy("/bin/sh", text)
  // Nobody can be asked here.
  const destroys = "operation" in call && (call.operation.destroys === true || call.operation.id === "dns.importZone")
  const words = args.map(placed)
  const at = words.includes("--") ? words.indexOf("--") : words.length
  const line = [...words.slice(0, at), ...(destroys ? ["--yes"] : []), ...words.slice(at)]
  const ended = yield* commandLine(line, { env: { PORTICO_TOKEN: "token" } })
  return { ...ended, text, request: sent[0] }
}, Effect.scoped)

const pairsOf = ({ headers, url }: Sent): ReadonlyArray<string> => {
  const last = headers.get("last-event-id")
  return [...queryOf(url), ...(last === null ? [] : [`cursor=${last}`])].toSorted()
}

const bodyOf = ({ body, headers }: Sent): unknown =>
  body === ""
    ? undefined
    : headers.get("content-type")?.startsWith("application/x-www-form-urlencoded") === true
      ? Object.fromEntries(new URLSearchParams(body))
      : JSON.parse(body)

/** Asks for something else first, or in another way. */
const asksFirst = new Set(["agents.list", "dns.importZone", "events.tail", "projects.remove", "tenants.onboard"])

describe("a copied command", () => {
  it.effect("is there for every operation, but for the excused ones", () =>
    Effect.sync(() => {
      const without = recorded.filter(({ call }) => asCommand(call) === undefined).map((_) => _.operation.id)
      assert.sameMembers(without, Object.keys(excused))
    })
  )

  for (const { call, operation } of recorded.filter((_) => excused[_.operation.id] === undefined)) {
    it.effect(`${operation.id}: ${asCommand(call)}`, () =>
      Effect.gen(function* () {
        const { exit, request, stderr } = yield* made(call)
        if (request === undefined) return assert.fail(stderr)
        assert.strictEqual(request.url.origin, base)
        assert.notStrictEqual(exit, 2, stderr)
        if (asksFirst.has(operation.id) || byHand[operation.id] !== undefined) return
        assert.strictEqual(request.method, operation.method)
        assert.strictEqual(request.url.pathname, recordedPath(operation))
        assert.deepStrictEqual(pairsOf(request), recordedQuery(operation))
        assert.deepStrictEqual(bodyOf(request), recordedBody(operation))
      }).pipe(Effect.provide(NodeServices.layer))
    )
  }
})

/** What a field takes that is one line: without control characters. */
const line = fc
  .oneof(
    fc.string({ unit: "binary", maxLength: 40 }),
    fc
      .array(fc.constantFrom("--", "-", "=", "@x", "$(id)", "`id`", "'", '"', "\\", "!", "{a,b}", "*", " "))
      .map((_) => _.join(""))
  )
  .map((_) => _.toWellFormed().replaceAll(/\p{Cc}/gu, ""))
  .filter((_) => _.length > 0 && [..._].length <= 100)

describe("a copied command with hostile values", () => {
  const run = <A, E>(effect: Effect.Effect<A, E, NodeServices.NodeServices>) =>
    Effect.runPromise(Effect.provide(effect, NodeServices.layer))

  const mint = callOf("credentials.mint")
  const minting = (input: Readonly<Record<string, unknown>>) => ({ ...mint, input: { ...mint.input, ...input } })

  it("sends each text unchanged", () =>
    fc.assert(
      fc.asyncProperty(line, async (label) => {
        const { request, stderr } = await run(made(minting({ label })))
        if (request === undefined) return assert.fail(stderr)
        assert.deepInclude(bodyOf(request), { label })
      }),
      { numRuns: 40 }
    ))

  it("sends each body of a path unchanged", () =>
    fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (body) => {
        const given: unknown = JSON.parse(JSON.stringify(body))
        const path = "/v1/iaas/compute/servers?name='$(id)"
        const { request, stderr } = await run(made({ base, plane: "customer", method: "POST", path, body: given }))
        if (request === undefined) return assert.fail(stderr)
        assert.deepStrictEqual(bodyOf(request), given)
        assert.strictEqual(request.url.searchParams.get("name"), "'$(id)")
      }),
      { numRuns: 40 }
    ))

  it("marks text that looks like a flag as a value", async () => {
    const { request, stderr } = await run(made({ ...callOf("credentials.revoke"), input: { credential_id: "--yes" } }))
    assert.strictEqual(request?.url.pathname, "/v1/credentials/--yes", stderr)
    const project = { ...callOf("projects.remove"), input: { project_id: "-x", confirm: "acme" } }
    assert.match(asCommand(project) ?? "", / projects delete -- -x$/)
  })

  it("gives the whole body where no flag can express it", async () => {
    for (const input of [{ networks: [] }, { label: "a\0b" }, { undeclared: { x: 1 } }, { label: null }]) {
      const { request, stderr, text } = await run(made(minting(input)))
      assert.include(text, " credentials mint --body ")
      if (request === undefined) return assert.fail(stderr)
      assert.deepStrictEqual(bodyOf(request), { ...mint.input, ...input })
    }
  })

  it("has secrets of the caller in files alone", async () => {
    const call = callOf("integrations.create")
    const input = { ...call.input, url: "https://hooks.example/secret", undeclared: 1 }
    for (const given of [{ ...call.input, url: input.url }, input]) {
      const { request, stderr, text } = await run(made({ ...call, input: given }))
      assert.notInclude(text, "secret")
      if (request === undefined) return assert.fail(stderr)
      assert.deepInclude(bodyOf(request), { url: input.url })
    }
  })

  it("leaves the confirmation to the person", () => {
    const removals = recorded.filter(({ operation }) => operation.destroys === true)
    assert.isAbove(removals.length, 10)
    for (const { call } of removals) assert.notInclude(asCommand(call) ?? "", "--yes")
  })
})

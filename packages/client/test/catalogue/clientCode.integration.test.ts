import { assert, describe, it } from "@effect/vitest"
import type { Call } from "@portico/client/catalogue/Call"
import { asClientCode } from "@portico/client/catalogue/copyAs"
import { createClient } from "@portico/client/createClient"
import { createOperatorClient } from "@portico/client/operator"
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, onTestFinished } from "vitest"
import { base, callOf, queryOf, recorded, recordedBody, recordedPath, recordedQuery } from "./recorded.ts"
import { token } from "./shells.ts"

interface Sent {
  readonly request: Request
  readonly url: URL
  readonly body: string
}

const real = globalThis.fetch
let sent: Array<Sent> = []

/** Takes every request down. A stream that is refused is not opened again. */
const recording: typeof fetch = async (input, init) => {
  const request = new Request(input, init)
  const url = new URL(request.url)
  sent.push({ request, url, body: await request.text() })
  return Response.json({ code: "not_found", detail: "None" }, { status: 404 })
}

beforeAll(() => {
  globalThis.fetch = recording
})
afterAll(() => {
  globalThis.fetch = real
})

const AsyncFunction: FunctionConstructor = Object.getPrototypeOf(async () => {}).constructor

/** Runs a text as the module that it is, with files that hold what their names say. */
const requestOf = async (call: Call, files: Readonly<Record<string, string>> = {}): Promise<Sent> => {
  sent = []
  const lines = asClientCode(call)
    .split("\n")
    .filter((_) => !_.startsWith("import "))
  const readFile = async (name: string) => files[name] ?? assert.fail(name)
  const names = { createClient, createOperatorClient, readFile, process: { env: { PORTICO_TOKEN: token } } }
  const silent = { log: () => {} }
  const run = AsyncFunction(...Object.keys(names), "console", lines.join("\n"))
  const failure: unknown = await run(...Object.values(names), silent).catch((_: unknown) => _)
  return sent[0] ?? assert.fail(String(failure))
}

/** As the client sends it: a stream goes on behind an event by a header. */
const pairsOf = ({ request, url }: Sent): ReadonlyArray<string> => {
  const last = request.headers.get("last-event-id")
  return [...queryOf(url), ...(last === null ? [] : [`cursor=${last}`])].toSorted()
}

const bodyOf = ({ body, request }: Sent): unknown => {
  if (body === "") return undefined
  const isForm = request.headers.get("content-type")?.startsWith("application/x-www-form-urlencoded") === true
  return isForm ? Object.fromEntries(new URLSearchParams(body)) : JSON.parse(body)
}

/** The secrets of a recorded body, in the files that a program reads them from. */
const filesOf = (body: unknown): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(Object(body)).map(([key, value]) =>
      typeof value === "string" ? [`${key}.txt`, `${value}\n`] : [`${key}.json`, JSON.stringify(value)]
    )
  )

describe("as client code", () => {
  for (const { call, operation } of recorded) {
    it(`${operation.id} is the recorded request`, async () => {
      const request = await requestOf(call, filesOf(operation.example.body))
      assert.strictEqual(request.request.method, operation.method)
      assert.strictEqual(request.url.origin, base)
      assert.strictEqual(request.url.pathname, recordedPath(operation))
      assert.deepStrictEqual(pairsOf(request), recordedQuery(operation))
      assert.deepStrictEqual(bodyOf(request), recordedBody(operation))
      const bearer = operation.open === true ? null : `Bearer ${token}`
      assert.strictEqual(request.request.headers.get("authorization"), bearer)
    })
  }

  it("compiles, each as a module of its own", () => {
    const texts = new Map(recorded.map(({ call, operation }) => [`${operation.id}.ts`, asClientCode(call)]))
    assert.strictEqual(complaintsOf(texts), "")
  })

  it("quotes any path and body value", async () => {
    const text = 'it\'s "x" `y` ${z} \\ \n\r\u2028 </script> \ud83d\ude00'
    const body = { [text]: [text, null, 1.5, true, {}, []], ["__proto__"]: 1, "a-b": { c: undefined } }
    const call = { base, plane: "operator", method: "POST", path: "/v1/iaas/x y", body } as const
    const request = await requestOf(call)
    assert.strictEqual(request.body, JSON.stringify(body))
    assert.strictEqual(request.url.pathname, "/v1/iaas/x%20y")
    assert.strictEqual(request.request.headers.get("content-type"), "application/json")
  })

  it("has no secret of the caller", () => {
    const call = callOf("integrations.create")
    const input = { ...call.input, url: "https://hooks.example/secret" }
    assert.notInclude(asClientCode({ ...call, input }), "hooks.example/secret")
  })

  it("is a whole program", () => {
    assert.strictEqual(
      asClientCode(callOf("credentials.mint")),
      `import { createClient } from "@portico/client"

const portico = createClient({ url: "https://plane.example", token: process.env.PORTICO_TOKEN })
const result = await portico.credentials.mint({
  kind: "api-key",
  tier: 1,
  label: "deploy pipeline",
  expires_in_days: 90,
  networks: ["198.51.100.0/24"]
})
console.log(result)
`
    )
  })
})

const repository = fileURLToPath(new URL("../../../../", import.meta.url))

/** What the compiler reports for these modules, by their names. They lie in a folder that is not committed. */
const complaintsOf = (texts: ReadonlyMap<string, string>): string => {
  mkdirSync(join(repository, ".portico"), { recursive: true })
  const folder = mkdtempSync(join(repository, ".portico/snippets-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const compilerOptions = {
    target: "ES2024",
    lib: ["ESNext", "DOM", "DOM.Iterable"],
    module: "NodeNext",
    types: ["node"],
    strict: true,
    exactOptionalPropertyTypes: true,
    allowImportingTsExtensions: true,
    noEmit: true,
    skipLibCheck: true
  }
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }))
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: [...texts.keys()] }))
  for (const [name, text] of texts) writeFileSync(join(folder, name), text)
  const compiler = join(repository, "node_modules/typescript/bin/tsc")
  const { stderr, stdout } = spawnSync(process.execPath, [compiler, "-p", folder], { encoding: "utf8" })
  return stdout + stderr
}

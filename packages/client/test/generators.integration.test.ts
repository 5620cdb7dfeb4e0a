import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { execFile } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { promisify } from "node:util"
import { rolldown } from "rolldown"
import { Acme, AcmeAlone } from "../../gateway/test/harness/Acme.ts"
import { TestGateway } from "../../gateway/test/harness/TestGateway.ts"
import { folder, heyApi, isHere, named, openapiTypescript } from "../../../scripts/parts/npm/packages.ts"

const run = promisify(execFile)
const document = fileURLToPath(import.meta.resolve("@portico/contract/openapi.customer.json"))

/** Beside the generators' packages, so that what is generated finds the libraries that it imports. */
const workplace = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(folder, "generated-"))),
  (directory) => Effect.sync(() => rmSync(directory, { recursive: true }))
)

/** The strictest compiler that a user of a generated client may have. */
const compiled = async (directory: string) => {
  const compilerOptions = {
    target: "ES2022",
    lib: ["ES2022", "DOM", "DOM.Iterable"],
    module: "ESNext",
    moduleResolution: "Bundler",
    strict: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: true,
    noEmit: true,
    types: []
  }
  const project = join(directory, "tsconfig.json")
  writeFileSync(project, JSON.stringify({ compilerOptions, include: ["**/*.ts"] }))
  const compiler = join(folder, "typescript/bin/tsc")
  return run(process.execPath, [compiler, "-p", project]).then(
    () => "",
    (error: { readonly stdout?: string }) => error.stdout ?? String(error)
  )
}

/** What the program prints. */
const carriedOut = async (program: string, environment: Record<string, string>) => {
  const build = await rolldown({
    input: program,
    platform: "node",
    logLevel: "silent",
    resolve: { extensionAlias: { ".js": [".ts", ".js"] } }
  })
  const file = program.replace(/\.ts$/, ".mjs")
  await build.write({ file, format: "esm" })
  const { stdout } = await run(process.execPath, [file], { env: environment })
  return stdout.trim()
}

const withOpenapiFetch = `
import createClient from "openapi-fetch"
import type { paths } from "./schema.ts"

declare const process: { readonly env: Record<string, string> }
const portico = createClient<paths>({
  baseUrl: process.env["URL"],
  headers: { authorization: \`Bearer \${process.env["TOKEN"]}\` }
})
const { data: minted } = await portico.POST("/v1/credentials", {
  params: { header: { "Idempotency-Key": "generated-1" } },
  body: { kind: "api-key", tier: 0, label: "generated" }
})
const { data: page } = await portico.GET("/v1/credentials", { params: { query: { limit: 1, label: "generated" } } })
const { error } = await portico.GET("/v1/databases/{engine}/{name}", {
  params: { path: { engine: "postgres", name: "none" } }
})
const code: string | undefined = error?.code
const [first] = page?.credentials ?? []
console.log(JSON.stringify([minted?.credential_id === first?.credential_id, page?.count, code]))
`

const withHeyApi = `
import { client } from "./sdk/client.gen"
import { credentialsList, credentialsMint, databasesShow } from "./sdk/sdk.gen"

declare const process: { readonly env: Record<string, string> }
client.setConfig({ baseUrl: process.env["URL"], auth: () => process.env["TOKEN"] })
const { data: minted } = await credentialsMint({ body: { kind: "api-key", tier: 0, label: "generated" } })
const { data: page } = await credentialsList({ query: { limit: 1, label: "generated" } })
const { error } = await databasesShow({ path: { engine: "postgres", name: "none" } })
const code: string | undefined = error?.code
const [first] = page?.credentials ?? []
console.log(JSON.stringify([minted?.credential_id === first?.credential_id, page?.count, code]))
`

const expected = JSON.stringify([true, 1, "database_not_found"])

const outcome = Effect.fnUntraced(function* (directory: string, program: string) {
  const { url } = yield* TestGateway
  const { tokens } = yield* Acme
  const file = join(directory, "program.ts")
  writeFileSync(file, program.replaceAll('"./schema.ts"', '"./schema"'))
  assert.strictEqual(yield* Effect.promise(() => compiled(directory)), "")
  return yield* Effect.promise(() => carriedOut(file, { URL: url.customer, TOKEN: tokens[2] }))
})

const title = "compiles with a strict compiler, and works at a gateway"

layer(AcmeAlone)("a client that openapi-typescript generates from the document", (it) => {
  it.effect.skipIf(!isHere)(named(title), () =>
    Effect.gen(function* () {
      const directory = yield* workplace
      const { astToString, default: generate } = yield* Effect.promise(openapiTypescript)
      const types = yield* Effect.promise(() => generate(pathToFileURL(document)))
      writeFileSync(join(directory, "schema.ts"), astToString(types))
      assert.strictEqual(yield* outcome(directory, withOpenapiFetch), expected)
    })
  )
})

layer(AcmeAlone)("a client that @hey-api/openapi-ts generates from the document", (it) => {
  it.effect.skipIf(!isHere)(named(title), () =>
    Effect.gen(function* () {
      const directory = yield* workplace
      const { createClient } = yield* Effect.promise(heyApi)
      yield* Effect.promise(() =>
        createClient({ input: document, output: join(directory, "sdk"), logs: { level: "silent" } })
      )
      assert.strictEqual(yield* outcome(directory, withHeyApi), expected)
    })
  )
})

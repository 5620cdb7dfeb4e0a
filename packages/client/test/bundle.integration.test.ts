import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { execFile, spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { createServer, request } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { gzipSync } from "node:zlib"
import { rolldown } from "rolldown"
import { Acme, AcmeAlone } from "../../gateway/test/harness/Acme.ts"
import { TestGateway } from "../../gateway/test/harness/TestGateway.ts"

const run = promisify(execFile)
const source = (path: string) => fileURLToPath(new URL(`../src/${path}`, import.meta.url))
const directory = mkdtempSync(join(tmpdir(), "portico-client-"))

/** One file of an entry, as a page would load it, and the modules in it. */
const bundled = async (entry: string) => {
  const build = await rolldown({ input: source(entry), platform: "browser", logLevel: "silent" })
  const { output } = await build.generate({ format: "esm", minify: true })
  const [chunk] = output
  const file = join(directory, `${entry.replaceAll("/", "-")}.mjs`)
  writeFileSync(file, chunk.code)
  return { file, code: chunk.code, modules: Object.keys(chunk.modules), files: output.length }
}

const entries = ["createClient.ts", "operator.ts", "webhooks.ts", "auth/clientCredentials.ts", "auth/browser.ts"]

describe("the bundle", () => {
  for (const entry of entries) {
    it(`${entry} is one file below 60 kB compressed, without Effect, the contract and Node`, async () => {
      const { code, files, modules } = await bundled(entry)
      assert.strictEqual(files, 1)
      assert.isBelow(gzipSync(code).length, 60_000)
      assert.isEmpty(
        modules.filter((_) =>
          /node_modules\/effect|packages\/contract\/(?!src\/(?:webhookDelivery|waiting|isObject)\.ts)/.test(_)
        )
      )
      assert.notMatch(code, /from\s*["'](node:|effect|@portico)/)
    })
  }

  it("of copyAs is below 5 kB compressed, without the code that makes the catalogue", async () => {
    const { code, modules } = await bundled("catalogue/copyAs.ts")
    assert.isBelow(gzipSync(code).length, 5000)
    assert.isEmpty(modules.filter((_) => /catalogOf|operations\/|plainText|node_modules/.test(_)))
    // Its texts have imports of their own.
    assert.notMatch(code, /(^|;)import\b/)
  })

  it("of createClient alone is below 12 kB compressed", async () => {
    const { code } = await bundled("createClient.ts")
    assert.isBelow(gzipSync(code).length, 12_000)
  })
})

/** What a page or a program does with the bundle: a page of credentials, and one that is made. */
const story = (url: string, token: string) => `
const portico = createClient({ url: ${JSON.stringify(url)}, token: ${JSON.stringify(token)} })
const minted = await portico.credentials.mint({ kind: "api-key", tier: 0, label: "bundled" })
const labels = []
for await (const { label } of portico.credentials.list.all({ limit: 1 })) labels.push(label)
const failure = await portico.projects.show({ project_id: "no-such" }).catch((error) => error.code)
const said = [labels.includes("bundled"), minted.pat !== null, failure].join()
`

const expected = "true,true,project_not_found"

/** The Node of the machine, beside the one that runs the tests. */
const otherNode = ["/usr/bin/node", "/usr/local/bin/node"].find((path) => {
  const { stdout } = spawnSync(path, ["--version"], { encoding: "utf8" })
  return typeof stdout === "string" && stdout.startsWith("v20.")
})

const chromium = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(
  (path) => spawnSync(path, ["--version"]).status === 0
)

/** Serves a page, and everything else from the gateway, so that both have one origin. */
const withPage = async <A>(
  gateway: string,
  html: string,
  code: string,
  use: (url: string) => Promise<A>
): Promise<A> => {
  const server = createServer((incoming, outgoing) => {
    const { headers, method, url = "/" } = incoming
    if (url === "/") return outgoing.writeHead(200, { "content-type": "text/html" }).end(html)
    if (url === "/client.mjs") return outgoing.writeHead(200, { "content-type": "text/javascript" }).end(code)
    const target = new URL(url, gateway)
    const forwarded = request(target, { method, headers: { ...headers, host: target.host } }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    incoming.pipe(forwarded)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  const port = typeof address === "object" ? address?.port : address
  return use(`http://127.0.0.1:${port}`).finally(() => {
    server.closeAllConnections()
    server.close()
  })
}

layer(AcmeAlone)("the bundle running", (it) => {
  it.effect(`under Node 20${otherNode === undefined ? ": SKIPPED, this machine has none" : ""}`, (context) =>
    Effect.gen(function* () {
      if (otherNode === undefined) return context.skip("no Node 20 on this machine")
      const { url } = yield* TestGateway
      const { tokens } = yield* Acme
      const { file } = yield* Effect.promise(() => bundled("createClient.ts"))
      const program = join(directory, "program.mjs")
      writeFileSync(
        program,
        `import { createClient } from ${JSON.stringify(file)}\n${story(url.customer, tokens[2])}\nconsole.log(said)`
      )
      const { stdout } = yield* Effect.promise(() => run(otherNode, [program], { env: {} }))
      assert.strictEqual(stdout.trim(), expected)
    })
  )

  it.effect(`in Chromium${chromium === undefined ? ": SKIPPED, this machine has none" : ""}`, (context) =>
    Effect.gen(function* () {
      if (chromium === undefined) return context.skip("no Chromium on this machine")
      const { url } = yield* TestGateway
      const { tokens } = yield* Acme
      const { file } = yield* Effect.promise(() => bundled("createClient.ts"))
      const script = `import { createClient } from "/client.mjs"\n${story("", tokens[2]).replace('url: ""', "url: location.origin")}`
      const html = `<!doctype html><p id="said">nothing</p><script type="module">${script}
        document.getElementById("said").textContent = said</script>`
      const flags = ["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=20000", "--dump-dom"]
      const page = yield* Effect.promise(() =>
        withPage(url.customer, html, readFileSync(file, "utf8"), (address) =>
          run(chromium, [...flags, `--user-data-dir=${join(directory, "profile")}`, address])
        )
      )
      assert.include(page.stdout, expected)
    })
  )
})

import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, dirname, join } from "node:path"
import { setTimeout } from "node:timers/promises"
import type { DevFile } from "../../packages/gateway/src/start/DevFile.ts"
import { engines } from "./manifest.ts"
import { filesIn, isProgram, packages, readManifest, repository, root, tarballOf, type Versions } from "./workspace.ts"

// `npm run test:packages`: what an outsider has. `examples/company` with the tarballs in an empty folder outside of the
// repository: its types, the types of everything that is published, and its tests on the oldest Node. On the newest the
// tests of the packages themselves run.

const folder = mkdtempSync(join(tmpdir(), "portico-packages-"))
const company = join(folder, "company")
const user = join(folder, "user")

/** As in a shell of the outsider's own: nothing of the `npm run` that this is a part of. */
const environment = (node: string) => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([_]) => !/^npm_/i.test(_))),
  PATH: [dirname(node), process.env["PATH"]].join(delimiter),
  NO_COLOR: "1"
})

interface Outcome {
  readonly failed: boolean
  readonly output: string
}

/** What runs. */
const children = new Set<ChildProcess>()

type Settings = Readonly<Record<string, string>>

const start = (settings: Settings, node: string, cwd: string, command: string, ...args: ReadonlyArray<string>) => {
  const env = { ...environment(node), ...settings }
  const child = spawn(command, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] })
  children.add(child)
  const pieces: Array<string> = []
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (_) => pieces.push(_))
  child.once("error", (error) => pieces.push(error.message))
  const outcome = new Promise<Outcome>((done) => {
    child.once("close", (code) => {
      children.delete(child)
      done({ failed: code !== 0, output: pieces.join("") })
    })
  })
  return { child, outcome }
}

const runWith = (...call: Parameters<typeof start>): Promise<Outcome> => start(...call).outcome

const run = (node: string, cwd: string, command: string, ...args: ReadonlyArray<string>): Promise<Outcome> =>
  runWith({}, node, cwd, command, ...args)

/** Says what came of a part, and ends everything when it failed. */
const report = (what: string, { failed, output }: Outcome): void => {
  console.log(`${failed ? "FAILED" : "ok"}  ${what}`)
  if (!failed) return
  console.error(output)
  process.exit(1)
}

/** Without a registry there is nothing to install from, which says nothing about the packages. */
const requireRegistry = (): void => {
  const effect = `effect@${root.dependencies?.["effect"]}`
  const args = ["view", effect, "version", "--fetch-retries=0", "--fetch-timeout=20000"]
  const { status, stderr } = spawnSync("npm", args, { cwd: folder, encoding: "utf8", timeout: 60_000 })
  if (status === 0) return
  console.error(`${stderr}
!!! THE PACKAGES WERE NOT TESTED: the npm registry cannot be reached.`)
  process.exit(0)
}

const install = ["install", "--no-audit", "--no-fund", "--loglevel=error"]

/** The outsider's project, whose dependencies on Portico are the tarballs. */
const makeCompany = (): void => {
  cpSync(join(repository, "examples/company"), company, { recursive: true })
  const { dependencies = {}, devDependencies = {}, ...rest } = readManifest(company)
  const ours = Object.fromEntries(packages.map(({ manifest }) => [manifest.name, `file:${tarballOf(manifest)}`]))
  const packed = (versions: Versions): Versions =>
    Object.fromEntries(Object.entries(versions).map(([name, version]) => [name, ours[name] ?? version]))
  // What comes with another package is not on the registry either.
  const manifest = {
    ...rest,
    dependencies: { ...ours, ...packed(dependencies) },
    devDependencies: packed(devDependencies)
  }
  writeFileSync(join(company, "package.json"), JSON.stringify(manifest))
}

/** A Node of that version, from the npm package `node`. */
const fetchNode = async (version: string): Promise<string> => {
  const into = join(folder, `node-${version}`)
  const node = join(into, "node_modules/.bin/node")
  if (existsSync(node)) return node
  mkdirSync(into)
  writeFileSync(join(into, "package.json"), JSON.stringify({ private: true, allowScripts: { node: true } }))
  report(`Node ${version} is installed`, await run(process.execPath, into, "npm", ...install, `node@${version}`))
  return node
}

/** All declarations, and not only those that the company's files lead to. */
const checkDeclarations = async (): Promise<void> => {
  const config = {
    extends: "./tsconfig.json",
    include: packages
      .filter((_) => !isProgram(_))
      .map(({ manifest: { name } }) => `node_modules/${name}/dist/**/*.d.ts`),
    exclude: []
  }
  writeFileSync(join(company, "tsconfig.declarations.json"), JSON.stringify(config))
  const types = await run(process.execPath, company, "npx", "--no-install", "tsc", "-p", "tsconfig.declarations.json")
  report("every declaration holds with skipLibCheck: false", types)
}

/** Packages that say that they run on an older Node than the others, as far as that can be seen without the platform. */
const loadOnOlder = async (): Promise<void> => {
  for (const { folder: name, manifest } of packages.filter((_) => !isProgram(_))) {
    const [, version] = /(\d[\d.]*)/.exec(manifest.engines?.node ?? "") ?? []
    if (version === undefined) continue
    const modules = join(company, "node_modules", manifest.name, "dist")
    const program = filesIn(modules)
      .filter((_) => _.endsWith(".js"))
      .map((_) => `import ${JSON.stringify(join(modules, _))}`)
    writeFileSync(join(company, `${name}.mjs`), program.join("\n"))
    const node = await fetchNode(version)
    report(`${manifest.name} loads on Node ${version}`, await run(node, company, node, `${name}.mjs`))
  }
}

interface Gateway {
  readonly url: string
  readonly token: string
  readonly stop: () => Promise<void>
}

/** The demo of this repository, with its first tenant. */
const startGateway = async (): Promise<Gateway> => {
  const data = join(folder, "demo")
  const settings = { PORTICO_DATA_DIR: data, CUSTOMER_PORT: "0", OPERATOR_PORT: "0", AGENT_PORT: "0", CLOUD_PORT: "0" }
  const program = join(repository, "packages/gateway/src/start.ts")
  const { child, outcome } = start(settings, process.execPath, repository, process.execPath, program)
  const file = join(data, "dev.json")
  while (!existsSync(file)) {
    if (!children.has(child)) report("the demo starts", { ...(await outcome), failed: true })
    await setTimeout(200)
  }
  const { customer_url, tenants }: DevFile = JSON.parse(readFileSync(file, "utf8"))
  const stop = async () => {
    child.kill()
    await outcome
  }
  return { url: customer_url, token: tenants[0]?.tokens.tier1 ?? "", stop }
}

/** What a person has who installs the command line alone. */
const makeUser = async (): Promise<void> => {
  mkdirSync(user)
  const programs = packages.filter(isProgram).map(({ manifest }) => [manifest.name, `file:${tarballOf(manifest)}`])
  writeFileSync(join(user, "package.json"), JSON.stringify({ dependencies: Object.fromEntries(programs) }))
  report("the command line is installed", await run(process.execPath, user, "npm", ...install))
  const installed = filesIn(join(user, "node_modules")).filter((_) => _.endsWith("/package.json"))
  const failed = installed.length !== programs.length
  report("it depends on nothing", { failed, output: installed.join("\n") })
}

/** Starts it twice, because the second time V8 takes what the first has left in the cache, and asks a gateway. */
const tryProgram = async (version: string, node: string, gateway: Gateway): Promise<void> => {
  const program = join(user, "node_modules/.bin/portico")
  const settings = {
    XDG_CACHE_HOME: join(folder, `cache-${version}`),
    PORTICO_URL: gateway.url,
    PORTICO_TOKEN: gateway.token
  }
  for (const what of ["first", "second"]) {
    const { failed, output } = await runWith(settings, node, user, program, "whoami", "--output", "json")
    report(`portico whoami on Node ${version}, the ${what} time`, {
      failed: failed || !output.includes('"tier"'),
      output
    })
  }
}

const test = async (version: string, node: string) => {
  const started = performance.now()
  const outcome = await run(
    node,
    company,
    node,
    "node_modules/vitest/vitest.mjs",
    "run",
    "--reporter=dot",
    "--testTimeout=600000"
  )
  const seconds = Math.round((performance.now() - started) / 1000)
  const [, count = "?"] = /Tests\s+(\d+) passed/.exec(outcome.output) ?? []
  return [`the company's tests on Node ${version}: ${count} in ${seconds} s`, outcome] as const
}

const oldest = /\d+\.\d+\.\d+/.exec(engines.node)?.[0] ?? ""
const newest = process.versions.node

process.on("exit", () => {
  for (const child of children) child.kill()
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
})
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1))

requireRegistry()
makeCompany()
report("the tarballs are installed", await run(process.execPath, company, "npm", ...install))
report("the company's types hold", await run(process.execPath, company, "npx", "--no-install", "tsc"))
await checkDeclarations()
await loadOnOlder()
const old = await fetchNode(oldest)
await makeUser()
const gateway = await startGateway()
for (const version of ["20.20.2", oldest, newest]) {
  await tryProgram(version, version === newest ? process.execPath : await fetchNode(version), gateway)
}
// A demo that runs on would keep this process alive.
await gateway.stop()
const [what, outcome] = await test(oldest, old)
report(what, outcome)

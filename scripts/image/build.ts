import { execFileSync } from "node:child_process"
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, matchesGlob, relative } from "node:path"

// Carries out the steps of docker/Dockerfile without Docker, each stage in a root folder of its own, and leaves the last
// stage's folder and its settings:
//
//   node scripts/image/build.ts <base root> <folder>
//
// The base root has Debian, Node and npm. What a step of the Dockerfile needs and this does not know ends it.

const root = join(import.meta.dirname, "../..")
const [base = "", folder = ""] = process.argv.slice(2)

/** A file goes into the context when the last line of .dockerignore that names it, or a folder above it, lets it. */
const lines = readFileSync(join(root, ".dockerignore"), "utf8")
  .split("\n")
  .filter((_) => _ !== "" && !_.startsWith("#"))

const above = (path: string): ReadonlyArray<string> => {
  const parts = path.split("/")
  return parts.map((_, index) => parts.slice(0, index + 1).join("/"))
}

const isIn = (path: string): boolean => {
  const last = lines.findLast((line) => above(path).some((_) => matchesGlob(_, line.replace(/^!/, ""))))
  return last?.startsWith("!") ?? true
}

const context = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], { cwd: root })
  .toString()
  .split("\0")
  .filter((_) => _ !== "" && isIn(_))

interface Stage {
  readonly root: string
  workdir: string
  env: Record<string, string>
  shell: ReadonlyArray<string>
  user: string
  entrypoint: ReadonlyArray<string>
  healthcheck: ReadonlyArray<string>
}

const stages = new Map<string, Stage>()

const begin = (name: string, isEmpty: boolean): Stage => {
  const stage: Stage = {
    root: join(folder, name),
    workdir: "/",
    env: { PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" },
    shell: ["/bin/sh", "-c"],
    user: "0:0",
    entrypoint: [],
    healthcheck: []
  }
  if (isEmpty) mkdirSync(stage.root)
  else execFileSync("cp", ["-a", base, stage.root])
  stages.set(name, stage)
  return stage
}

/** What a build takes from the machine: how it reaches the package registry. */
const network = ["http_proxy", "https_proxy", "no_proxy", "NODE_EXTRA_CA_CERTS"].flatMap((name) =>
  process.env[name] === undefined ? [] : [`${name}=${process.env[name]}`]
)

const run = (stage: Stage, command: string): void => {
  const settings = Object.entries(stage.env).map(([name, value]) => `${name}=${value}`)
  const script = `
    mount -t proc proc "$1/proc"
    mount --bind /dev "$1/dev"
    shift
    exec chroot "$@"`
  execFileSync(
    "unshare",
    [
      "--mount",
      "--pid",
      "--fork",
      "--kill-child",
      "sh",
      "-ec",
      script,
      "sh",
      stage.root,
      stage.root,
      "/usr/bin/env",
      "-i",
      "HOME=/root",
      ...network,
      ...settings,
      ...stage.shell,
      `set -e; cd ${stage.workdir} && ${command}`
    ],
    { stdio: ["ignore", 2, 2] }
  )
}

const copyContext = (stage: Stage, to: string): void => {
  for (const path of context) {
    const target = join(stage.root, to, path)
    mkdirSync(dirname(target), { recursive: true })
    cpSync(join(root, path), target)
  }
}

let last: Stage | undefined
const current = (): Stage => {
  if (last === undefined) throw new Error("the Dockerfile does not begin with FROM")
  return last
}

const inside = (stage: Stage, path: string): string => join("/", relative("/", join(stage.workdir, path)))
const absolute = (stage: Stage, path: string): string => (path.startsWith("/") ? path : inside(stage, path))

const steps: Readonly<Record<string, (rest: string) => void>> = {
  FROM: (rest) => {
    const [, image = "", name] = /^(\S+)(?: AS (\S+))?$/.exec(rest) ?? []
    if (!/^(node:24-bookworm-slim|scratch)$/.test(image)) throw new Error(`no base for ${image}`)
    last = begin(name ?? "image", image === "scratch")
  },
  WORKDIR: (rest) => {
    current().workdir = rest
    mkdirSync(join(current().root, rest), { recursive: true })
  },
  COPY: (rest) => {
    const stage = current()
    const [, from, source = "", to = ""] = /^(?:--from=(\S+) )?(\S+) (\S+)$/.exec(rest) ?? []
    if (from === undefined) return copyContext(stage, absolute(stage, to))
    const other = stages.get(from)
    if (other === undefined) throw new Error(`there is no stage ${from}`)
    const target = join(stage.root, absolute(stage, to))
    mkdirSync(target, { recursive: true })
    execFileSync("cp", ["-a", `${join(other.root, source)}/.`, target])
  },
  SHELL: (rest) => {
    current().shell = JSON.parse(rest)
  },
  RUN: (rest) => run(current(), rest),
  ENV: (rest) => {
    for (const [, name = "", value = ""] of rest.matchAll(/([A-Z_]+)=(\S+)/g)) current().env[name] = value
  },
  USER: (rest) => {
    current().user = rest
  },
  EXPOSE: () => {},
  HEALTHCHECK: (rest) => {
    current().healthcheck = JSON.parse(rest.replace(/^(?:--\S+ )*CMD /, ""))
  },
  ENTRYPOINT: (rest) => {
    current().entrypoint = JSON.parse(rest)
  }
}

rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
const text = readFileSync(join(root, "docker/Dockerfile"), "utf8").replaceAll(/^#.*\n/gm, "")
for (const line of text
  .replaceAll(/\\\n\s*/g, "")
  .split("\n")
  .filter((_) => _ !== "")) {
  const [, word = "", rest = ""] = /^(\w+) (.*)$/.exec(line) ?? []
  const step = steps[word]
  if (step === undefined) throw new Error(`this does not know the step: ${line}`)
  step(rest)
}

const { entrypoint, env, healthcheck, user, workdir } = current()
for (const name of readdirSync(folder))
  if (name !== "image") rmSync(join(folder, name), { recursive: true, force: true })
writeFileSync(join(folder, "image.json"), JSON.stringify({ entrypoint, env, healthcheck, user, workdir }))

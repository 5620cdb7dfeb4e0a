import { quoted } from "@portico/client/catalogue/shell"
import { Effect, Predicate } from "effect"
import { applyEdits, modify, parse, type ParseError, printParseErrorCode } from "jsonc-parser"
import { join, resolve } from "node:path"
import { type Change, readText } from "../files.ts"
import type { Plan } from "../Plan.ts"
import { logins, withLogin, withoutLogin } from "../registries.ts"
import { home, programAt, searchPath, variable } from "../surroundings.ts"
import { type Allowed, refusalOf, sourceIn, markOf, type Target, unreadable } from "../Target.ts"

export interface DockerOptions extends Allowed {
  /** The registry as images name it: host, and port if it has one. */
  readonly registry: string
}

const helper = "portico"
const program = `docker-credential-${helper}`

export const configFile = Effect.gen(function* () {
  const folder = yield* variable("DOCKER_CONFIG")
  return join(folder === undefined ? join(yield* home, ".docker") : resolve(folder), "config.json")
})

interface Config {
  readonly change: Change
  /** Of that registry: the helper, and whether a login is stored in the file itself. */
  readonly current: unknown
  readonly hasLogin: boolean
}

const positionOf = (text: string, offset: number) => {
  const before = text.slice(0, offset).split("\n")
  return `line ${before.length}, column ${(before.at(-1) ?? "").length + 1}`
}

const readConfig = Effect.fnUntraced(function* (registry: string) {
  const path = yield* configFile
  const before = yield* readText(path)
  const text = (before ?? "").trim() === "" ? "{}" : (before ?? "")
  const errors: Array<ParseError> = []
  const value: unknown = parse(text, errors, { disallowComments: true, allowTrailingComma: false })
  const [error] = errors
  if (error !== undefined) {
    return yield* unreadable(path, `${positionOf(text, error.offset)}: ${printParseErrorCode(error.error)}`)
  }
  if (!Predicate.isObject(value)) return yield* unreadable(path, "its top is not an object")
  const { auths, credHelpers = {} } = value
  if (!Predicate.isObject(credHelpers)) return yield* unreadable(path, "'credHelpers' is not an object")
  const login = Predicate.isObject(auths) ? auths[registry] : undefined
  const hasLogin = Predicate.isObject(login) && ("auth" in login || "identitytoken" in login)
  return { change: { path, before, after: before }, current: credHelpers[registry], hasLogin } satisfies Config
})

const edited = (change: Change, registry: string, value: string | undefined): Change => {
  const text = (change.before ?? "").trim() === "" ? "{}\n" : (change.before ?? "")
  const insertSpaces = !/^\t/m.test(text) && change.before !== undefined
  const formattingOptions = { insertSpaces, tabSize: /^( +)/m.exec(text)?.[1]?.length ?? 2 }
  return { ...change, after: applyEdits(text, modify(text, ["credHelpers", registry], value, { formattingOptions })) }
}

/** A program of the helper's name, where the installation has put none on the PATH. */
const shim = Effect.fnUntraced(function* (target: Target) {
  const path = join(yield* home, ".local", "bin", program)
  const before = yield* readText(path)
  const isOurs = before === undefined || sourceIn(before) !== undefined
  const found = yield* programAt(program)
  if (found !== undefined && found !== path) return { changes: [], hints: [] } satisfies Plan
  if (!isOurs) return { changes: [], hints: [] } satisfies Plan
  const words = [...target.command, "docker-credential"].map(quoted).join(" ")
  const after = `#!/bin/sh\n# ${markOf({ source: "docker" })}\nexec ${words} "$@"\n`
  const isOnPath = (yield* searchPath).includes(join(yield* home, ".local", "bin"))
  const hint = `${join(yield* home, ".local", "bin")} is not on the PATH: put it there, because docker looks for ${program}`
  const changes: ReadonlyArray<Change> = [{ path, before, after, isProgram: true }]
  return { changes, hints: isOnPath ? [] : [hint] } satisfies Plan
})

const whatOf = (registry: string) => `The credential helper of ${registry}`

export const docker = Effect.fnUntraced(function* (target: Target, { force, registry }: DockerOptions) {
  const { change, current, hasLogin } = yield* readConfig(registry)
  const file = yield* logins
  const known = file.logins[registry]
  const ownership =
    current === undefined
      ? "none"
      : current !== helper
        ? "foreign"
        : known === undefined || known.source === target.source
          ? "ours"
          : { source: known.source }
  const refusal = refusalOf(ownership, whatOf(registry), change.path, { force })
  if (refusal !== undefined) return yield* refusal
  const executable = yield* shim(target)
  const { profile, source, url } = target
  const config = current === helper ? change : edited(change, registry, helper)
  return {
    changes: [
      ...executable.changes,
      withLogin(file, registry, { source, url, ...(profile === undefined ? {} : { profile }) }),
      config
    ],
    hints: [
      `Try: docker pull ${registry}/<project id>/<name>. 'docker login' is not needed`,
      ...executable.hints,
      ...(hasLogin ? [`${change.path} also holds a login for ${registry}, which is no longer used: remove it`] : [])
    ]
  } satisfies Plan
})

export const withoutDocker = Effect.fnUntraced(function* ({ force, registry }: DockerOptions) {
  const { change, current } = yield* readConfig(registry)
  const file = yield* logins
  const ownership = current === undefined ? "none" : current === helper ? "ours" : "foreign"
  const refusal = refusalOf(ownership, whatOf(registry), change.path, { force })
  if (refusal !== undefined) return yield* refusal
  const config = current === undefined ? change : edited(change, registry, undefined)
  return { changes: [config, withoutLogin(file, registry)], hints: [] } satisfies Plan
})

import { Effect } from "effect"
import { join } from "node:path"
import { CliFailure } from "../../CliFailure.ts"
import { type Change, readText } from "../files.ts"
import { checkIni, type Setting, sectionIn, withSection } from "../iniFile.ts"
import type { Plan } from "../Plan.ts"
import { home } from "../surroundings.ts"
import { type Allowed, markOf, ownershipOf, refusalOf, sourceIn, type Target } from "../Target.ts"
import type { S3Options } from "./aws.ts"

export interface S3cmdOptions extends Omit<S3Options, "region"> {
  /** The tenant's pair, if it may be stored. */
  readonly keys?: { readonly access_key: string; readonly secret_key: string } | undefined
}

// A file has one profile, so that an own file stands beside one that is in use.
export const pathsOf = (name: string) =>
  Effect.map(home, (home) => [join(home, ".s3cfg"), join(home, `.s3cfg-${name}`)] as const)

const read = Effect.fnUntraced(function* (path: string) {
  const before = yield* readText(path)
  const change: Change = { path, before, after: before }
  return { ...change, source: sourceIn(before ?? "") }
})

const isFree = ({ before, source }: { before: string | undefined; source: string | undefined }, target: Target) =>
  (before ?? "").trim() === "" || source === target.source

const settingsOf = (target: Target, { endpoint, keys }: S3cmdOptions): ReadonlyArray<Setting> => {
  const { host, protocol } = new URL(endpoint)
  return [
    ["host_base", host],
    ["host_bucket", host],
    ["use_https", protocol === "https:" ? "True" : "False"],
    ...(target.caFile === undefined ? [] : ([["ca_certs_file", target.caFile]] as const)),
    ...(keys === undefined
      ? []
      : ([
          ["access_key", keys.access_key],
          ["secret_key", keys.secret_key]
        ] as const))
  ]
}

const managed = ["ca_certs_file", "access_key", "secret_key"]

export const s3cmd = Effect.fnUntraced(function* (target: Target, options: S3cmdOptions) {
  const { endpoint, force, keys, name } = options
  if (new URL(endpoint).pathname !== "/") {
    return yield* new CliFailure({
      exit: "refused",
      message: `s3cmd signs wrongly for an address with a path, such as ${endpoint}`,
      hint: "Name another address of the object gateway with --endpoint, or use 'portico setup aws'"
    })
  }
  const [usual, own] = yield* pathsOf(name)
  const first = yield* read(usual)
  const { source, ...change } = isFree(first, target) ? first : yield* read(own)
  const text = change.before ?? ""
  yield* checkIni(text, change.path)
  const ownership = text.trim() === "" ? "none" : ownershipOf(source, target)
  const refusal = refusalOf(ownership, "The configuration", change.path, { force })
  if (refusal !== undefined) return yield* refusal
  const settings = settingsOf(target, options)
  const after = yield* withSection(ownership === "ours" ? text : "", "default", settings, {
    mark: markOf(target),
    managed
  })
  const file = change.path === usual ? "" : ` -c ${change.path}`
  const use =
    keys === undefined
      ? `No secret was stored. 'portico exec --s3' gives s3cmd the keys: portico exec --s3 -- s3cmd${file} ls`
      : `Try: s3cmd${file} ls`
  const changes: ReadonlyArray<Change> = [{ ...change, after, isSecret: keys !== undefined }]
  return { changes, hints: [use] } satisfies Plan
})

export const withoutS3cmd = Effect.fnUntraced(function* ({ force, name }: Allowed & { readonly name: string }) {
  const [usual, own] = yield* pathsOf(name)
  const mine = yield* read(own)
  const { source, ...change } = mine.before === undefined ? yield* read(usual) : mine
  if (change.before === undefined || change.before.trim() === "") return { changes: [], hints: [] } satisfies Plan
  const isOurs = source !== undefined && sectionIn(change.before, "default") !== undefined
  const refusal = refusalOf(isOurs ? "ours" : "foreign", "The configuration", change.path, { force })
  if (refusal !== undefined) return yield* refusal
  const changes: ReadonlyArray<Change> = [{ ...change, after: undefined }]
  return { changes, hints: [] } satisfies Plan
})

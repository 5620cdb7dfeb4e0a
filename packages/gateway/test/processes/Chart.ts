import { assert, it } from "@effect/vitest"
import { Predicate, Schema } from "effect"
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onTestFinished } from "vitest"
import { parseAllDocuments } from "yaml"
import { repository } from "./children.ts"

export const chart = "deploy/helm/portico"
export const kubernetes = "1.34.0"

export const read = (path: string) => readFileSync(join(repository, path), "utf8")

export const at = (value: unknown, ...path: ReadonlyArray<string | number>): unknown =>
  path.reduce<unknown>((_, key) => (Predicate.hasProperty(_, key) ? _[key] : undefined), value)

const Kept = Schema.Struct({
  kind: Schema.String,
  metadata: Schema.Struct({ name: Schema.String })
})

/** What `scripts/parts/charts.sh` installs, beside helm. */
export const part = "/opt/portico-parts/charts"
export const kubeconform = join(part, "kubeconform")

export const isInstalled = (program: string) => spawnSync(program, ["version"]).error === undefined

export const run = (program: string, ...args: ReadonlyArray<string>) => {
  const { status, stderr, stdout } = spawnSync(program, args, { cwd: repository, encoding: "utf8" })
  return { status, stdout, said: `${stdout}${stderr}` }
}

/** The objects of a text, by kind and name. */
export const objectsIn = (text: string): ReadonlyMap<string, unknown> =>
  new Map(
    parseAllDocuments(text)
      .map((_): unknown => _.toJS())
      .filter(Schema.is(Kept))
      .map((_) => [`${_.kind}/${_.metadata.name}`, _] as const)
  )

/** What helm makes of the chart with these options, or says of them. */
export const templated = (...options: ReadonlyArray<string>) =>
  run("helm", "template", "portico", chart, "-n", "portico", "--kube-version", kubernetes, ...options)

export const rendered = (...options: ReadonlyArray<string>) => {
  const { said, status, stdout } = templated(...options)
  assert.strictEqual(status, 0, said)
  return stdout
}

/** A folder that is gone after the test. */
export const newFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), "portico-chart-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

/** The option of a file with these values. */
export const withValues = (values: unknown): ReadonlyArray<string> => {
  const file = join(newFolder(), "values.yaml")
  writeFileSync(file, JSON.stringify(values))
  return ["-f", file]
}

/** A story that needs helm. */
export const helm = isInstalled("helm") ? it : it.skip
export const named = (title: string, ...programs: ReadonlyArray<string>) => {
  const missing = programs.filter((_) => !isInstalled(_))
  return missing.length === 0 ? title : `${title}: NOT RUN, ${missing.join(" AND ")} NOT INSTALLED`
}

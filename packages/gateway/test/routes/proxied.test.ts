import { assert, describe, it } from "@effect/vitest"
import { callerCodes } from "@portico/contract/Access"
import { failureTable } from "@portico/contract/Failures"
import { readdirSync, readFileSync } from "node:fs"
import { documents } from "./conforms.ts"

const source = new URL("../../src/", import.meta.url)

const filesIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(new URL(folder, source), { recursive: true, encoding: "utf8" })
    .filter((_) => _.endsWith(".ts"))
    .map((_) => `${folder}${_}`)

/** The codes of the failures that files construct. */
const madeIn = (files: ReadonlyArray<string>): ReadonlyArray<string> => {
  const text = files.map((_) => readFileSync(new URL(_, source), "utf8")).join("\n")
  return failureTable.filter(({ name, tag }) => new RegExp(`\\b${tag}\\.${name}\\b`).test(text)).map((_) => _.code)
}

const unique = (codes: ReadonlyArray<string>) => [...new Set(codes)].toSorted()

/** The codes that the OpenAPI document has in an item of a path. */
const declaredAt = (path: string, pattern: RegExp): ReadonlyArray<string> => {
  const { components, paths } = documents.customer
  const responses = JSON.stringify(paths[path])
  const schemas = [...responses.matchAll(/#\/components\/schemas\/(\w+)/g)].map(([, name = ""]) => name)
  return schemas
    .filter((_) => pattern.test(_))
    .flatMap((name) =>
      name.startsWith("Cluster")
        ? failureTable.filter(({ code }) => JSON.stringify(components.schemas[name]).includes(`"${code}"`))
        : failureTable.filter(({ code }) => code === name)
    )
    .map((_) => _.code)
}

/** What is asked of every proxied call before its proxy: its head, its caller, and a place for its upload. */
const before = madeIn([
  "requests/target.ts",
  "middleware/headers.ts",
  "middleware/bodyTimeout.ts",
  "streams/Uploads.ts"
])
const ofCallers: ReadonlyArray<string> = [...callerCodes, "policy_denied", "tenant_required"]

/** The refusal of a zone is the same for a first-class route. */
const reservedZones = "../../domain/src/dns/DnsSettings.ts"

/** Not declared: no request leads to them on purpose. */
const defects: ReadonlyArray<string> = ["internal_error", "database_unavailable"]

const all = filesIn("proxy/")
const cluster = all.filter((_) => _.startsWith("proxy/kubernetes/"))
const openstack = all.filter((_) => _.startsWith("proxy/openstack/"))
const platform = all.filter((_) => !cluster.includes(_) && !openstack.includes(_))

describe("the proxies declare exactly the codes that they fail with:", () => {
  it("the platform's", () => {
    // Of the failures for stock clients this is the one that is not in Keystone's form.
    const made = [...madeIn([...platform, reservedZones]), ...before, ...ofCallers, "two_tokens"].filter(
      (_) => !defects.includes(_)
    )
    assert.deepStrictEqual(unique(declaredAt("/v1/iaas/{path}", /^/)), unique(made))
  })

  it("the cluster's", () => {
    const declared = unique(declaredAt("/v1/kubernetes/{path}", /^Cluster/))
    const shared = ["body_too_large", "body_too_slow", "overloaded", "upstream_failed"]
    assert.deepStrictEqual(declared, unique([...madeIn(cluster), ...before, ...ofCallers, ...shared]))
  })
})

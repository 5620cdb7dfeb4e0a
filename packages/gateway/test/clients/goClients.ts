import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import { copyFileSync, existsSync } from "node:fs"
import { join } from "node:path"
import { folder } from "../parts/parts.ts"
import { repository } from "../processes/children.ts"
import { ranAlone } from "./clients.ts"

/** Whose modules have client-go too, compiled: scripts/parts/kubernetes.sh. */
const kubernetes = "/opt/portico-parts/kubernetes"
const module = join(repository, "scripts/parts/kubernetes")

/** Where scripts/parts/opentofu.sh puts it, with the OpenStack provider. */
export const opentofu = "/opt/portico-parts/opentofu"

const isThere = (part: string, script: string): boolean => {
  // The stamp is written when everything is there.
  const found = existsSync(join(part, "stamp"))
  if (!found) console.warn(`${part} is not installed: nothing of what ${script} installs is tried`)
  return found
}

export const hasClientGo = isThere(kubernetes, "scripts/parts/kubernetes.sh")
export const hasOpentofu = isThere(opentofu, "scripts/parts/opentofu.sh")

/** Builds a program of these sources with client-go, without the network, for as long as the scope. */
export const built = Effect.fnUntraced(function* (sources: Readonly<Record<string, string>>) {
  const { at, path, write } = yield* folder
  for (const name of ["go.mod", "go.sum"]) copyFileSync(join(module, name), at(name))
  for (const [name, text] of Object.entries(sources)) write(name, text)
  const PATH = `${process.env["PATH"] ?? ""}:/usr/local/go/bin`
  // Where the part has compiled them.
  const caches = spawnSync("go", ["env", "GOMODCACHE", "GOCACHE"], { env: { ...process.env, PATH }, encoding: "utf8" })
  const [GOMODCACHE = "", GOCACHE = ""] = caches.stdout.split("\n")
  const { code, stderr } = yield* ranAlone(path, ["go", "build", "-o", at("program"), "."], {
    PATH,
    GOMODCACHE,
    GOCACHE,
    GOFLAGS: "-buildvcs=false",
    GOPROXY: "off",
    CGO_ENABLED: "0"
  })
  assert.strictEqual(code, 0, stderr)
  return { path, program: at("program") }
})

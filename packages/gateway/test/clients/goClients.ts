import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { copyFileSync, existsSync } from "node:fs"
import { join } from "node:path"
import { folder } from "../parts/parts.ts"
import { ranAlone } from "./clients.ts"

/** Where scripts/parts/client-go.sh puts it. */
const clientGo = "/opt/portico-parts/client-go"

/** Where scripts/parts/opentofu.sh puts it, with the OpenStack provider. */
export const opentofu = "/opt/portico-parts/opentofu"

const isThere = (part: string, script: string): boolean => {
  // The stamp is written when everything is there.
  const found = existsSync(join(part, "stamp"))
  if (!found) console.warn(`${part} is not installed: nothing of what ${script} installs is tried`)
  return found
}

export const hasClientGo = isThere(clientGo, "scripts/parts/client-go.sh")
export const hasOpentofu = isThere(opentofu, "scripts/parts/opentofu.sh")

/** Builds a program of these sources with client-go, without the network, for as long as the scope. */
export const built = Effect.fnUntraced(function* (sources: Readonly<Record<string, string>>) {
  const { at, path, write } = yield* folder
  for (const name of ["go.mod", "go.sum"]) copyFileSync(join(clientGo, "module", name), at(name))
  for (const [name, text] of Object.entries(sources)) write(name, text)
  const { code, stderr } = yield* ranAlone(path, ["go", "build", "-trimpath", "-o", at("program"), "."], {
    PATH: `${process.env["PATH"] ?? ""}:/usr/local/go/bin`,
    GOMODCACHE: join(clientGo, "modules"),
    GOCACHE: join(clientGo, "cache"),
    GOFLAGS: "-buildvcs=false",
    GOPROXY: "off",
    CGO_ENABLED: "0"
  })
  assert.strictEqual(code, 0, stderr)
  return { path, program: at("program") }
})

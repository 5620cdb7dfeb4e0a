import { assert } from "@effect/vitest"
import { Server } from "@portico/simulator/Server"
import { gatewaySettings } from "@portico/simulator/settings"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect, Layer } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Cast } from "../harness/Cast.ts"
import { TestGateway } from "../harness/TestGateway.ts"
import { textOf } from "../processes/Document.ts"

const page = textOf("docs/tenants/clients.md")

/** The block in a section of the page, as readers copy it. */
export const blockIn = (section: string, language: string): string => {
  const [, text = ""] = page.split(new RegExp(`^## ${section}$`, "m"))
  return (
    new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, "m").exec(text)?.[1] ??
    assert.fail(`no ${language} in ${section}`)
  )
}

/** The versions in the table of the page, by the names that it has in code. */
export const versionsOnPage: ReadonlyMap<string, string> = new Map(
  [...page.matchAll(/^\| \[`([^`]+)`\]\(#[^)]*\)[^|]*\| ([\d.]+) +\|/gm)].map(
    ([, name = "", version = ""]) => [name, version] as const
  )
)

/** Those that are built from Go. */
export const goNames: ReadonlyArray<string> = ["client-go", "opentofu", "terraform-provider-openstack"]

export const storyOf = (name: string): string => readFileSync(join(import.meta.dirname, "stories", name), "utf8")

export const Stage = Cast.made.pipe(
  Layer.provideMerge(
    TestGateway.layerOf(
      Effect.map(Server, ({ s3Url, url }) => ({
        ...gatewaySettings(url),
        OPENSTACK_COMPATIBILITY: "true",
        OBJECT_STORAGE_PUBLIC_URL: s3Url
      }))
    )
  ),
  Layer.provideMerge(Server.layer({ port: 0, s3Port: 0 }).pipe(Layer.provideMerge(SimulatedCloud.layerMemory)))
)

/** What the page tells its readers to set, of acme's tier 2. */
export const settings = Effect.gen(function* () {
  const { acme } = yield* Cast
  const { url } = yield* TestGateway
  return { CUSTOMER_URL: url.customer, TOKEN: acme.tokens[2], PROJECT_ID: acme.projectId, READER: acme.tokens[0] }
})

export const tooLow = (method: string, needed: number, held: number): string =>
  `Insufficient credential tier: ${method} requires tier ${needed}, the caller's credential is tier ${held}. ` +
  "Tiers: 0 read-only, 1 operate (writes), 2 destructive (deletes)."

import { TestGateway } from "../../packages/gateway/test/harness/TestGateway.ts"
import { Administrator } from "../../packages/gateway/test/real/Administrator.ts"
import { longTimeLimit, realSettings } from "../../packages/gateway/test/real/RealGateway.ts"
import { removeTenant } from "../../packages/gateway/test/real/removeTenant.ts"
import { told } from "../../packages/gateway/test/real/told.ts"
import { Server } from "@portico/simulator/Server"
import { gatewaySettings } from "@portico/simulator/settings"
import { Effect, FileSystem, Layer } from "effect"
import { join } from "node:path"
import { members, onboard, type Tenant, tenants } from "./accounts.ts"
import { type Account, accountsText, settingsFor } from "./settings.ts"
import { workspace } from "./tempest.ts"

/** Which cloud the tests meet, and by which way. */
export const targets = ["direct", "gateway", "simulated"] as const

export type Target = (typeof targets)[number]

/** Tempest makes and removes more, and faster, than a person does. */
const forTests = { OPENSTACK_COMPATIBILITY: "true", RATE_LIMIT: "false" }

/** A gateway in this process, on the real cloud or on a simulated one. */
export const cloudOf = (target: Target) =>
  TestGateway.layerOf(
    Effect.map(Server, ({ url }) => ({
      ...gatewaySettings(url),
      ...(target === "simulated" ? {} : realSettings()),
      ...forTests
    }))
  ).pipe(
    Layer.provideMerge(target === "simulated" ? Administrator.simulated : Administrator.layer),
    Layer.provide(longTimeLimit),
    Layer.provideMerge(TestGateway.cloud)
  )

/** Six tenants, and a folder in which Tempest logs in as them. The tenants of the real cloud go with the scope. */
export const prepared = Effect.fnUntraced(function* (target: Target, folder: string) {
  const { url } = yield* TestGateway
  const made = yield* Effect.forEach(Array.from({ length: tenants }).keys(), (index) =>
    Effect.acquireRelease(onboard(index), ({ projectId }) =>
      target === "simulated" ? Effect.void : removeTenant(projectId)
    )
  )
  const accounts = yield* Effect.forEach(made, (tenant, index) => accountsFor(target, tenant, index >= tenants - 2))
  const authUrl = target === "direct" ? told("OS_AUTH_URL") : `${url.customer}/openstack/identity/v3`
  const where = { authUrl, folder, byApplicationCredential: target !== "direct" }
  const [first] = made
  if (first === undefined) return yield* Effect.die("no tenant")
  yield* workspace(folder, {
    settings: yield* settingsFor(where, first),
    accounts: accountsText(accounts.flat())
  })
})

/** A member and a reader; or the member alone, whom plugins take for an administrator that they do not need. */
const accountsFor = Effect.fnUntraced(function* (target: Target, tenant: Tenant, pretended: boolean) {
  const keys = target === "direct" ? yield* members(tenant) : tenant.keys
  const member: Account = {
    tenant,
    login: keys.member,
    roles: pretended ? ["admin"] : ["member", "load-balancer_member", "creator"]
  }
  return pretended ? [member] : [member, { tenant, login: keys.reader, roles: ["reader"] } satisfies Account]
})

/** Below the data of this checkout. */
export const folderOf = Effect.fnUntraced(function* (target: Target) {
  const fs = yield* FileSystem.FileSystem
  const folder = join(import.meta.dirname, "../../.portico/tempest", target)
  yield* fs.makeDirectory(folder, { recursive: true })
  return folder
})

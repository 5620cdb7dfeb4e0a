import { TestGateway } from "../../packages/gateway/test/harness/TestGateway.ts"
import { Administrator } from "../../packages/gateway/test/real/Administrator.ts"
import { roles } from "../../packages/gateway/test/real/Person.ts"
import { longTimeLimit } from "../../packages/gateway/test/real/RealGateway.ts"
import { realSettings, told } from "../../packages/gateway/test/real/told.ts"
import { Server } from "@portico/simulator/Server"
import { gatewaySettings } from "@portico/simulator/settings"
import { Effect, FileSystem, Layer } from "effect"
import { join } from "node:path"
import { project } from "./accounts.ts"
import { type Account, accountsText, settingsFor } from "./settings.ts"
import type { Target } from "./Target.ts"
import { workspace } from "./tempest.ts"

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

/** Two workers take up to four projects at a time each, and one whose member the plugins take for an administrator. */
const projects = { ordinary: 8, pretended: 2 }

/** New projects, and a folder in which Tempest logs in to them. */
export const prepared = Effect.fnUntraced(function* (target: Target, folder: string) {
  const { url } = yield* TestGateway
  const [first, ...others] = yield* Effect.replicateEffect(project(target), projects.ordinary)
  const pretended = yield* Effect.replicateEffect(project(target), projects.pretended)
  if (first === undefined) return yield* Effect.die("there is no project")
  const authUrl = target === "direct" ? told("OS_AUTH_URL") : `${url.customer}/openstack/identity/v3`
  yield* workspace(folder, {
    settings: yield* settingsFor({ authUrl, folder, byApplicationCredential: target !== "direct" }, first),
    accounts: accountsText([
      ...[first, ...others].flatMap((project): ReadonlyArray<Account> => [
        { project, login: project.member, roles: roles.member },
        { project, login: project.reader, roles: roles.reader }
      ]),
      // Some plugins do not start without an administrator, whom their tests for everybody do not use.
      ...pretended.map((project) => ({ project, login: project.member, roles: ["admin"] }))
    ])
  })
})

/** Below the data of this checkout. */
export const folderOf = Effect.fnUntraced(function* (target: Target) {
  const fs = yield* FileSystem.FileSystem
  const folder = join(import.meta.dirname, "../../.portico/tempest", target)
  yield* fs.makeDirectory(folder, { recursive: true })
  return folder
})

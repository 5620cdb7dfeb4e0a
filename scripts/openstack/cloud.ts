import { TestGateway } from "../../packages/gateway/test/harness/TestGateway.ts"
import { Administrator } from "../../packages/gateway/test/real/Administrator.ts"
import { longTimeLimit } from "../../packages/gateway/test/real/RealGateway.ts"
import { realSettings, told } from "../../packages/gateway/test/real/told.ts"
import { Server } from "@portico/simulator/Server"
import { gatewaySettings } from "@portico/simulator/settings"
import { Effect, FileSystem, Layer } from "effect"
import { join } from "node:path"
import type { Target } from "./Target.ts"

/** Test suites make and remove more, and faster, than a person does. */
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

/** Where a tenant logs in. */
export const authUrlOf = Effect.fnUntraced(function* (target: Target) {
  const { url } = yield* TestGateway
  return target === "direct" ? told("OS_AUTH_URL") : `${url.customer}/openstack/identity/v3`
})

/** A folder for a suite's files, below the data of this checkout. */
export const folderOf = Effect.fnUntraced(function* (suite: string, target: Target) {
  const fs = yield* FileSystem.FileSystem
  const folder = join(import.meta.dirname, "../../.portico", suite, target)
  yield* fs.makeDirectory(folder, { recursive: true })
  return folder
})

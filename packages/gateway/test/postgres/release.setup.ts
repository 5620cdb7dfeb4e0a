import { NodeServices } from "@effect/platform-node"
import { clusterFolder, clusterPrefix } from "@portico/testing/store/clusterFolder"
import { Context, Effect, Layer, ManagedRuntime } from "effect"
import { randomInt } from "node:crypto"
import type { TestProject } from "vitest/node"
import { directoryAs, freshIn, type Server } from "./Postgres.ts"
import type { Release } from "./releases.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** The release on which a project runs the store's tests, when it is not the embedded one. */
    readonly otherRelease?: Release
  }
}

class Other extends Context.Service<Other, Server>()("portico/gateway/test/postgres/Other") {
  static readonly layer = (release: Release) =>
    Layer.effect(
      Other,
      Effect.gen(function* () {
        const parent = yield* directoryAs({ directory: yield* clusterFolder, prefix: clusterPrefix })
        return yield* freshIn(parent, release)
      })
    ).pipe(Layer.provide(NodeServices.layer))
}

/**
 * Each test of the project makes its own database on a server of that release. Of stories that are alike some run, in a
 * run of everything too: 18 has all of them, and what may differ are the statements.
 */
export default async (project: TestProject) => {
  const release = project.getProvidedContext().otherRelease
  if (release === undefined) return
  const runtime = ManagedRuntime.make(Other.layer(release))
  const { url } = await runtime.runPromise(Other)
  project.provide("databaseUrl", url("postgres"))
  project.provide("sampleSeed", project.getProvidedContext().sampleSeed ?? randomInt(2 ** 31))
  return () => runtime.dispose()
}

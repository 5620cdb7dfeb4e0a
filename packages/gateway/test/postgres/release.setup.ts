import { NodeServices } from "@effect/platform-node"
import { Context, Layer, ManagedRuntime } from "effect"
import type { TestProject } from "vitest/node"
import { fresh, type Server } from "./Postgres.ts"
import type { Release } from "./releases.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** The release on which a project runs the store's tests, when it is not the embedded one. */
    readonly otherRelease?: Release
  }
}

class Other extends Context.Service<Other, Server>()("portico/gateway/test/postgres/Other") {
  static readonly layer = (release: Release) =>
    Layer.effect(Other, fresh(release)).pipe(Layer.provide(NodeServices.layer))
}

/** Each test of the project makes its own database on a server of that release. */
export default async (project: TestProject) => {
  const release = project.getProvidedContext().otherRelease
  if (release === undefined) return
  const runtime = ManagedRuntime.make(Other.layer(release))
  const { url } = await runtime.runPromise(Other)
  project.provide("databaseUrl", url("postgres"))
  return () => runtime.dispose()
}

import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import * as NodeStdio from "@effect/platform-node/NodeStdio"
import * as NodeTerminal from "@effect/platform-node/NodeTerminal"
import { Effect, FileSystem, Layer, Path } from "effect"
import { ChildProcessSpawner, make } from "effect/process/ChildProcessSpawner"

/** Starting processes is rare, and what it needs takes long to load: it is loaded with the first one. */
const spawner = Layer.effect(
  ChildProcessSpawner,
  Effect.gen(function* () {
    const services = yield* Effect.context<FileSystem.FileSystem | Path.Path>()
    const loaded = yield* Effect.cached(
      Effect.flatMap(
        Effect.promise(() => import("@effect/platform-node/NodeChildProcessSpawner")),
        ({ layer }) => Effect.provide(ChildProcessSpawner, Layer.provide(layer, Layer.succeedContext(services)))
      )
    )
    return make((command) => Effect.flatMap(loaded, (_) => _.spawn(command)))
  })
)

/** The parts of Node's services that a command line needs. */
export const nodeServices = Layer.provideMerge(
  spawner,
  Layer.mergeAll(NodeFileSystem.layer, NodePath.layer, NodeStdio.layer, NodeTerminal.layer)
)

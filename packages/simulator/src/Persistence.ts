import { NodeFileSystem } from "@effect/platform-node"
import { Effect, FileSystem, Latch, Layer, Result, Schema } from "effect"
import { dirname } from "node:path"
import { SimulatedCloud } from "./SimulatedCloud.ts"
import { worldOf } from "./Snapshot.ts"
import { makeWorld } from "./World.ts"

/** The file exists and is not a saved cloud. It is left unchanged, because its content may still be needed. */
export class CorruptWorld extends Schema.TaggedError<CorruptWorld>()("CorruptWorld", {
  file: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `${this.file} is not a saved cloud: ${this.reason}. Mend it, or move it away to begin with a new cloud.`
  }
}

/**
 * A cloud that survives its process: loaded from the file when the file exists, and saved soon after every
 * change and at the end.
 */
export const layer = (file: string) =>
  Layer.effect(
    SimulatedCloud,
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const cloud = SimulatedCloud.make(yield* load(file))
      const changed = yield* Latch.make()

      // A rename replaces the old file atomically, so a crash leaves one complete file.
      const save = Effect.suspend(() => files.writeFileString(`${file}.new`, JSON.stringify(cloud.world))).pipe(
        Effect.andThen(files.rename(`${file}.new`, file)),
        Effect.tapCause((cause) => Effect.logError(`cannot save the cloud to ${file}`, cause)),
        Effect.ignore,
        Effect.uninterruptible
      )
      yield* Effect.addFinalizer(() => save)
      yield* changed.await.pipe(
        Effect.andThen(Effect.sleep("100 millis")),
        Effect.andThen(changed.close),
        Effect.andThen(save),
        Effect.forever,
        Effect.forkScoped
      )

      return SimulatedCloud.of({
        ...cloud,
        reset: Effect.andThen(cloud.reset, changed.open),
        advance: (seconds) => Effect.andThen(cloud.advance(seconds), changed.open),
        load: (world) => Effect.andThen(cloud.load(world), changed.open),
        // Saves once at the start, for a call that never answers, and once at the end, for a call that changes state
        // late.
        answer: (call) =>
          call.method === "GET" || call.method === "HEAD"
            ? cloud.answer(call)
            : Effect.andThen(changed.open, Effect.ensuring(cloud.answer(call), changed.open))
      })
    })
  ).pipe(Layer.provide(NodeFileSystem.layer))

const load = Effect.fnUntraced(function* (file: string) {
  const files = yield* FileSystem.FileSystem
  yield* files.makeDirectory(dirname(file), { recursive: true })
  if (!(yield* files.exists(file))) return makeWorld()
  const saved = decodeJson(yield* files.readFileString(file))
  if (Result.isFailure(saved)) return yield* new CorruptWorld({ file, reason: saved.failure.message })
  const world = worldOf(saved.success)
  if (typeof world === "string") return yield* new CorruptWorld({ file, reason: world })
  return world
})

const decodeJson = Schema.decodeUnknownResult(Schema.fromJsonString(Schema.Unknown))

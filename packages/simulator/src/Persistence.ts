import { NodeFileSystem } from "@effect/platform-node"
import { Effect, FileSystem, Latch, Layer, Result, Schema } from "effect"
import { dirname } from "node:path"
import { upgradeCluster } from "./kubernetes/upgrade.ts"
import { SimulatedCloud } from "./SimulatedCloud.ts"
import { makeWorld, type World } from "./World.ts"

/** The file is there, and is not a saved cloud. It is left as it is: what it holds may still be of use. */
export class CorruptWorld extends Schema.TaggedError<CorruptWorld>()("CorruptWorld", {
  file: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `${this.file} is not a saved cloud: ${this.reason}. Mend it, or move it away to begin with a new cloud.`
  }
}

/**
 * A cloud that outlives its process: taken from the file when there is one,
 * and written to it soon after every change and at the end.
 */
export const layer = (file: string) =>
  Layer.effect(
    SimulatedCloud,
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const cloud = SimulatedCloud.make(yield* load(file))
      const changed = yield* Latch.make()

      // The new file takes the old one's place whole, so a crash leaves one or the other.
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
        // Once at the start, for a call whose answer never comes; once at the end, for one that acts late.
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
  const world = completed(saved.success)
  if (typeof world === "string") return yield* new CorruptWorld({ file, reason: world })
  upgradeCluster(world.kubernetes)
  return world
})

const decodeJson = Schema.decodeUnknownResult(Schema.fromJsonString(Schema.Unknown))

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The saved world with the kinds that it does not have yet, or what is wrong with it. */
const completed = (saved: unknown): World | string => {
  if (!isObject(saved)) return "it holds no object"
  const fresh = Object.entries(makeWorld())
  const wrong = fresh.flatMap(([service, kinds]) => {
    const mine = saved[service] ?? {}
    if (!isObject(mine)) return [service]
    return Object.entries(kinds)
      .filter(([kind, value]) => kind in mine && shape(value) !== shape(mine[kind]))
      .map(([kind]) => `${service}.${kind}`)
  })
  if (wrong.length > 0) return `${wrong.join(", ")} is not what it should be`
  const world = Object.fromEntries(
    fresh.map(([service, kinds]) => {
      const mine = saved[service]
      return [service, { ...kinds, ...(isObject(mine) ? mine : {}) }]
    })
  )
  return isWorld(world) ? world : "a system is missing"
}

const shape = (value: unknown): string => (Array.isArray(value) ? "array" : typeof value)

/** Every system is there with every kind; {@link completed} has seen to their shapes. */
const isWorld = (value: object): value is World => Object.keys(makeWorld()).every((service) => service in value)

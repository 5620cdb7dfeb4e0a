import { Context, Effect, Fiber, References, type Scope } from "effect"
import type { RequestIds } from "../requests/RequestId.ts"
import type { OpenCall } from "../streams/OpenCall.ts"
import type { OpenCalls } from "../streams/OpenCalls.ts"

/**
 * Runs effects, each as a fiber of its own, until the scope ends; that
 * interrupts what is still under way. While one goes on, its call is among the
 * open ones. Whatever such a fiber logs carries the ids that it was started
 * under.
 *
 * A `FiberSet` does the same with a JavaScript set. Of one through which
 * thousands of fibers pass in a second V8 leaves outgrown tables behind, and
 * holds all fibers that were in them until its next full collection.
 */
export const runtime = <R = never>(
  calls: OpenCalls["Service"]
): Effect.Effect<
  (effect: Effect.Effect<void, never, R>, ids: RequestIds, call?: OpenCall) => void,
  never,
  R | Scope.Scope
> =>
  Effect.gen(function* () {
    const context = yield* Effect.context<R>()
    const places: Array<Fiber.Fiber<void> | undefined> = []
    const free: Array<number> = []
    let open = true
    yield* Effect.addFinalizer(() => {
      open = false
      return Fiber.interruptAll(places.filter((_) => _ !== undefined))
    })
    return (effect, ids, call) => {
      const start = Effect.runForkWith(Context.add(context, References.CurrentLogAnnotations, { ...ids }))
      const fiber = start(open ? effect : Effect.interrupt)
      if (fiber.pollUnsafe() !== undefined) return
      const place = free.pop() ?? places.length
      places[place] = fiber
      if (call !== undefined) calls.enter(call)
      fiber.addObserver(() => {
        places[place] = undefined
        free.push(place)
        if (call !== undefined) calls.leave(call)
      })
    }
  })

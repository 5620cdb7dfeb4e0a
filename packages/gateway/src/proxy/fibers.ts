import { Context, Effect, Fiber, References, type Scope } from "effect"
import type { RequestIds } from "../requests/RequestId.ts"
import type { OpenCall } from "../streams/OpenCall.ts"
import type { OpenCalls } from "../streams/OpenCalls.ts"

/**
 * Runs each effect in its own fiber until the scope ends, which interrupts the running ones. While a fiber runs, its
 * call is among the open calls. Its log lines carry the ids that it was started with.
 *
 * A `FiberSet` does the same with a JavaScript set. With thousands of fibers a second V8 leaves outgrown hash tables
 * behind, which keep all fibers that were in them until the next full collection.
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
    const slots: Array<Fiber.Fiber<void> | undefined> = []
    const free: Array<number> = []
    let open = true
    yield* Effect.addFinalizer(() => {
      open = false
      return Fiber.interruptAll(slots.filter((_) => _ !== undefined))
    })
    return (effect, ids, call) => {
      const start = Effect.runForkWith(Context.add(context, References.CurrentLogAnnotations, { ...ids }))
      const fiber = start(open ? effect : Effect.interrupt)
      if (fiber.pollUnsafe() !== undefined) return
      const slot = free.pop() ?? slots.length
      slots[slot] = fiber
      if (call !== undefined) calls.enter(call)
      fiber.addObserver(() => {
        slots[slot] = undefined
        free.push(slot)
        if (call !== undefined) calls.leave(call)
      })
    }
  })

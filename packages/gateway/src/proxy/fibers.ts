import { Context, Effect, Fiber, References, type Scope } from "effect"
import type { RequestIds } from "../requests/RequestId.ts"
import type { OpenCall } from "../streams/OpenCall.ts"
import type { OpenCalls } from "../streams/OpenCalls.ts"

/** What serves calls until the scope ends. While a call is served, it is among the open calls. */
export interface Runtime<R> {
  /**
   * Runs an effect in its own fiber, which is interrupted when the scope ends. Its log lines carry the ids that it was
   * started with.
   */
  run(effect: Effect.Effect<void, never, R>, ids: RequestIds, call?: OpenCall): void
  /**
   * Enters a call that is served without a fiber.
   *
   * @param interrupt called when the scope ends, while effects can still be run
   * @returns leaves again
   */
  enter(call: OpenCall, interrupt: () => void): () => void
}

/**
 * Serves calls until the scope ends.
 *
 * A `FiberSet` does the same with a JavaScript set. With thousands of fibers a second V8 leaves outgrown hash tables
 * behind, which keep all fibers that were in them until the next full collection.
 */
export const runtime = <R = never>(calls: OpenCalls["Service"]): Effect.Effect<Runtime<R>, never, R | Scope.Scope> =>
  Effect.gen(function* () {
    const context = yield* Effect.context<R>()
    const slots: Array<Fiber.Fiber<void> | (() => void) | undefined> = []
    const free: Array<number> = []
    let open = true
    yield* Effect.addFinalizer(() => {
      for (const held of slots) if (typeof held === "function") held()
      open = false
      return Fiber.interruptAll(slots.filter((_) => Fiber.isFiber(_)))
    })
    const enter = (call: OpenCall, interrupt: () => void) => {
      const slot = free.pop() ?? slots.length
      slots[slot] = interrupt
      calls.enter(call)
      if (!open) call.breakOff()
      return () => {
        slots[slot] = undefined
        free.push(slot)
        calls.leave(call)
      }
    }
    const run: Runtime<R>["run"] = (effect, ids, call) => {
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
    return { enter, run }
  })

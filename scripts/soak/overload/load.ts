import { Effect } from "effect"
import { fork } from "node:child_process"
import { join } from "node:path"

export interface Target {
  readonly host: string
  readonly port: number
  readonly ca: ReadonlyArray<string>
}

export interface Load {
  readonly targets: ReadonlyArray<Target>
  /** Of one caller of each tenant. */
  readonly tokens: ReadonlyArray<string>
  readonly path: string
  /** Milliseconds after which a client has given up: a later answer is none. */
  readonly deadline: number
}

export type Asked =
  | { readonly kind: "begin"; readonly load: Load }
  /** So many calls at once, each after the answer to the one before. */
  | { readonly kind: "closed"; readonly atOnce: number; readonly milliseconds: number }
  /** So many calls a second, split between the tenants, whether those before were answered or not. */
  | {
      readonly kind: "open"
      readonly perSecond: number
      readonly milliseconds: number
      readonly parts: ReadonlyArray<number>
    }

/** Times in milliseconds, of the good answers: 200, and before the deadline. */
export interface Sent {
  readonly tenants: ReadonlyArray<{
    readonly sent: number
    readonly good: number
    /** Answered with anything else. */
    readonly refused: number
    readonly p50: number
    readonly p95: number
    readonly p99: number
  }>
  /** Of a quarter of a second each. */
  readonly spans: ReadonlyArray<Span>
  /** CPUs that the sender itself took. */
  readonly cpu: number
}

export interface Span {
  readonly sent: number
  readonly good: number
  readonly p95: number
}

/** What sends the load: a process of its own, while the scope is open. */
export const sender = Effect.fnUntraced(function* (load: Load) {
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => fork(join(import.meta.dirname, "program.ts"))),
    (child) => Effect.sync(() => void child.kill())
  )
  const ask = (asked: Asked) =>
    Effect.callback<Sent>((resume) => {
      const gone = () => resume(Effect.die(new Error("the sender of the load has ended")))
      child.once("exit", gone)
      child.once("message", (sent: Sent) => {
        child.off("exit", gone)
        resume(Effect.succeed(sent))
      })
      child.send(asked)
    })
  yield* ask({ kind: "begin", load })
  return {
    closed: (atOnce: number, milliseconds: number) => ask({ kind: "closed", atOnce, milliseconds }),
    open: (perSecond: number, milliseconds: number, parts: ReadonlyArray<number>) =>
      ask({ kind: "open", perSecond, milliseconds, parts })
  }
})

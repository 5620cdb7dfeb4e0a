import { Schema } from "effect"

/** What a thread is told when it is made. */
export const ThreadData = Schema.Struct({
  portico: Schema.Struct({
    index: Schema.Int,
    count: Schema.Int,
    allowances: Schema.instanceOf(SharedArrayBuffer),
    slots: Schema.instanceOf(SharedArrayBuffer),
    /** A number that the thread increments while its event loop turns. */
    turns: Schema.instanceOf(SharedArrayBuffer),
    /** Where another thread serves agents; null for the one that does. */
    agent: Schema.NullOr(Schema.String),
    /** Settings that the process has decided, such as the ports. */
    settings: Schema.Record(Schema.String, Schema.String)
  })
})
export type ThreadData = typeof ThreadData.Type

/** What the process asks of a thread. */
export const Asked = Schema.Union([
  Schema.Struct({ kind: Schema.Literal("stop") }),
  /** Whether to take the new connections of threads that are blocked. */
  Schema.Struct({ kind: Schema.Literal("standIn"), on: Schema.Boolean }),
  Schema.Struct({ kind: Schema.Literal("metrics"), round: Schema.Int })
])
export type Asked = typeof Asked.Type

/** What a thread says. */
export const Said = Schema.Union([
  /** Its planes listen. */
  Schema.Struct({ kind: Schema.Literal("listens"), customer: Schema.String, agent: Schema.NullOr(Schema.String) }),
  /** Its metrics as text, for the round that asked for them. */
  Schema.Struct({ kind: Schema.Literal("metrics"), round: Schema.Int, text: Schema.String })
])
export type Said = typeof Said.Type

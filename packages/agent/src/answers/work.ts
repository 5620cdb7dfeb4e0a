import { decodeJson } from "@portico/contract/decodeJson"
import { pauseAfter, type Waiting, workStateOf } from "@portico/contract/waiting"
import { Clock, Duration, Effect, Option } from "effect"
import { Api, type ApiResponse } from "../Api.ts"
import type { Agent } from "../CurrentAgent.ts"
import type { ToolOf } from "./advice.ts"
import type { Report } from "./Answering.ts"
import { knownOperations } from "./operations.ts"
import { visible } from "./visible.ts"
import { spelledOut } from "@portico/contract/spelledOut"

type Json = Readonly<Record<string, unknown>>

/** Work that goes on after the answer of the call that began it. */
export interface Work {
  /** What a model needs in order to ask for the state of the work. */
  readonly ask: {
    readonly tool: string
    readonly arguments: Json
    readonly field: string
    readonly done: ReadonlyArray<string>
    readonly failed: ReadonlyArray<string>
    /** The work is done when the tool answers 404. */
    readonly gone?: true
  }
  readonly waiting: Waiting
  /** The path of the operation that shows the work. */
  readonly path: string
}

/** The work that a call began; undefined when it began none, or when the work is done already. */
export const workOf = (operation: string | undefined, given: Json, body: Json, toolOf: ToolOf): Work | undefined => {
  const waiting = waitingOf(operation)
  if (waiting === undefined) return undefined
  const read = knownOperations.get(waiting.read)
  const tool = toolOf(waiting.read)
  if (read === undefined || tool === undefined) return undefined
  const { done, failed, field, gone } = waiting
  if (done.includes(String(body[field]))) return undefined
  const keys = [...read.path.matchAll(/:(\w+)/g)].map(([, key = ""]) => key)
  // The reading operation's path parameters are fields of the answer, or else arguments of the call.
  const named = Object.fromEntries(keys.map((key) => [key, body[key] ?? given[key]]))
  if (Object.values(named).some((_) => _ === undefined)) return undefined
  const path = keys.reduce((text, key) => text.replace(`:${key}`, encodeURIComponent(String(named[key]))), read.path)
  return {
    ask: { tool, arguments: visible(named), field, done, failed, ...(gone === undefined ? {} : { gone }) },
    waiting,
    path
  }
}

/** How a caller waits for the work that an operation begins; undefined when it begins none. */
export const waitingOf = (operation: string | undefined): Waiting | undefined =>
  operation === undefined ? undefined : knownOperations.get(operation)?.waiting

/** The state of the work at one look. */
export interface Stand {
  /** `running` at the end of a wait: the time was over first. `unknown`: the tool could not read the state. */
  readonly state: "done" | "failed" | "running" | "unknown"
  /** The last answer of the reading operation that had the state. */
  readonly last: Json | undefined
}

/** The longest wait: with a client that gets reports of progress, and with one that ends its call after a minute. */
const longest = { reported: Duration.minutes(10), silent: Duration.seconds(45) }

/** Reads the state until the work is done or has failed, for a bounded time. An interruption does not stop the work. */
export const awaited = Effect.fn("agent.awaited")(function* (agent: Agent, work: Work, report: Report | undefined) {
  const api = yield* Api
  const began = yield* Clock.currentTimeMillis
  const most = Duration.toMillis(report === undefined ? longest.silent : longest.reported)
  let last: Json | undefined
  for (let read = 1; ; read += 1) {
    const elapsed = (yield* Clock.currentTimeMillis) - began
    if (elapsed >= most) return { state: "running", last } satisfies Stand
    yield* Effect.sleep(Math.min(pauseAfter(read), most - elapsed))
    const response = yield* api.call(agent, { method: "GET", path: work.path })
    const stand = standOf(response, work.waiting, last)
    last = stand.last
    if (stand.state !== "running") return stand
    if (report !== undefined) {
      const seconds = Math.round(((yield* Clock.currentTimeMillis) - began) / 1_000)
      yield* report(seconds, messageOf(stand, work.waiting, seconds))
    }
  }
})

const standOf = ({ body, status }: ApiResponse, waiting: Waiting, last: Json | undefined): Stand => {
  const read = workStateOf({ status, body: Option.getOrUndefined(decodeJson(body)) }, waiting)
  switch (read.state) {
    case "gone":
      return { state: "done", last: undefined }
    case "unread":
      return { state: "running", last }
    case "unreadable":
      return { state: "unknown", last }
    default:
      return { state: read.state, last: read.view }
  }
}

const messageOf = ({ last }: Stand, { field }: Waiting, seconds: number): string =>
  last === undefined
    ? `not seen yet, after ${seconds} s`
    : `${field} is '${spelledOut(String(last[field]))}' after ${seconds} s`

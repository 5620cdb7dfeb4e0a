import { Effect, FileSystem, Schema } from "effect"
import { join } from "node:path"
import { request } from "undici"
import { installed, onNode, outputOf, ProcessFailed } from "./processes.ts"

/** What the generator is told to send, over and over. */
export interface Load {
  readonly url: string
  readonly method: "GET" | "POST"
  readonly headers: Readonly<Record<string, string>>
  readonly seconds: number
  /** A file with the body. */
  readonly bodyFile?: string
  /** A file with a token a line: each request brings the next one. */
  readonly tokensFile?: string
}

export const connections = 32

export interface Generator {
  readonly name: string
  /** Where wrk is. */
  readonly wrk: string | undefined
  readonly cpus: string | undefined
}

/** `wrk` where it is installed; else autocannon, which is slower and tells latencies in whole milliseconds. */
export const generatorOn = Effect.fnUntraced(function* (cpus: string | undefined) {
  const wrk = yield* installed("wrk")
  return { name: wrk === undefined ? "autocannon" : "wrk", wrk, cpus } satisfies Generator
})

const Line = Schema.fromJsonString(
  Schema.Struct({
    requests: Schema.Finite,
    seconds: Schema.Finite,
    p50_ms: Schema.Finite,
    p99_ms: Schema.Finite,
    failed: Schema.Finite
  })
)

/** Requests a second, and milliseconds that half and all but one in a hundred of them took at most. */
export interface Loaded {
  readonly requests: number
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
}

/** Sends the load. One request that fails is a failure of the whole: what is measured then is something else. */
export const sent = Effect.fnUntraced(function* ({ cpus, name, wrk }: Generator, load: Load) {
  const said = yield* outputOf({ name, cpus, ...(wrk === undefined ? autocannon(load) : onWrk(wrk, load)) })
  const failure = (what: string) => new ProcessFailed({ program: `${name} ${load.url}`, what, said })
  const line = yield* Effect.mapError(Schema.decodeUnknownEffect(Line)(said.trim().split("\n").at(-1)), () =>
    failure("measured nothing")
  )
  if (line.failed > 0 || line.requests === 0) {
    return yield* failure(`saw ${line.failed} requests fail; one more of them ${yield* oneOf(load)}`)
  }
  return {
    requests: line.requests,
    perSecond: line.requests / line.seconds,
    p50: line.p50_ms,
    p99: line.p99_ms
  } satisfies Loaded
})

/** What such a request gets, in words. */
const oneOf = Effect.fnUntraced(function* ({ bodyFile, headers, method, url }: Load) {
  const fs = yield* FileSystem.FileSystem
  const body = bodyFile === undefined ? null : yield* fs.readFile(bodyFile)
  return yield* Effect.promise(() =>
    request(url, { method, headers, body }).then(
      async (answer) => `is answered ${answer.statusCode}: ${await answer.body.text()}`,
      (error: unknown) => `breaks off: ${String(error)}`
    )
  )
})

const onWrk = (wrk: string, { bodyFile = "-", headers, method, seconds, tokensFile = "-", url }: Load) => ({
  command: wrk,
  args: [
    "-t1",
    `-c${connections}`,
    `-d${seconds}s`,
    ...Object.entries(headers).map(([name, value]) => `-H${name}: ${value}`),
    `-s${join(import.meta.dirname, "wrk.lua")}`,
    url,
    "--",
    method,
    bodyFile,
    tokensFile
  ]
})

const autocannon = (load: Load) =>
  onNode("scripts/bench/proxy/programs/autocannon.ts", [JSON.stringify({ ...load, connections })])

import type { Event } from "@portico/contract/Events"
import { Bus } from "@portico/domain/events/Bus"
import { Server } from "@portico/simulator/Server"
import { gatewaySettings } from "@portico/simulator/settings"
import { settle } from "@portico/testing/clock"
import { Clock, DateTime, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { randomUUID } from "node:crypto"
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Cast } from "../../../gateway/test/harness/Cast.ts"
import { TestGateway } from "../../../gateway/test/harness/TestGateway.ts"
import { lineTo } from "../../../client/test/Line.ts"
import { type Around, commandLine } from "../harness/commandLine.ts"

const settings = Effect.map(Server, ({ url }) => ({ ...gatewaySettings(url), DELIVERIES_SECONDS: "0.2" }))

/** A gateway that delivers to webhooks, and those who call it. */
export const Everything = Cast.layer.pipe(
  Layer.provideMerge(TestGateway.layerOf(settings)),
  Layer.provideMerge(TestGateway.cloud)
)

/** Something happens to acme; the answer is the event. */
export const happens = Effect.fnUntraced(function* (more: Partial<Event> = {}) {
  const { acme } = yield* Cast
  const event: Event = {
    id: randomUUID(),
    topic: "alarms",
    kind: "alarm.state_changed",
    at: DateTime.formatIso(yield* DateTime.now),
    key: "alm-1",
    project_id: acme.projectId,
    data: { words: "Grüße" },
    ...more
  }
  yield* (yield* Bus).publish([event])
  return event
})

/** A folder of the test's own. */
export const folder = (): string => mkdtempSync(join(tmpdir(), "portico-cli-events-"))

/** A machine with a folder for state, where acme is signed in. */
export const machine = Effect.fnUntraced(function* (address?: string) {
  const { url } = yield* TestGateway
  const { acme } = yield* Cast
  const state = folder()
  const env = { PORTICO_URL: address ?? url.customer, PORTICO_TOKEN: acme.tokens[2], XDG_STATE_HOME: state }
  const run = (args: ReadonlyArray<string>, around: Around = {}) => commandLine(args, { env, ...around })
  /** Runs until it is interrupted. */
  const start = Effect.fnUntraced(function* (args: ReadonlyArray<string>, columns?: number) {
    const written = { stdout: "", stderr: "" }
    const around = columns === undefined ? { written } : { written, columns }
    const fiber = yield* Effect.forkScoped(run(args, around))
    return { fiber, written }
  })
  return { env, state, run, start }
})

/** A line to the gateway that breaks, until the scope ends. */
export const badLine = Effect.gen(function* () {
  const { url } = yield* TestGateway
  return yield* Effect.acquireRelease(
    Effect.promise(() => lineTo(url.customer)),
    (line) => Effect.promise(() => line[Symbol.asyncDispose]())
  )
})

/** Waits for a condition, half a minute at most, so that a failure says which one. */
export const comes = Effect.fnUntraced(function* (condition: () => boolean, what: () => unknown) {
  const end = (yield* Clock.currentTimeMillis) + 30_000
  const pause =
    "adjust" in (yield* Clock.Clock)
      ? Effect.andThen(settle, TestClock.adjust("20 millis"))
      : // oxlint-disable-next-line live/waits -- stories of processes wait on the live clock
        Effect.sleep("20 millis")
  while (!condition()) {
    if ((yield* Clock.currentTimeMillis) > end) return yield* Effect.die(`it did not come: ${String(what())}`)
    yield* pause
  }
})

export const hostile = "\u001b[31mred\u001b[0m \u202egnp.exe\nnext\u0007"

import { PorticoError } from "@portico/client/PorticoError"
import type { EngineInit } from "@portico/client/engine/engine"
import type { Readiness } from "@portico/contract/Health"
import type { Whoami } from "@portico/contract/Identity"
import { Clock, Effect } from "effect"
import { harmless } from "../../output/sanitize.ts"
import type { CliFailure } from "../../CliFailure.ts"
import type { Portico } from "../../Portico.ts"
import { version } from "../../version.ts"
import { lasting } from "../operator/words.ts"
import { failed, type Finding, ok, warning } from "./Check.ts"

type Failure = PorticoError | CliFailure

/** What the gateway says of itself and of the caller. Each is asked for once, however many checks need it. */
export interface Gateway {
  /** Without a token. */
  readonly open: Effect.Effect<Portico, Failure>
  /** With the caller's token. */
  readonly portico: Effect.Effect<Portico, Failure>
  readonly health: Effect.Effect<Greeting, Failure>
  readonly ready: Effect.Effect<Readiness, Failure>
  readonly whoami: Effect.Effect<Whoami, Failure>
}

interface Greeting {
  readonly status: number
  readonly date: number
  /** This machine's time in the middle of the call. */
  readonly at: number
}

/** One attempt: a doctor tells what it meets. */
export const once = { retry: { times: 0 } } as const

/**
 * @param open without a token: what the gateway tells everybody
 * @param portico with the caller's
 */
export const gatewayOf = Effect.fnUntraced(function* (
  open: Effect.Effect<Portico, Failure>,
  portico: Effect.Effect<Portico, Failure>
) {
  const greet = Effect.flatMap(open, ({ use }) =>
    Effect.gen(function* () {
      const began = yield* Clock.currentTimeMillis
      const answer = yield* use(async (_, signal) => {
        const init: EngineInit = { signal, ...once }
        const { headers, status, text } = await _.fetch("/health", init).then(async (_) => ({
          headers: _.headers,
          status: _.status,
          text: await _.text()
        }))
        if (!/"status"/.test(text)) {
          throw new PorticoError("unexpected_response", { detail: "What answers is not the gateway", status })
        }
        return { status, date: Date.parse(headers.get("date") ?? "") }
      })
      const ended = yield* Clock.currentTimeMillis
      return { ...answer, at: (began + ended) / 2 }
    })
  )
  const ready = Effect.flatMap(open, ({ use }) => use((_, signal) => _.health.ready({}, { signal, ...once })))
  const whoami = Effect.flatMap(portico, ({ use }) => use((_, signal) => _.identity.whoami({}, { signal, ...once })))
  return {
    open,
    portico,
    health: yield* Effect.cached(greet),
    ready: yield* Effect.cached(ready),
    whoami: yield* Effect.cached(whoami)
  } satisfies Gateway
})

export const answers = ({ health }: Gateway): Effect.Effect<Finding, Failure> =>
  Effect.map(health, ({ status }) =>
    status === 200
      ? ok("/health: the gateway answers")
      : failed(`/health answers with status ${status}`, "Look into the gateway's log")
  )

/** A clock that is off by more makes tokens and signatures invalid. */
const tolerated = 30_000
const harmful = 300_000

export const clock = ({ health }: Gateway): Effect.Effect<Finding, Failure> =>
  Effect.map(health, ({ at, date }) => {
    if (!Number.isFinite(date)) return warning("The answer has no Date header, so that the clocks cannot be compared")
    // The header has whole seconds.
    const skew = at - (date + 500)
    const off = Math.abs(skew)
    const words = `This machine's clock is ${lasting(off)} ${skew > 0 ? "ahead of" : "behind"} the gateway's`
    const fix = "Set the clock of this machine, or of the gateway's; let both follow a time server"
    if (off > harmful) return failed(words, fix)
    return off > tolerated ? warning(words, fix) : ok("This machine's clock and the gateway's agree")
  })

const numbers = (text: string): ReadonlyArray<number> => text.split(".").map(Number)

/** The document is long, and its version stands in the first line. */
const versionIn = async (answer: Response): Promise<string | undefined> => {
  if (answer.body === null) return undefined
  const reader = answer.body.getReader()
  const decoder = new TextDecoder()
  let text = ""
  while (text.length < 4096) {
    const { done, value } = await reader.read()
    if (done) break
    text += decoder.decode(value, { stream: true })
  }
  await reader.cancel()
  return /"info":\s*\{[^{}]*?"version":\s*"([^"]+)"/.exec(text)?.[1]
}

export const versions = ({ open }: Gateway): Effect.Effect<Finding, Failure> =>
  Effect.gen(function* () {
    const { use } = yield* open
    const found = yield* use(async (_, signal) => {
      const init: EngineInit = { signal, ...once }
      return versionIn(await _.fetch("/openapi.json", init))
    })
    if (found === undefined) return warning("/openapi.json does not say the gateway's version")
    const [major = 0, minor = 0] = numbers(found)
    const [ownMajor = 0, ownMinor = 0] = numbers(version)
    const both = `The gateway's contract is ${harmless(found)}, this command line's ${version}`
    if (major === ownMajor && minor === ownMinor) return ok(both)
    const isNewer = major > ownMajor || (major === ownMajor && minor > ownMinor)
    return warning(
      both,
      isNewer
        ? "Install the command line of the gateway's release: commands of newer routes are missing"
        : "Commands of routes that the gateway does not have end with 404"
    )
  })

export const readiness = ({ ready }: Gateway): Effect.Effect<Finding, Failure> =>
  Effect.map(ready, ({ components, status }) => {
    const plane = components === undefined ? "customer plane" : "operator plane"
    if (status === "ready") return ok(`/health/ready: the ${plane} is ready`)
    const words = `/health/ready: the ${plane} is degraded`
    return warning(
      words,
      components === undefined ? "Some operations fail: see 'portico status'" : "See the systems below"
    )
  })

export const identity = ({ whoami }: Gateway): Effect.Effect<Finding, Failure> =>
  Effect.map(whoami, (_) => {
    const who = [_.user_name, _.credential_label ?? "", _.user_id].find((name) => name !== "") ?? ""
    const where = _.all_projects
      ? "a platform administrator"
      : _.tenant === null
        ? "without a tenant here"
        : `in ${_.tenant.name === "" ? _.tenant.id : _.tenant.name}`
    const about = `${harmless(who)}, ${harmless(where)}, tier ${_.tier}`
    return _.all_projects || _.tenant !== null
      ? ok(about)
      : warning(about, "A platform administrator works on the operator plane; everybody else needs a tenant")
  })

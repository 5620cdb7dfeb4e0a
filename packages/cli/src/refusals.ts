import { PorticoError } from "@portico/client/PorticoError"
import { Effect, Predicate } from "effect"
import { debuglog } from "node:util"
import { CliFailure } from "./CliFailure.ts"
import type { Exit } from "./ExitCode.ts"
import { harmless, harmlessLines } from "./output/sanitize.ts"
import { sentence } from "./output/sentence.ts"
import type { OutputFailed } from "./Screen.ts"
import { TokenSource } from "./session/TokenSource.ts"

/** The client's own failures; the rest is decided by the status. */
const ownExits: Readonly<Record<string, Exit>> = {
  gave_up: "timedOut",
  work_failed: "platform",
  unreachable: "platform",
  // Whatever its status: it is not the gateway that speaks.
  unexpected_response: "platform",
  login_failed: "notSignedIn"
}

/** What a failure means to a script. */
export const exitOf = (failure: PorticoError | CliFailure): Exit => {
  if (!(failure instanceof PorticoError)) return failure.exit
  const { code, status } = failure
  const own = ownExits[code]
  if (own !== undefined) return own
  if (status === 401) return "notSignedIn"
  if (status === 404) return "notFound"
  return status >= 400 && status < 500 ? "refused" : "platform"
}

/** Where the catalogue speaks of calls, and a command does it. */
const commands: Readonly<Record<string, string>> = {
  validation_error: "Correct what is named; --help says what is allowed.",
  missing_authorization: "Log in with 'portico login'.",
  token_inactive: "Log in again with 'portico login'.",
  login_failed: "Log in again with 'portico login'.",
  credential_expired: "Log in again with 'portico login', or use another credential.",
  credential_revoked: "Log in again with 'portico login', or use another credential.",
  tier_too_low:
    "Log in with a credential of that tier: 'portico whoami' shows the present one, 'portico login' changes it.",
  unreachable: "See whether address and network are right: 'portico doctor' looks at each step.",
  unexpected_response: "See whether the address is that of the gateway: 'portico doctor' looks at each step."
}

const another = "Set PORTICO_TOKEN to another token, or unset it and log in with 'portico login'."

/** The same where the token is that of PORTICO_TOKEN: a login changes nothing while it is set. */
const ofVariable: Readonly<Record<string, string>> = {
  token_inactive: another,
  credential_expired: another,
  credential_revoked: another,
  tier_too_low: "Set PORTICO_TOKEN to one of that tier, or unset it and log in with 'portico login'."
}

/** Values of headers, tokens, and users in addresses, which a message of the network's libraries may repeat. */
const secretParts: ReadonlyArray<readonly [RegExp, string]> = [
  [/"[^"]*"(?= is an invalid header value)/gi, "The credential"],
  [/\b(Bearer|Basic) (?!token)[^\s"',]{8,}/gi, "$1 …"],
  [/\/\/[^/\s@]+@/g, "//…@"]
]

const withoutSecrets = (text: string): string =>
  secretParts.reduce((text, [part, shown]) => text.replaceAll(part, shown), text)

/** `--size-gb`, `<engine>`, `--rules [0].port`: the place of an error, as the command line has it. */
const placeOf = (loc: ReadonlyArray<string | number>): string => {
  const [part, field, ...below] = loc
  if (field === undefined) return String(part ?? "request")
  const rest = below.map((_) => (typeof _ === "number" ? `[${_}]` : `.${_}`)).join("")
  if (part === "path") return `<${field}>`
  if (part === "header") return `header ${field}`
  const flag = `--${String(field).replaceAll("_", "-")}`
  return rest === "" ? flag : `${flag} ${rest}`
}

const issueLines = ({ issues }: PorticoError): ReadonlyArray<string> =>
  issues.map(({ loc, msg }) => `  ${harmless(placeOf(loc))}: ${harmless(withoutSecrets(msg))}`)

const numbers = (row: unknown): string | undefined => {
  if (!Predicate.isObject(row)) return undefined
  const { limit, remaining, requested, used } = row
  return `asked for ${String(requested)}, ${String(used)} of ${String(limit)} in use, ${String(remaining)} left`
}

const namesIn = (value: unknown): string =>
  Array.isArray(value) ? value.map((_) => harmless(String(_))).join(", ") : ""

/** What the bodies of some failures have beside words. */
const bodyLines = (body: unknown): ReadonlyArray<string> => {
  if (!Predicate.isObject(body)) return []
  const { admission, applied, ceiling, left } = body
  const room = numbers(ceiling)
  const dimensions =
    Predicate.isObject(admission) && Array.isArray(admission["dimensions"]) ? admission["dimensions"] : []
  return [
    ...(room === undefined ? [] : [`  ${room}`]),
    ...dimensions.flatMap((_: unknown) =>
      Predicate.isObject(_) ? [`  ${harmless(String(_["dimension"]))}: ${numbers(_) ?? ""}`] : []
    ),
    ...(namesIn(applied) === "" ? [] : [`Done before, and kept: ${namesIn(applied)}.`]),
    ...(namesIn(left) === "" ? [] : [`Not undone yet, and tried again by the platform: ${namesIn(left)}.`])
  ]
}

/** What to do comes from the catalogue of the contract; it is loaded when something was refused. */
const adviceOf = (code: string): Effect.Effect<string | undefined> =>
  commands[code] === undefined
    ? Effect.map(
        Effect.promise(() => import("./advice/advice.ts")),
        ({ advice }) => (Object.hasOwn(advice, code) ? advice[code] : undefined)
      )
    : Effect.succeed(commands[code])

/** Whether the refusal itself names the command that the advice names. */
const saysHow = (said: string, advised: string): boolean => {
  const [command] = /'portico \w+/.exec(advised) ?? []
  return command !== undefined && said.includes(command)
}

/**
 * What a person reads: the refusal, its numbers, what to do, its code, and the
 * id that an operator finds in the log.
 *
 * It is words on standard error in every form of output, as of gh and az:
 * standard output has results alone, and a script decides by the exit code.
 */
export const wordsOf = Effect.fnUntraced(function* (failure: PorticoError | CliFailure) {
  if (!(failure instanceof PorticoError)) {
    return [failure.message, failure.hint]
      .filter((_) => _ !== undefined)
      .map((_) => harmlessLines(withoutSecrets(_.includes("\n") ? _ : sentence(_))))
      .join("\n")
  }
  const { body, code, detail, issues, requestId, retryAfter } = failure
  const { current } = yield* TokenSource
  // The catalogue speaks of what is left of the onboarding.
  const isWhole = code === "onboarding_failed" && namesIn(Predicate.isObject(body) ? body["left"] : undefined) === ""
  const own = isWhole ? "Send the request again." : current === undefined ? undefined : ofVariable[code]
  const advised = own ?? (yield* adviceOf(code))
  const said =
    issues.length > 0 ? "The request is not valid:" : sentence(harmless(withoutSecrets(detail === "" ? code : detail)))
  return [
    said,
    ...issueLines(failure),
    ...bodyLines(body),
    ...(advised === undefined || saysHow(said, advised) ? [] : [advised]),
    ...(retryAfter === undefined ? [] : [`Try again in ${retryAfter} s.`]),
    `(${harmless(code)}${requestId === undefined ? "" : `, request ${harmless(requestId)}`})`
  ].join("\n")
})

const systemWords: Readonly<Record<string, string>> = {
  ENOSPC: "no space is left on the device",
  EDQUOT: "the disk quota is used up",
  EIO: "the device has an error"
}

const log = debuglog("portico")

/**
 * What no command expects, such as an answer without what the contract promises. Where it happened is shown with
 * NODE_DEBUG=portico.
 */
export const unexpected = (defect: unknown): CliFailure => {
  log("%s", harmlessLines(withoutSecrets(defect instanceof Error ? (defect.stack ?? "") : String(defect))))
  const reason = harmless(withoutSecrets(defect instanceof Error ? defect.message : String(defect)))
  return new CliFailure({
    exit: "platform",
    message: `The answer of the platform is not one that this command knows: ${reason}`,
    hint: "'portico doctor' looks at the platform. If it is in order, report this with the output of NODE_DEBUG=portico"
  })
}

/** Standard output could not be written; what is there is not whole. */
export const outputFailed = ({ code }: OutputFailed): CliFailure =>
  new CliFailure({ exit: "platform", message: `The output could not be written: ${systemWords[code] ?? code}` })

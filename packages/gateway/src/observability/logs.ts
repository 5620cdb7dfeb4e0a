import { Config, Effect, Formatter, Layer, Logger, Predicate, References, Schema } from "effect"
import { writeLines } from "./outputs.ts"
import { scrubbedIn } from "./scrub.ts"

/** The format of log lines: JSON objects, or text for people. */
export const LogFormat = Schema.Literals(["json", "pretty"])
export type LogFormat = typeof LogFormat.Type

type Structured = typeof Logger.formatStructured extends Logger.Logger<unknown, infer Line> ? Line : never

/** Converts errors and other objects to plain data. Redacted parts stay redacted. */
const plain = (value: unknown): unknown => {
  const text = Formatter.formatJson(value)
  return Predicate.isString(text) ? JSON.parse(text) : value
}

/** The message of a line that was given none: what its cause says first. */
const untitled = (cause: string | undefined): string => cause?.split("\n", 1)[0] || "no message"

/**
 * The fields of a line: `timestamp` (RFC 3339), `level`, `message` (text, never empty; the first part of a message in
 * several parts), `data` (the other parts), `request_id` and `trace_id` (32 hex digits, for lines about a request), further
 * annotations, and `cause`. Everything that looks like a secret is redacted.
 */
const fieldsOf = ({ annotations, cause, level, message, timestamp }: Structured): Readonly<Record<string, unknown>> => {
  const [text, ...data] = Array.isArray(message) ? message : [message]
  const { request_id, trace_id, ...others } = annotations
  const isTitled = Predicate.isString(text) && text.trim() !== ""
  // A log of a cause alone has an absent value for its text.
  const parts = isTitled || Predicate.isNullish(text) || text === "" ? data : [text, ...data]
  const fields = {
    timestamp,
    level,
    request_id,
    trace_id,
    message: isTitled ? text : untitled(cause),
    ...(parts.length > 0 ? { data: parts.length === 1 ? parts[0] : parts } : {}),
    ...(Object.keys(others).length > 0 ? { annotations: others } : {}),
    cause
  }
  const clean = scrubbedIn(plain(fields))
  return Predicate.isObject(clean) ? { ...clean } : { timestamp, level, message: "a line that cannot be written" }
}

const asJson = (line: Structured): string => JSON.stringify(fieldsOf(line))

const asText = (line: Structured): string => {
  const { annotations, cause, data, level, message, request_id, timestamp, trace_id: _ } = fieldsOf(line)
  const id = Predicate.isString(request_id) ? ` ${request_id}` : ""
  const details = [data, annotations].filter((_) => _ !== undefined).map((_) => ` ${JSON.stringify(_)}`)
  const why = Predicate.isString(cause) ? `\n${cause}` : ""
  return `${String(timestamp)} ${String(level)}${id} ${String(message)}${details.join("")}${why}`
}

/** Formats every log entry as text, without a line feed. */
export const lineAs = (format: LogFormat): Logger.Logger<unknown, string> =>
  Logger.map(Logger.formatStructured, format === "json" ? asJson : asText)

/**
 * The log of the process, on standard error, one entry a line, in the format `LOG_FORMAT` and from the level
 * `LOG_LEVEL` on. A line that cannot be written is lost, and counted. A malformed value counts as unset, because the log begins before the check of the settings, which
 * refuses it.
 */
export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const format = yield* Config.schema(LogFormat, "LOG_FORMAT").pipe(
      Config.withDefault("json"),
      Effect.orElseSucceed(() => "json" as const)
    )
    const level = yield* Config.LogLevel("LOG_LEVEL").pipe(
      Config.withDefault("Info"),
      Effect.orElseSucceed(() => "Info" as const)
    )
    return Layer.merge(
      Logger.layer([Logger.map(lineAs(format), (line) => writeLines(`${line}\n`))]),
      Layer.succeed(References.MinimumLogLevel, level)
    )
  })
)

import { Config, Effect, Formatter, Layer, Logger, Predicate, References, Schema } from "effect"
import { scrubbedIn } from "./scrub.ts"

/** How a line is written: an object of JSON, or for people. */
export const LogFormat = Schema.Literals(["json", "pretty"])
export type LogFormat = typeof LogFormat.Type

type Structured = typeof Logger.formatStructured extends Logger.Logger<unknown, infer Line> ? Line : never

/** Plain data: what errors and other objects have to say of themselves, with their redacted parts redacted. */
const plain = (value: unknown): unknown => {
  const text = Formatter.formatJson(value)
  return Predicate.isString(text) ? JSON.parse(text) : value
}

/**
 * What a line holds: `timestamp` (RFC 3339), `level`, `message` (a text; of a
 * message in parts the first), `data` (the other parts), `request_id` and
 * `trace_id` (32 hex digits, where it is about a request), what else was
 * annotated, and `cause`. Nothing in it looks like a secret.
 */
const fieldsOf = ({ annotations, cause, level, message, timestamp }: Structured): Readonly<Record<string, unknown>> => {
  const [text, ...data] = Array.isArray(message) ? message : [message]
  const { request_id, trace_id, ...others } = annotations
  const about = Predicate.isString(text) ? { message: text } : { message: "", data: [text, ...data] }
  const fields = {
    timestamp,
    level,
    request_id,
    trace_id,
    ...about,
    ...(data.length > 0 && Predicate.isString(text) ? { data: data.length === 1 ? data[0] : data } : {}),
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

/** Every line as text, without its line feed. */
export const lineAs = (format: LogFormat): Logger.Logger<unknown, string> =>
  Logger.map(Logger.formatStructured, format === "json" ? asJson : asText)

/**
 * The log of the process: on standard error, a line at a time, in the format
 * `LOG_FORMAT` and from the level `LOG_LEVEL` on.
 */
export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const format = yield* Config.schema(LogFormat, "LOG_FORMAT").pipe(Config.withDefault("json"))
    const level = yield* Config.LogLevel("LOG_LEVEL").pipe(Config.withDefault("Info"))
    return Layer.merge(
      Logger.layer([Logger.withConsoleError(lineAs(format))]),
      Layer.succeed(References.MinimumLogLevel, level)
    )
  })
)

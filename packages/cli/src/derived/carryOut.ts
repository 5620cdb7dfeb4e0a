import { PorticoError } from "@portico/client/PorticoError"
import { Effect, Option, Predicate, Stream } from "effect"
import type { Operation } from "@portico/client/catalogue/Catalogue"
import { commandOf } from "@portico/client/catalogue/names"
import { CliFailure } from "../CliFailure.ts"
import { secretsNote } from "../output/oneTime.ts"
import { Output } from "../output/Output.ts"
import type { CallOptions, Input } from "../Portico.ts"
import { Screen } from "../Screen.ts"
import { portico } from "../Session.ts"
import { isLongOperation, waitFor } from "../waiting/waitFor.ts"
import { columns } from "./columns.ts"
import { confirm } from "./confirm.ts"
import { timeoutIn } from "./duration.ts"
import type { Given } from "./flags.ts"
import { type Request, requestOf } from "./request.ts"
import { skeletonOf } from "./skeleton.ts"
import { pageSizeOf } from "@portico/client/catalogue/slots"

interface Call {
  readonly input: Input
  readonly options: CallOptions
}

/** A body that is a form. */
const formOf = (body: Readonly<Record<string, unknown>>) =>
  new URLSearchParams(Object.entries(body).map(([key, value]) => [key, String(value)]))

const callOf = (operation: Operation, { body, ids, query }: Request, given: Given): Call => {
  const input = { ...ids, ...query }
  const idempotencyKey = Option.getOrUndefined(given.words["idempotencyKey"] ?? Option.none())
  if (body === undefined) return { input, options: { idempotencyKey } }
  if (operation.takes === "form") return { input, options: { idempotencyKey, body: formOf(body) } }
  const headers = { "content-type": "application/json" }
  return { input, options: { idempotencyKey, headers, body: JSON.stringify(body) } }
}

/** What a 404 means on the other plane: the address has no such operation. */
const onItsPlane =
  (operation: Operation) =>
  <E>(failure: E | PorticoError): E | PorticoError | CliFailure => {
    const isMissing = failure instanceof PorticoError && failure.status === 404
    if (!isMissing || operation.planes.includes("customer") || failure.code !== "not_found") return failure
    return new CliFailure({
      exit: "refused",
      message: `'portico ${commandOf(operation.id)}' is for operators, and this address is not an operator plane`,
      hint: "Name the administrative address with --url, or a profile of it with --profile"
    })
  }

/** What a failure without rows says of a list that comes as a whole. */
const rowsIn = (field: string, answer: unknown): ReadonlyArray<unknown> => {
  const rows = Predicate.isObject(answer) ? answer[field] : undefined
  return Array.isArray(rows) ? rows : []
}

/** The rows of a list, page after page, and no more pages than are asked for. */
const listed = Effect.fnUntraced(function* (operation: Operation, field: string, call: Call, given: Given) {
  const { call: ask, rows } = yield* portico
  const limit = Option.getOrUndefined(given.numbers["limit"] ?? Option.none())
  const all =
    operation.pages === true
      ? rows(operation.id, { ...call.input, ...firstPage(operation, limit) }, call.options)
      : Stream.fromIterableEffect(Effect.map(ask(operation.id, call.input, call.options), (_) => rowsIn(field, _)))
  return limit === undefined ? all : Stream.take(all, limit)
})

const firstPage = (operation: Operation, limit: number | undefined) =>
  limit === undefined ? {} : { limit: Math.min(limit, pageSizeOf(operation)) }

const showList = Effect.fnUntraced(function* (operation: Operation, field: string, call: Call, given: Given) {
  const output = yield* Output
  const rows = Stream.mapError(yield* listed(operation, field, call, given), onItsPlane(operation))
  yield* output.rows(rows, { columns: columns[operation.id], empty: `No ${field.replaceAll("_", " ")}` })
})

/** Events or lines, as they come. */
const showStream = Effect.fnUntraced(function* (operation: Operation, call: Call) {
  const { rows } = yield* portico
  const output = yield* Output
  const lines = Stream.mapError(rows(operation.id, call.input, call.options), onItsPlane(operation))
  yield* output.rows(lines, { live: true })
})

const waitedFor = Effect.fnUntraced(function* (operation: Operation, started: unknown, call: Call, given: Given) {
  if (!isLongOperation(operation.id) || given.marks["wait"] !== true) return started
  const timeout = yield* timeoutIn(given.words["timeout"] ?? Option.none())
  return yield* waitFor(operation.id, { ...call.input, ...(Predicate.isObject(started) ? started : {}) }, { timeout })
})

const showResult = Effect.fnUntraced(function* (operation: Operation, call: Call, given: Given) {
  const { call: ask } = yield* portico
  const output = yield* Output
  const { note } = yield* Screen
  const started = yield* Effect.mapError(ask(operation.id, call.input, call.options), onItsPlane(operation))
  const result = yield* waitedFor(operation, started, call, given)
  if (result === undefined) return yield* note(`${operation.summary}: done`)
  const printed = yield* output.printed(result)
  const said = operation.secret === "new" ? secretsNote(result, printed, replacing(operation.id)) : undefined
  if (said !== undefined) yield* note(said)
})

/** Which command replaces a secret that was not shown, by group. */
const rotations: Readonly<Record<string, string>> = {
  credentials: "portico credentials rotate <credential_id>",
  agents: "portico credentials rotate <credential_id>",
  webhooks: "portico webhooks rotate-secret <webhook_id>"
}

const replacing = (operation: string): string => {
  const rotation = rotations[operation.split(".")[0] ?? ""]
  const anew = "without --output name, --fields and --query"
  return rotation === undefined ? `Run the command again ${anew}.` : `Rotate with '${rotation}' ${anew}.`
}

/** What a person types to confirm: the identifier of what goes. */
const nameOf = (operation: Operation, { ids }: Request): string =>
  Object.values(ids).at(-1) ?? operation.id.split(".")[0] ?? ""

/** Whether the call itself says by name what goes, as the closing of an account does. */
const isNamed = ({ body, query }: Request): boolean => "confirm" in { ...query, ...body }

/** Carries out an operation for a command line. */
export const carryOut = Effect.fnUntraced(function* (operation: Operation, given: Given) {
  const { print } = yield* Screen
  if (given.marks["skeleton"] === true) return yield* print(JSON.stringify(skeletonOf(operation), undefined, 2))
  const command = `portico ${commandOf(operation.id)}`
  const request = yield* requestOf(operation, given, command)
  yield* timeoutIn(given.words["timeout"] ?? Option.none())
  if (operation.destroys === true && given.marks["yes"] !== true && !isNamed(request)) {
    yield* confirm(operation.summary, nameOf(operation, request))
  }
  const call = callOf(operation, request, given)
  if (operation.stream !== undefined) return yield* showStream(operation, call)
  if (operation.rows !== undefined) return yield* showList(operation, operation.rows, call, given)
  return yield* showResult(operation, call, given)
})

import type { DatabaseDetail, DatabaseRecord } from "@portico/contract/Databases"
import { Effect, Option } from "effect"
import { operationNamed } from "../../catalog/find.ts"
import { CliFailure } from "../../CliFailure.ts"
import { carryOut } from "../../derived/carryOut.ts"
import { timeoutIn } from "../../derived/duration.ts"
import { configOf, type Given } from "../../derived/flags.ts"
import { requestOf } from "../../derived/request.ts"
import { Argument, Command } from "../../effectCli.ts"
import { errFrame, outFrame } from "../../output/Frame.ts"
import { Output } from "../../output/Output.ts"
import { Screen } from "../../Screen.ts"
import { portico } from "../../Session.ts"
import { waitFor } from "../../waiting/waitFor.ts"
import { beganText, readyText, reservationText, type Size } from "./text.ts"

const operation = operationNamed("databases.create")

const argument = (name: string, description: string) =>
  Argument.String(name).pipe(Argument.withDescription(description), Argument.optional)

export const create = Command.make(
  "create",
  {
    engine: argument("engine", "postgres or kafka; or --engine"),
    name: argument("name", "The name of the database, which never changes; or --name"),
    fields: configOf(operation, { needsIds: false })
  },
  Effect.fnUntraced(function* ({ engine, fields, name }) {
    const given = yield* named(yield* named(fields, "engine", engine), "name", name)
    if (given.marks["skeleton"] === true) return yield* carryOut(operation, given)
    const timeout = yield* timeoutIn(given.words["timeout"] ?? Option.none())
    const { body = {} } = yield* requestOf(operation, given, "portico databases create")
    const { call, use } = yield* portico
    const { show } = yield* Output
    const frame = yield* outFrame
    if (isSize(body)) yield* reservation(body)
    const idempotencyKey = Option.getOrUndefined(given.words["idempotencyKey"] ?? Option.none())
    const started = yield* call(operation.id, body, { idempotencyKey })
    if (!isDatabase(started)) return yield* show(started)
    if (given.marks["wait"] !== true) return yield* show(started, { text: () => beganText(started, frame) })
    const key = { engine: started.engine, name: started.name }
    yield* waitFor("databases.create", key, { timeout, what: `Database ${key.engine}/${key.name}` })
    const ready: DatabaseDetail = yield* use((_, signal) => _.databases.show(key, { signal }))
    yield* show(ready, { text: () => readyText(ready, frame) })
  })
).pipe(
  Command.withShortDescription("Create a database, and wait for it with --wait"),
  Command.withDescription(
    `${operation.summary}.\n\nMakes a PostgreSQL or Kafka database. It takes minutes until the database is ready: --wait shows how far it is, ` +
      "and ends with how to connect. The password is never shown here."
  ),
  Command.withExamples([
    {
      command: "portico databases create postgres orders --version 17 --size-gb 10 --backup.enabled --wait",
      description: "A PostgreSQL with backups, until it is ready"
    },
    {
      command: "portico databases create kafka events --version 4.3.1 --size-gb 20",
      description: "A Kafka, without waiting"
    }
  ])
)

/** An argument is the same as the flag of the field. */
const named = Effect.fnUntraced(function* (given: Given, flag: string, value: Option.Option<string>) {
  if (Option.isNone(value)) return given
  if ((given.texts[flag] ?? []).length > 0) {
    return yield* new CliFailure({ exit: "usage", message: `<${flag}> and --${flag} are the same; give one of them` })
  }
  return { ...given, texts: { ...given.texts, [flag]: [value.value] } }
})

const isSize = (body: object): body is Size => "size_gb" in body && typeof body.size_gb === "number"

const isDatabase = (value: unknown): value is DatabaseRecord =>
  typeof value === "object" && value !== null && "engine" in value && "name" in value && "status" in value

/** Tells a person what the database takes. What cannot be read in time is not told. */
const reservation = Effect.fnUntraced(function* (size: Size) {
  const { err, note } = yield* Screen
  if (!err.isTerminal) return
  const { use } = yield* portico
  const { columns } = yield* errFrame
  const quotas = yield* use((_, signal) => _.quotas.show({}, { signal })).pipe(
    Effect.timeout("3 seconds"),
    Effect.option
  )
  if (Option.isSome(quotas)) yield* note(reservationText(size, quotas.value, columns))
})

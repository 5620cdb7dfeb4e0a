import { Schema } from "effect"
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"

/** Where scripts/parts/cloudnativepg.sh puts it. */
const part = "/opt/portico-parts/cloudnativepg"

/** Whether the part is here: its stamp is written when everything is. */
export const isHere = existsSync(`${part}/stamp`)

/** The name that a story has without the part, so that nobody takes it for passed. */
export const named = (title: string): string =>
  isHere ? title : `${title}: NOT RUN, scripts/parts/cloudnativepg.sh HAS NOT RUN`

/** What the operator is asked: see scripts/parts/cloudnativepg/main.go. */
export type Question =
  | { readonly cluster: unknown }
  | { readonly scheduled: unknown; readonly now: string }
  | { readonly catalog: { readonly backups_list: ReadonlyArray<object> }; readonly target: string }

const Reading = Schema.Struct({
  /** The refusal of its webhook, or of its parser. */
  refused: Schema.optionalKey(Schema.String),
  /** What it adds to PostgreSQL's configuration. */
  recovery: Schema.optionalKey(Schema.String),
  /** The job that recovers, and what the API server has against the host name of its pod. */
  job: Schema.optionalKey(Schema.Struct({ name: Schema.String, hostname: Schema.NullOr(Schema.Array(Schema.String)) })),
  next: Schema.optionalKey(Schema.String),
  first: Schema.optionalKey(Schema.String),
  backup: Schema.optionalKey(Schema.String)
})

/** What it answers. */
export type Reading = typeof Reading.Type

const decode = Schema.decodeSync(Schema.fromJsonString(Reading))

/** The operator's reading of each question, in their order. */
export const readingsOf = (questions: ReadonlyArray<Question>): ReadonlyArray<Reading> => {
  const input = questions.map((_) => `${JSON.stringify(_)}\n`).join("")
  const { status, stderr, stdout } = spawnSync(`${part}/reading`, { input, encoding: "utf8", maxBuffer: 2 ** 26 })
  if (status !== 0) throw new Error(`${part}/reading ended with ${status}: ${stderr}`)
  return stdout
    .trimEnd()
    .split("\n")
    .map((_) => decode(_))
}

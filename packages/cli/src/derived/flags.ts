import type { Option } from "effect"
import type { Field, Operation } from "@portico/client/catalogue/Catalogue"
import { kebabCase } from "@portico/client/catalogue/names"
import { Argument, Flag } from "../effectCli.ts"
import { all as globalFlags } from "../globalFlags.ts"
import { timeout } from "./duration.ts"
import { type Slot, slotsOf } from "@portico/client/catalogue/slots"

// The flags and arguments of an operation. They take texts; values are read from them with the operation at hand, so
// that everything that is wrong is said at once, and in the same words for files.

const byName = <A>(entries: ReadonlyArray<readonly [string, A]>): Readonly<Record<string, A>> =>
  Object.fromEntries(entries)

const sentence = (text: string): string => (text === "" || /[.!?:)]$/.test(text) ? text : `${text}.`)

const typeName = (slot: Slot): string => {
  const { field } = slot
  if (slot.kind === "file") return "path|-"
  const one = slot.kind === "many" ? (field.items ?? field) : field
  if (one.values !== undefined) {
    const names = one.values.map(([value]) => String(value)).join("|")
    return names.length <= 40 ? names : "choice"
  }
  return one.type === "list" || one.type === "object" ? "json|@file" : one.type
}

const meaningsOf = (field: Field): string => {
  const { values } = field.items ?? field
  if (values === undefined) return ""
  const lines = values.map(([value, meaning]) => (meaning === undefined ? `- ${value}` : `- ${value}: ${meaning}`))
  return `\n${lines.join("\n")}`
}

/** The command line's own names that a field takes over for its command. */
const globalNames: ReadonlySet<string> = new Set([...globalFlags.map((_) => _.id), "version"])

/** What help says of a field. */
const wordsOf = ({ field, flag, kind, within }: Slot): string => {
  const required = within === undefined ? "Required." : `Required with other fields of --${within}.`
  const notes = [
    field.required === true ? required : "",
    kind === "many" ? "Repeat it for more values." : "",
    kind === "file" ? "Read from a file or standard input, so that it is not seen among the processes." : "",
    field.default === undefined || /\bDefault: /.test(field.description ?? "")
      ? ""
      : `Default: ${JSON.stringify(field.default)}.`,
    globalNames.has(flag) ? `The global --${flag} stands before the group.` : ""
  ]
  return [sentence(field.description ?? ""), ...notes].filter((_) => _ !== "").join(" ") + meaningsOf(field)
}

const texts = (slot: Slot) =>
  Flag.String(slot.flag).pipe(
    Flag.withMetavar(typeName(slot)),
    Flag.withDescription(wordsOf(slot)),
    // One flag too many is a mistake that is better said than overlooked.
    Flag.between(0, slot.kind === "many" ? Number.MAX_SAFE_INTEGER : 1)
  )

const toggle = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.optional)

/** A switch that takes no value: what follows is the next argument. */
const plain = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withoutNegation, Flag.withDescription(description), Flag.withDefault(false))

const text = (name: string, metavar: string, description: string) =>
  Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(description), Flag.optional)

const words = {
  body: text(
    "body",
    "json|@file|-",
    "The whole body as JSON, from a file or standard input. Flags override its fields."
  ),
  idempotencyKey: text(
    "idempotency-key",
    "key",
    "The gateway carries the call out once under a key. Default: a new one."
  )
}

const marks = {
  skeleton: plain("generate-skeleton", "Print a body with every field, and call nothing."),
  wait: plain("wait", "Wait until the work is done, with a line that shows how far it is."),
  yes: plain("yes", "Do not ask for confirmation.")
}

const limit = Flag.Int("limit").pipe(
  Flag.filter(
    (rows) => rows >= 1,
    () => "1 or more"
  ),
  Flag.withMetavar("rows"),
  Flag.withDescription("The most rows. Default: all, of all pages."),
  Flag.optional
)

/** What an operation has beside its fields, by what it is. */
const ownOf = (operation: Operation) => {
  const hasFields = operation.takes === "json" || operation.takes === "form"
  const waits = operation.waiting !== undefined
  return {
    words: byName([
      ...(hasFields ? [["body", words.body] as const] : []),
      ...(operation.creates === true ? [["idempotencyKey", words.idempotencyKey] as const] : []),
      ...(waits ? [["timeout", timeout] as const] : [])
    ]),
    marks: byName([
      ...(hasFields ? [["skeleton", marks.skeleton] as const] : []),
      ...(waits ? [["wait", marks.wait] as const] : []),
      ...(operation.destroys === true ? [["yes", marks.yes] as const] : [])
    ]),
    numbers: byName(operation.rows === undefined ? [] : [["limit", limit] as const])
  }
}

/** All that a command line can give to an operation. */
export const configOf = (operation: Operation, options: { readonly needsIds: boolean }) => {
  const slots = slotsOf(operation)
  const nullable = slots.filter((_) => _.field.nullable === true)
  const long = slots.filter((_) => _.field.long === true && _.kind === "one")
  return {
    ids: byName(operation.parameters.map((_) => [_.name, argumentOf(_, options.needsIds)])),
    texts: byName(slots.filter((_) => _.kind !== "switch").map((_) => [_.flag, texts(_)])),
    switches: byName(slots.filter((_) => _.kind === "switch").map((_) => [_.flag, toggle(_.flag, wordsOf(_))])),
    files: byName(long.map((_) => [_.flag, text(`${_.flag}-file`, "path|-", `--${_.flag} from a file.`)])),
    nulls: byName(nullable.map((_) => [_.flag, plain(`no-${_.flag}`, `Remove what --${_.flag} sets.`)])),
    ...ownOf(operation)
  }
}

const argumentOf = (field: Field, isNeeded: boolean): Argument.Argument<string> => {
  const described = Argument.String(kebabCase(field.name)).pipe(
    Argument.withDescription(sentence(field.description ?? "") + meaningsOf(field))
  )
  return isNeeded ? described : Argument.withDefault(described, "")
}

type Named<A> = Readonly<Record<string, A>>

/** What the flags and arguments of a command line gave. */
export interface Given {
  readonly ids: Named<string>
  readonly texts: Named<ReadonlyArray<string>>
  readonly switches: Named<Option.Option<boolean>>
  readonly files: Named<Option.Option<string>>
  readonly nulls: Named<boolean>
  readonly words: Named<Option.Option<string>>
  readonly marks: Named<boolean>
  readonly numbers: Named<Option.Option<number>>
}

import type { Field, Shape } from "./Catalogue.ts"
import { kebabCase } from "./names.ts"

const isFlat = (field: Field): boolean => field.type !== "list" && field.type !== "object"

/** Whether the values of a list are given one by one. */
export const isRepeated = ({ items, type }: Field): boolean => type === "list" && items !== undefined && isFlat(items)

/** A field of a query or a body, and the flag that gives it. */
export interface Slot {
  readonly place: "query" | "body"
  /** Where the value stands: `["backup", "enabled"]`. */
  readonly path: ReadonlyArray<string>
  readonly field: Field
  /** `backup.enabled`; of a secret `password-file`. */
  readonly flag: string
  /**
   * `switch`: `--flag` and `--no-flag`. `many`: a flag for each value. `file`:
   * from a file, never as an argument. `one`: the value itself, of lists and
   * objects as JSON or `@file`.
   */
  readonly kind: "switch" | "many" | "file" | "one"
  /** The flags of the optional object that it belongs to: `backup`. */
  readonly within?: string | undefined
}

const kindOf = (field: Field): Slot["kind"] => {
  if (field.secret === true) return "file"
  if (field.type === "boolean") return "switch"
  return isRepeated(field) ? "many" : "one"
}

const slotsIn = (
  place: Slot["place"],
  fields: ReadonlyArray<Field>,
  above: ReadonlyArray<string>,
  within?: string
): ReadonlyArray<Slot> =>
  fields.flatMap((field): ReadonlyArray<Slot> => {
    const path = [...above, field.name]
    const flag = path.map(kebabCase).join(".")
    if (field.fields !== undefined && field.secret !== true) {
      return slotsIn(place, field.fields, path, field.required === true ? within : flag)
    }
    const kind = kindOf(field)
    return [{ place, path, field, kind, within, flag: kind === "file" ? `${flag}-file` : flag }]
  })

/** What pages are read with is the command line's own matter. */
const isPageSize = (operation: Shape, field: Field): boolean => operation.pages === true && field.name === "limit"

/** The fields of an operation that are given by flags. */
export const slotsOf = (operation: Shape): ReadonlyArray<Slot> => [
  ...slotsIn(
    "query",
    operation.query.filter((_) => !isPageSize(operation, _)),
    []
  ),
  ...slotsIn("body", operation.body, [])
]

/** The most rows of one page. */
export const pageSizeOf = (operation: Shape): number =>
  operation.query.find((_) => isPageSize(operation, _))?.most ?? Number.POSITIVE_INFINITY

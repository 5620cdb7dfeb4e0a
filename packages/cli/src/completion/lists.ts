import { catalogue } from "../catalog/catalog.ts"
import type { Field, Operation } from "@portico/client/catalogue/Catalogue"
import { commandOf, kebabCase } from "@portico/client/catalogue/names"

/** The operation whose rows have the values of a parameter. */
export interface List {
  readonly operation: Operation
  /** The parameter, with the contract's name: the field of a row that has its value. */
  readonly field: string
}

const operations = catalogue.groups.flatMap((_) => _.operations)

/** Names that mean another thing below every path. */
const general = new Set(["id", "name", "path", "key"])

const listAt = (path: string): Operation | undefined =>
  operations.find((_) => _.method === "GET" && _.rows !== undefined && _.path === path)

/** `/v1/databases` has the names of `/v1/databases/{engine}/{name}`. */
const listBefore = (path: string, field: string): Operation | undefined => {
  const [before = ""] = path.split(`/{${field}}`, 1)
  if (before === path) return undefined
  const shorter = before.replace(/(\/\{\w+\})+$/, "")
  return listAt(before) ?? listAt(shorter)
}

/** The operation that a command stands for, unless the command is made by hand alone. */
export const operationOf = (command: ReadonlyArray<string>): Operation | undefined =>
  operations.find((_) => commandOf(_.id) === command.join(" "))

/** A parameter or a field by the word that the command line has for it. */
export const fieldOf = (operation: Operation | undefined, word: string): Field | undefined =>
  [...(operation?.parameters ?? []), ...(operation?.query ?? []), ...(operation?.body ?? [])].find(
    (_) => kebabCase(_.name) === word
  )

/** The list with the values of an argument or a flag: of the command's own path, or of any path with that name. */
export const listFor = (operation: Operation | undefined, word: string): List | undefined => {
  const own = operation?.parameters.find((_) => kebabCase(_.name) === word)?.name
  if (operation !== undefined && own !== undefined) {
    const found = listBefore(operation.path, own)
    if (found !== undefined) return { operation: found, field: own }
  }
  const field = fieldOf(operation, word)?.name ?? word.replaceAll("-", "_")
  for (const name of [field, `${field}_id`]) {
    if (general.has(name)) continue
    const found = operations.map((_) => listBefore(_.path, name)).find((_) => _ !== undefined)
    // What stands above it is not known here.
    if (found !== undefined && found.parameters.length === 0) return { operation: found, field: name }
  }
  return undefined
}

/** The only values that a parameter or a field has: its own, or those that another operation of the group has for it. */
export const fixedValues = (operation: Operation | undefined, word: string): Field["values"] => {
  const own = fieldOf(operation, word)?.values
  if (operation === undefined || own !== undefined) return own
  const [group] = operation.id.split(".")
  return operations
    .filter((_) => _.id.startsWith(`${group}.`))
    .map((_) => fieldOf(_, word)?.values)
    .find((_) => _ !== undefined)
}

import { type Arguments, argumentsOf } from "@portico/client/catalogue/arguments"
import type { Field, Operation } from "@portico/client/catalogue/Catalogue"
import { quoted } from "@portico/client/catalogue/shell"

/** A catch-all has its path as it is. */
const isPresent = (operation: Operation) => (field: Field) => operation.example.path[field.name] !== undefined

/** A tenant's command names no project: any other than its own is a 404. */
const isOperators = ({ planes, query }: Operation, key: string): boolean =>
  key === "project_id" && planes.includes("customer") && query.some((_) => _.name === key && _.required !== true)

/** The command line of a recorded request. Undefined where none of the operation is recorded. */
export const exampleOf = (operation: Operation): Arguments | undefined => {
  const { example } = operation
  if (!operation.parameters.every(isPresent(operation))) return undefined
  const ids = Object.fromEntries(operation.parameters.map((_) => [_.name, String(example.path[_.name])]))
  const query = Object.fromEntries(Object.entries(example.query).filter(([key]) => !isOperators(operation, key)))
  const { args, files } = argumentsOf(operation, { ids, query, body: example.body }, { longInFiles: true })
  const raw = operation.takes === "raw" && example.body !== undefined ? ["--body", JSON.stringify(example.body)] : []
  return { args: [...args, ...raw], files }
}

/** As a person types it. */
export const lineOf = ({ args }: Arguments): string => ["portico", ...args.map(quoted)].join(" ")

import { catalogue } from "../../src/catalog/catalog.ts"
import type { Operation } from "@portico/client/catalogue/Catalogue"

export const operations: ReadonlyArray<Operation> = catalogue.groups.flatMap((_) => _.operations)

export const operationNamed = (id: string): Operation => {
  const found = operations.find((_) => _.id === id)
  if (found === undefined) throw new Error(`No operation ${id}`)
  return found
}

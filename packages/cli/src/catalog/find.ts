import { catalogue } from "./catalog.ts"
import type { Group, Operation } from "@portico/client/catalogue/Catalogue"

/** A group that the contract has: its absence is a mistake of ours. */
export const groupNamed = (name: string): Group => {
  const found = catalogue.groups.find((_) => _.name === name)
  if (found === undefined) throw new Error(`The contract has no group '${name}'`)
  return found
}

/** An operation that the contract has, such as `databases.create`. */
export const operationNamed = (id: string): Operation => {
  const found = groupNamed(id.split(".")[0] ?? "").operations.find((_) => _.id === id)
  if (found === undefined) throw new Error(`The contract has no operation '${id}'`)
  return found
}

import { type Finding, warning } from "./Check.ts"

/** The page that says what to do about each kind of difference. */
export const page = "docs/operators/backup.md"

/** So many of a kind are named. */
export const most = 20

/** The first names, and how many more the doctor found. */
const listOf = (names: ReadonlyArray<string>): string =>
  names.length > most ? `${names.slice(0, most).join(", ")} and ${names.length - most} more` : names.join(", ")

/** A warning of one kind of difference, when there is any. */
export const some = (names: ReadonlyArray<string>, what: string, fix: string): ReadonlyArray<Finding> =>
  names.length === 0 ? [] : [warning(`${what}: ${listOf(names)}`, fix)]

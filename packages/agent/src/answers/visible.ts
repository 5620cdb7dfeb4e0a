import { spelledOut } from "@portico/contract/spelledOut"

/** {@link spelledOut} of every string in a JSON value, names of fields included. */
export function visible(value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>
export function visible(value: unknown): unknown
export function visible(value: unknown): unknown {
  if (typeof value === "string") return spelledOut(value)
  if (Array.isArray(value)) return value.map((_) => visible(_))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [spelledOut(name), visible(one)]))
}

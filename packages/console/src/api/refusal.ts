import { PorticoError } from "@portico/client/PorticoError"

/** What a person is told of a call that failed. */
export interface Refusal {
  /** Stable, such as `tier_too_low`. */
  readonly code: string
  readonly status: number
  /** In the words of the gateway, or of the upstream. */
  readonly detail: string
  readonly requestId: string | undefined
  /** By the name of the field. */
  readonly fields: Readonly<Record<string, string>>
  /** The whole body: some refusals carry figures. */
  readonly body: unknown
}

/** The name of a field: `limits.memory` of `["body", "limits", "memory"]`. */
const fieldOf = (loc: ReadonlyArray<string | number>): string => loc.slice(1).join(".")

/** What is wrong with a field, or with an item of it: `to`, `to.0`. */
export const errorUnder = (fields: Refusal["fields"], name: string): string | undefined =>
  fields[name] ?? Object.entries(fields).find(([field]) => field.startsWith(`${name}.`))?.[1]

export const refusalOf = (error: unknown): Refusal => {
  if (error instanceof PorticoError) {
    const { body, code, detail, issues, requestId, status } = error
    return {
      code,
      status,
      detail,
      requestId,
      body,
      fields: Object.fromEntries(issues.map((_) => [fieldOf(_.loc), _.msg]))
    }
  }
  return {
    code: "console_error",
    status: 0,
    detail: error instanceof Error ? error.message : String(error),
    requestId: undefined,
    body: undefined,
    fields: {}
  }
}

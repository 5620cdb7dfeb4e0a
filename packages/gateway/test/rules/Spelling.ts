import type { FailureCode } from "@portico/contract/Failures"

/** A tenant's credential, a person of a tenant, a platform administrator. */
export type Who = "machine" | "person" | "operator"

export const everybody: ReadonlyArray<Who> = ["machine", "person", "operator"]
export const tenants: ReadonlyArray<Who> = ["machine", "person"]

/**
 * One way to write a request, and what becomes of it. Rows are data, so that
 * the same ones go through the rules alone and through a running gateway, at
 * any tier that the method allows and on both planes.
 */
export interface Spelling {
  /** What is special about it. */
  readonly what: string
  readonly who: ReadonlyArray<Who>
  readonly method: string
  /** Below /v1/iaas: `/network/security-group-rules`. */
  readonly path: string
  /** Without its question mark. */
  readonly query?: string
  readonly headers?: Readonly<Record<string, string>>
  /** A value that is sent as JSON, a text too; nothing is sent when it is undefined. */
  readonly body?: unknown
  /** Passed on, whatever the platform answers; or the code of the refusal. */
  readonly expect: "allowed" | FailureCode
}

/** Stands where an id belongs. Nothing has it. */
export const anId = "0d7e5f1c-9a3b-4c58-8e21-6f4b7a90c2d3"

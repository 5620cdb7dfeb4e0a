import type { Waiting } from "@portico/contract/waiting"

/** What the command line and the console know of the contract. All of it can be written as JSON. */
export interface Catalogue {
  readonly groups: ReadonlyArray<Group>
}

export type Plane = "customer" | "operator"

export type Planes = ReadonlyArray<Plane>

export interface Group {
  /** `object-storage` */
  readonly name: string
  readonly title: string
  readonly description: string
  /** The part of the help that lists it, such as `Storage`. */
  readonly section: string
  readonly planes: Planes
  readonly operations: ReadonlyArray<Operation>
}

export interface Operation {
  /** `credentials.mint`, with the contract's names. */
  readonly id: string
  readonly method: string
  /** `/v1/credentials/{credential_id}` */
  readonly path: string
  readonly planes: Planes
  readonly summary: string
  /** Plain text: what it does, and what a caller needs. */
  readonly description: string
  readonly parameters: ReadonlyArray<Field>
  readonly query: ReadonlyArray<Field>
  readonly body: ReadonlyArray<Field>
  /** How a body is sent; absent for an operation without one. `raw`: whatever the service behind the path takes. */
  readonly takes?: "json" | "form" | "raw"
  /** Whether its path goes on with whatever a service behind the gateway has. */
  readonly catchAll?: true
  /** Whether its whole body may be left out. */
  readonly optional?: true
  /** The tier that a credential needs; absent where any caller may. */
  readonly tier?: number
  /** The role that a caller needs beside the tier. */
  readonly role?: "billing" | "platform-administrator"
  /** Whether it is called without a bearer. */
  readonly open?: true
  /** What its response shows. */
  readonly secret?: "new" | "stored" | "grant"
  readonly billed?: true
  /** Whether it takes an `Idempotency-Key`. */
  readonly creates?: true
  /** Whether it is irreversible for what it names. */
  readonly destroys?: true
  readonly waiting?: Waiting
  /** The field of the response with the rows of a list. */
  readonly rows?: string
  /** Whether the rows come in pages. */
  readonly pages?: true
  readonly stream?: "sse" | "ndjson"
  /** How its command differs from its flags: it lists all pages by itself, or has no `--body`. */
  readonly handMade?: "whole-list" | "no-body"
  readonly example: Example
}

/** What a form or a written-out call needs of an operation: no prose but the summary, and no example. */
export type Shape = Omit<Operation, "description" | "example">

export interface Field {
  /** As on the wire. */
  readonly name: string
  readonly type: "string" | "integer" | "number" | "boolean" | "list" | "object"
  readonly description?: string
  readonly required?: true
  /** Whether null is a value, which removes what is there. */
  readonly nullable?: true
  readonly default?: unknown
  /** The only values, with what they mean. */
  readonly values?: ReadonlyArray<readonly [value: string | number, meaning?: string]>
  /** Bounds of a number, of the length of a text, or of the number of items. */
  readonly least?: number
  readonly most?: number
  readonly patterns?: ReadonlyArray<string>
  /** Of a list. */
  readonly items?: Field
  /** Of an object. */
  readonly fields?: ReadonlyArray<Field>
  /** Whether its value is a secret of the caller's. */
  readonly secret?: true
  /** Whether its value is a text of many lines. */
  readonly long?: true
}

/** The recorded request of an operation. */
export interface Example {
  readonly path: Readonly<Record<string, unknown>>
  readonly query: Readonly<Record<string, unknown>>
  readonly body?: unknown
}

import type { Waiting } from "@portico/contract/waiting"

// The parts of an OpenAPI document that the catalogue is made from.

export interface Schema {
  readonly $ref?: string
  readonly type?: string
  readonly description?: string
  readonly default?: unknown
  readonly enum?: ReadonlyArray<string | number>
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly pattern?: string
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: ReadonlyArray<string>
  readonly anyOf?: ReadonlyArray<Schema>
  readonly allOf?: ReadonlyArray<Schema>
}

export interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly description?: string
  readonly schema: Schema
  readonly example?: unknown
}

export interface Content {
  readonly schema?: Schema
  readonly examples?: { readonly recorded?: { readonly value: unknown } }
}

export interface DocumentOperation {
  readonly operationId: string
  readonly tags: ReadonlyArray<string>
  readonly summary: string
  readonly description: string
  readonly parameters?: ReadonlyArray<Parameter>
  readonly requestBody?: {
    readonly required?: boolean
    readonly content: Readonly<Record<string, Content>>
  }
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Content>> }>>
  readonly "x-portico-planes": ReadonlyArray<"customer" | "operator">
  readonly "x-portico-tier"?: number
  readonly "x-portico-role"?: "billing" | "platform-administrator"
  readonly "x-portico-secret"?: "new" | "stored" | "grant"
  readonly "x-portico-billed"?: boolean
  readonly "x-portico-long-running"?: Waiting
}

export interface PathItem {
  readonly parameters?: ReadonlyArray<Parameter>
  readonly [method: string]: DocumentOperation | ReadonlyArray<Parameter> | undefined
}

export interface Document {
  readonly paths: Readonly<Record<string, PathItem>>
  readonly tags: ReadonlyArray<{ readonly name: string; readonly description: string }>
  readonly "x-tagGroups": ReadonlyArray<{ readonly name: string; readonly tags: ReadonlyArray<string> }>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

import type { Field } from "@portico/client/catalogue/Catalogue"
import type { ComponentType } from "react"
import type { Value } from "./draft.ts"

/** What is known of a field by where it is: `body.policies.0.adjustment`. */
export interface About {
  readonly help: (at: string) => string | undefined
  readonly error: (at: string) => string | undefined
}

export interface FieldInputProps {
  readonly field: Field
  /** Where it is: `body.template.image`. */
  readonly at: string
  readonly value: Value
  readonly onChange: (value: Value) => void
  readonly about: About
}

/** Of what holds further fields. */
export interface GroupInputProps extends FieldInputProps {
  readonly Item: ComponentType<FieldInputProps>
}

import type { Field } from "@portico/client/catalogue/Catalogue"
import type { ComponentType } from "react"
import { SelectField, TextArea, TextField } from "../ui/form.tsx"
import { useWords } from "../words/words.ts"
import { isJson, type Value } from "./draft.ts"
import { words } from "./words.ts"

/** What is known of a field by where it is: `body.policies.0.adjustment`. */
interface About {
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

interface ScalarInputProps {
  readonly field: Field
  readonly value: string
  readonly onChange: (text: string) => void
  readonly help: string | undefined
  readonly error: string | undefined
}

const useBounds = ({ least, most, type }: Field): string | undefined => {
  const t = useWords(words)
  const bounds =
    least === undefined
      ? most === undefined
        ? undefined
        : t.atMost(most)
      : most === undefined
        ? t.atLeast(least)
        : t.between(least, most)
  if (bounds === undefined) return undefined
  return type === "string" ? t.characters(bounds) : type === "list" ? t.items(bounds) : t.number(bounds)
}

/** What is said below a field: its prose, and its bounds where that does not name them. */
export const useHelp = (field: Field, prose: string | undefined): string | undefined => {
  const t = useWords(words)
  const bounds = useBounds(field)
  const isSaid = prose?.includes(String(field.most ?? field.least)) === true
  const all = [prose, isSaid ? undefined : bounds, isJson(field) ? t.json : undefined].filter((_) => _ !== undefined)
  return all.length === 0 ? undefined : all.join(" ")
}

/** A text, a number, one of a few values, or yes and no. */
export const ScalarInput = ({ error, field, help: prose, onChange, value }: ScalarInputProps) => {
  const t = useWords(words)
  const help = useHelp(field, prose)
  const same = { label: field.name, value, onChange, error, help, optional: field.required !== true }
  const values = field.type === "boolean" ? ["true", "false"] : field.values?.map(([_]) => String(_))
  if (values !== undefined) {
    const unset = field.default === undefined ? t.leftOut : t.byDefault(String(field.default))
    return (
      <SelectField {...same} choices={[{ value: "", label: unset }, ...values.map((_) => ({ value: _, label: _ }))]} />
    )
  }
  if (field.secret === true) return <TextField {...same} type="password" autoComplete="new-password" />
  if (field.long === true || isJson(field)) return <TextArea {...same} />
  const isNumber = field.type === "integer" || field.type === "number"
  const hint = field.default === undefined ? {} : { placeholder: String(field.default) }
  return <TextField {...same} {...hint} {...(isNumber ? { inputMode: "decimal" as const } : {})} />
}

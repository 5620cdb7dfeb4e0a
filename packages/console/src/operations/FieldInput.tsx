import type { ReactNode } from "react"
import { CheckField } from "../ui/form.tsx"
import { Stack } from "../ui/layout.tsx"
import { useWords } from "../words/words.ts"
import { isJson, textOf } from "./draft.ts"
import { type FieldInputProps, ScalarInput } from "./ScalarInput.tsx"
import { ListInput } from "./ListInput.tsx"
import { ObjectInput } from "./ObjectInput.tsx"
import { words } from "./words.ts"

/** The control of a field, by its type. */
export const FieldInput = (props: FieldInputProps) => {
  const { about, at, field, onChange, value } = props
  if (field.type === "list" && !isJson(field)) return <ListInput {...props} Item={FieldInput} />
  if (field.type === "object" && !isJson(field)) return <ObjectInput {...props} Item={FieldInput} />
  const scalar = (
    <ScalarInput
      field={field}
      value={textOf(value)}
      onChange={(text) => onChange(text === "" ? undefined : text)}
      help={about.help(at)}
      error={about.error(at)}
    />
  )
  return field.nullable === true ? <Nullable {...props}>{scalar}</Nullable> : scalar
}

const Nullable = ({ children, field, onChange, value }: FieldInputProps & { readonly children: ReactNode }) => {
  const t = useWords(words)
  return (
    <Stack tight>
      {value === null ? null : children}
      <CheckField
        label={t.nothing(field.name)}
        checked={value === null}
        onChange={(isNull) => onChange(isNull ? null : undefined)}
      />
    </Stack>
  )
}

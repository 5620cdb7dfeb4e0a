import { Plus, X } from "lucide-react"
import { Button } from "../ui/Button.tsx"
import { Muted, Stack } from "../ui/layout.tsx"
import { useWords } from "../words/words.ts"
import { blanksOf, valuesOf } from "./draft.ts"
import type { GroupInputProps } from "./ScalarInput.tsx"
import styles from "./operations.module.css"
import { words } from "./words.ts"

/** The fields of an object, which is there or left out as a whole. */
export const ObjectInput = ({ about, at, field, Item, onChange, value }: GroupInputProps) => {
  const t = useWords(words)
  const fields = field.fields ?? []
  const help = about.help(at)
  const isOptional = field.required !== true
  if (isOptional && (value === undefined || value === null)) {
    return (
      <div>
        <Button icon={Plus} onClick={() => onChange(blanksOf(fields))}>
          {t.add(field.name)}
        </Button>
      </div>
    )
  }
  const values = valuesOf(value)
  return (
    <fieldset className={styles["group"]}>
      <legend className={styles["legend"]}>{field.name}</legend>
      <Stack>
        {help === undefined ? null : <Muted small>{help}</Muted>}
        {fields.map((one) => (
          <Item
            key={one.name}
            field={field.secret === true ? { ...one, secret: true } : one}
            at={`${at}.${one.name}`}
            value={values[one.name]}
            onChange={(next) => onChange({ ...values, [one.name]: next })}
            about={about}
          />
        ))}
        {isOptional ? (
          <div>
            <Button icon={X} kind="quiet" onClick={() => onChange(undefined)}>
              {t.leaveOut(field.name)}
            </Button>
          </div>
        ) : null}
      </Stack>
    </fieldset>
  )
}

import type { Field } from "@portico/client/catalogue/Catalogue"
import { Plus, X } from "lucide-react"
import { Button, IconButton } from "../ui/Button.tsx"
import { Muted, Row, Stack } from "../ui/layout.tsx"
import { useWords } from "../words/words.ts"
import { blankOf, itemsOf } from "./draft.ts"
import { type GroupInputProps, useHelp } from "./ScalarInput.tsx"
import styles from "./operations.module.css"
import { words } from "./words.ts"

/** One item, named by its place in the list. */
const itemOf = (list: Field, item: Field, index: number): Field => ({
  ...item,
  name: `${list.name} ${index + 1}`,
  required: true,
  ...(list.secret === true ? { secret: true } : {})
})

/** The items of a list, which is left out, empty, or has some. */
export const ListInput = ({ about, at, field, Item, onChange, value }: GroupInputProps) => {
  const t = useWords(words)
  const help = useHelp(field, about.help(at))
  const { items, name } = field
  if (items === undefined) return null
  const all = itemsOf(value)
  const put = (index: number, next: typeof value) => onChange(all.map((_, i) => (i === index ? next : _)))
  const error = about.error(at)
  return (
    <fieldset className={styles["group"]} aria-invalid={error !== undefined || undefined}>
      <legend className={styles["legend"]}>{name}</legend>
      <Stack>
        {error === undefined ? null : <p className={styles["error"]}>{error}</p>}
        {help === undefined ? null : <Muted small>{help}</Muted>}
        {all.map((one, index) => (
          // Items have no identity but their places.
          // oxlint-disable-next-line react/no-array-index-key
          <div className={styles["item"]} key={index}>
            <Item
              field={itemOf(field, items, index)}
              at={`${at}.${index}`}
              value={one}
              onChange={(next) => put(index, next)}
              about={about}
            />
            <IconButton
              icon={X}
              label={t.remove(name, index + 1)}
              onClick={() => onChange(all.filter((_, i) => i !== index))}
            />
          </div>
        ))}
        {value !== undefined && all.length === 0 ? <Muted>{t.empty}</Muted> : null}
        <Row>
          <Button icon={Plus} onClick={() => onChange([...all, blankOf(items)])}>
            {t.add(name)}
          </Button>
          {value === undefined || field.required === true ? null : (
            <Button icon={X} kind="quiet" onClick={() => onChange(undefined)}>
              {t.leaveOut(name)}
            </Button>
          )}
        </Row>
      </Stack>
    </fieldset>
  )
}

import type { Shape } from "@portico/client/catalogue/Catalogue"
import type { Refusal } from "../api/refusal.ts"
import { Card, Muted } from "../ui/layout.tsx"
import { TextField } from "../ui/form.tsx"
import { useWords } from "../words/words.ts"
import { useDescription } from "./catalogue.tsx"
import { type Draft, fieldsOf, type Place, places } from "./draft.ts"
import { FieldInput } from "./FieldInput.tsx"
import { words } from "./words.ts"

interface OperationFormProps {
  readonly shape: Shape
  readonly draft: Draft
  readonly onChange: (draft: Draft) => void
  readonly refusal: Refusal | undefined
  readonly contentType: string
  readonly onContentType: (contentType: string) => void
}

/** The fields of an operation, by where they are sent. */
export const OperationForm = (props: OperationFormProps) => {
  const { contentType, draft, onChange, onContentType, refusal, shape } = props
  const t = useWords(words)
  const prose = useDescription(shape.id)
  const fields = fieldsOf(shape)
  const about = {
    // What is said of a list is said once, above its items.
    help: (at: string) => (/\.\d+$/.test(at) ? undefined : prose?.fields[at.replaceAll(/\.\d+/g, "")]),
    error: (at: string) => refusal?.fields[at.slice(at.indexOf(".") + 1)]
  }
  const put = (place: Place, name: string, value: Draft[Place][string]) =>
    onChange({ ...draft, [place]: { ...draft[place], [name]: value } })
  if (places.every((_) => fields[_].length === 0)) return <Muted>{t.noFields}</Muted>
  return places
    .filter((_) => fields[_].length > 0)
    .map((place) => (
      <Card key={place} title={t[place]}>
        {place === "body" && shape.takes === "raw" ? (
          <TextField label={t.contentType} value={contentType} onChange={onContentType} />
        ) : null}
        {fields[place].map((field) => (
          <FieldInput
            key={field.name}
            field={field}
            at={`${place}.${field.name}`}
            value={draft[place][field.name]}
            onChange={(value) => put(place, field.name, value)}
            about={about}
          />
        ))}
      </Card>
    ))
}

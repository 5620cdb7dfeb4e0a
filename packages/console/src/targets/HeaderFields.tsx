import { Plus, X } from "lucide-react"
import { errorUnder } from "../api/refusal.ts"
import { Button, IconButton } from "../ui/Button.tsx"
import { CheckGroup, Pair, TextField } from "../ui/form.tsx"
import { Row } from "../ui/layout.tsx"
import { useWords } from "../words/words.ts"
import type { Header } from "./draft.ts"
import { words } from "./fieldWords.ts"

interface HeaderFieldsProps {
  readonly headers: ReadonlyArray<Header>
  readonly onChange: (headers: ReadonlyArray<Header>) => void
  readonly help: string
  readonly fields: Readonly<Record<string, string>>
}

/** Headers that each request has. */
export const HeaderFields = ({ fields, headers, help, onChange }: HeaderFieldsProps) => {
  const t = useWords(words)
  const put = (index: number, change: Partial<Header>) =>
    onChange(headers.map((header, i) => (i === index ? { ...header, ...change } : header)))
  return (
    <CheckGroup legend={t.headers} help={help} error={fields["headers"]}>
      {headers.map(({ name, value }, index) => (
        // Headers have no identity but their places.
        // oxlint-disable-next-line react/no-array-index-key
        <Pair key={index}>
          <TextField
            label={t.headerName(index + 1)}
            placeholder="Authorization"
            value={name}
            onChange={(name) => put(index, { name })}
            error={errorUnder(fields, `headers.${index}.name`)}
          />
          <TextField
            label={t.headerValue(index + 1)}
            value={value}
            onChange={(value) => put(index, { value })}
            error={errorUnder(fields, `headers.${index}.value`)}
          />
          <IconButton
            icon={X}
            label={t.removeHeader(index + 1)}
            onClick={() => onChange(headers.filter((_, i) => i !== index))}
          />
        </Pair>
      ))}
      {headers.length >= 10 ? null : (
        <Row>
          <Button icon={Plus} onClick={() => onChange([...headers, { name: "", value: "" }])}>
            {t.addHeader}
          </Button>
        </Row>
      )}
    </CheckGroup>
  )
}

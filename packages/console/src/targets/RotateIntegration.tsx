import { portico } from "../api/portico.ts"
import { useAct } from "../api/useAct.ts"
import { SelectField, TextField } from "../ui/form.tsx"
import { toast } from "../ui/toasts.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useDraft } from "../ui/useDraft.ts"
import { given } from "../ui/useFilter.ts"
import { useWords } from "../words/words.ts"
import { FormDialog } from "./FormDialog.tsx"
import { HeaderFields } from "./HeaderFields.tsx"
import type { Header } from "./draft.ts"
import type { Integration } from "./target.ts"
import { words as fieldWords } from "./fieldWords.ts"
import { words } from "./integrationWords.ts"
import { words as sharedWords } from "./words.ts"

interface RotateDraft {
  readonly url: string
  readonly headers: ReadonlyArray<Header>
  /** In seconds. */
  readonly overlap: string
}

const unchanged: RotateDraft = { url: "", headers: [], overlap: "86400" }

interface RotateFormProps {
  readonly target: Integration
  readonly onClose: () => void
}

/** A new address, new headers, or both. */
const RotateForm = ({ onClose, target: { integration_id, kind } }: RotateFormProps) => {
  const t = useWords(words)
  const { save } = useWords(sharedWords)
  const field = useWords(fieldWords)
  const { draft, set } = useDraft(unchanged)
  const rotate = useAct(portico.integrations.rotateSecret, {
    onDone: () => {
      toast(t.rotated)
      onClose()
    }
  })
  const fields = rotate.refusal?.fields ?? {}
  const isGeneric = kind === "generic"
  const input = {
    integration_id,
    url: isGeneric ? given(draft.url) : draft.url,
    headers: draft.headers.length === 0 ? undefined : draft.headers,
    overlap_seconds: Number(draft.overlap)
  }
  return (
    <FormDialog title={isGeneric ? t.rotateTitle : t.rotate} verb={save} act={rotate} input={input} onClose={onClose}>
      <p>{t.rotateText}</p>
      <TextField
        label={field.url}
        help={isGeneric ? field.urlStays : field.urlHelpSlack}
        type="url"
        value={draft.url}
        onChange={set("url")}
        error={fields["url"]}
      />
      {isGeneric ? (
        <HeaderFields headers={draft.headers} help={field.headersStay} onChange={set("headers")} fields={fields} />
      ) : null}
      <SelectField
        label={t.overlap}
        value={draft.overlap}
        onChange={set("overlap")}
        error={fields["overlap_seconds"]}
        choices={[
          { value: "0", label: t.overlapNone },
          { value: "3600", label: t.overlapHour },
          { value: "86400", label: t.overlapDay },
          { value: "604800", label: t.overlapWeek }
        ]}
      />
    </FormDialog>
  )
}

export const RotateIntegration = ({ target }: { readonly target: Integration }) => {
  const { close, open } = useDialog("rotate")
  return open ? <RotateForm target={target} onClose={close} /> : null
}

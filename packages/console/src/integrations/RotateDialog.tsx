import { portico } from "../api/portico.ts"
import { useAct } from "../api/useAct.ts"
import { CopyAs } from "../app/CopyAs.tsx"
import { Button } from "../ui/Button.tsx"
import { Dialog, Foot } from "../ui/Dialog.tsx"
import { Form, SelectField, TextField } from "../ui/form.tsx"
import { RefusalBox } from "../ui/RefusalBox.tsx"
import { toast } from "../ui/toasts.tsx"
import { useDraft } from "../ui/useDraft.ts"
import { given } from "../ui/useFilter.ts"
import { useWords } from "../words/words.ts"
import { HeaderFields } from "./HeaderFields.tsx"
import type { Header, Integration } from "./integration.ts"
import { words } from "./words.ts"

interface RotateDraft {
  readonly url: string
  readonly headers: ReadonlyArray<Header>
  /** In seconds. */
  readonly overlap: string
}

const unchanged: RotateDraft = { url: "", headers: [], overlap: "86400" }

interface RotateDialogProps {
  readonly integration: Integration
  readonly onClose: () => void
}

/** A new address, new headers, or both. */
export const RotateDialog = ({ integration: { integration_id, kind }, onClose }: RotateDialogProps) => {
  const t = useWords(words)
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
    <Dialog open onClose={onClose} title={isGeneric ? t.rotateTitle : t.rotate}>
      <Form onSubmit={() => void rotate.act(input)}>
        <p>{t.rotateText}</p>
        <TextField
          label={t.url}
          help={isGeneric ? t.urlStays : t.urlHelpSlack}
          type="url"
          value={draft.url}
          onChange={set("url")}
          error={fields["url"]}
        />
        {isGeneric ? (
          <HeaderFields headers={draft.headers} help={t.headersStay} onChange={set("headers")} fields={fields} />
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
        <RefusalBox refusal={rotate.refusal} />
        <Foot>
          <CopyAs calls={[{ operation: rotate.operation, input }]} />
          <Button type="submit" kind="primary" busy={rotate.pending}>
            {t.save}
          </Button>
        </Foot>
      </Form>
    </Dialog>
  )
}

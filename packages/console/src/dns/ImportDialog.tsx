import { useState } from "react"
import { portico } from "../api/portico.ts"
import { useAct } from "../api/useAct.ts"
import { CopyAs } from "../app/CopyAs.tsx"
import { useMe } from "../app/me.ts"
import { Button } from "../ui/Button.tsx"
import { Dialog, Foot } from "../ui/Dialog.tsx"
import { CheckField, Field, Form, TextArea } from "../ui/form.tsx"
import { RefusalBox } from "../ui/RefusalBox.tsx"
import { toast } from "../ui/toasts.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useDraft } from "../ui/useDraft.ts"
import { useWords } from "../words/words.ts"
import { ImportDifference } from "./ImportDifference.tsx"
import { type Zone, zonefileRefused } from "./recordset.ts"
import { words } from "./words.ts"

const empty = { zonefile: "", prune: false }

/** What an import would do is shown first; only what was shown can be applied. */
export const ImportDialog = ({ zone }: { readonly zone: Zone }) => {
  const t = useWords(words)
  const { tier } = useMe()
  const dialog = useDialog("import")
  const { change, draft, reset } = useDraft(empty)
  const [shown, setShown] = useState("")
  const preview = useAct(portico.dns.importZone)
  const close = () => {
    preview.reset()
    apply.reset()
    reset()
    dialog.close()
  }
  const apply = useAct(portico.dns.importZone, {
    touches: ["quotas"],
    onDone: () => {
      toast(t.applied)
      close()
    }
  })
  const input = { zone_id: zone.zone_id, ...draft }
  const text = JSON.stringify(draft)
  const isCurrent = preview.answer !== undefined && shown === text
  const look = () => {
    apply.reset()
    setShown(text)
    void preview.act({ ...input, dry_run: true })
  }
  const refusal = apply.refusal ?? preview.refusal
  const open = (file: File | undefined) => void file?.text().then((zonefile) => change({ zonefile }))
  return (
    <Dialog open={dialog.open} onClose={close} title={t.import} wide>
      <Form onSubmit={look}>
        <p>{t.importText}</p>
        <Field label={t.chooseFile} optional>
          {(ids) => <input type="file" {...ids} onChange={({ target }) => open(target.files?.[0])} />}
        </Field>
        <TextArea
          label={t.zonefile}
          value={draft.zonefile}
          onChange={(zonefile) => change({ zonefile })}
          error={zonefileRefused(refusal)}
        />
        {tier < 2 ? null : <CheckField label={t.prune} checked={draft.prune} onChange={(prune) => change({ prune })} />}
        <RefusalBox refusal={refusal} />
        {preview.answer === undefined ? null : isCurrent ? (
          <ImportDifference answer={preview.answer} zone={zone} />
        ) : (
          <p role="status">{t.previewOld}</p>
        )}
        <Foot>
          <CopyAs calls={[{ operation: apply.operation, input: { ...input, dry_run: !isCurrent } }]} />
          <Button type="submit" kind={isCurrent ? "plain" : "primary"} busy={preview.pending}>
            {t.preview}
          </Button>
          {isCurrent ? (
            <Button
              kind={draft.prune ? "danger" : "primary"}
              busy={apply.pending}
              onClick={() => void apply.act({ ...input, dry_run: false })}
            >
              {t.apply}
            </Button>
          ) : null}
        </Foot>
      </Form>
    </Dialog>
  )
}

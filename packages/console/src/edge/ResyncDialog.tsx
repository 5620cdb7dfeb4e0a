import { portico } from "../api/portico.ts"
import { useAct } from "../api/useAct.ts"
import { CopyAs } from "../app/CopyAs.tsx"
import { Button } from "../ui/Button.tsx"
import { Dialog, Foot } from "../ui/Dialog.tsx"
import { RefusalBox } from "../ui/RefusalBox.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useWords } from "../words/words.ts"
import { words } from "./words.ts"

export const ResyncDialog = () => {
  const t = useWords(words)
  const dialog = useDialog("resync")
  const resync = useAct(portico.edge.resync)
  const close = () => {
    resync.reset()
    dialog.close()
  }
  const { answer } = resync
  return (
    <Dialog open={dialog.open} onClose={close} title={t.resyncTitle}>
      <p>{t.resyncText}</p>
      <RefusalBox refusal={resync.refusal} />
      {answer === undefined ? null : (
        <div role="status">
          <p>{t.resynced(answer.changed, answer.count)}</p>
          <ul>
            {answer.exposures
              .filter((_) => _.changes.length > 0)
              .map(({ changes, exposure_id, name }) => (
                <li key={exposure_id}>
                  {name}: {changes.map((_) => `${_.object} ${_.change}`).join(", ")}
                </li>
              ))}
          </ul>
        </div>
      )}
      <Foot>
        <CopyAs calls={[{ operation: resync.operation, input: {} }]} />
        <Button kind="primary" busy={resync.pending} onClick={() => void resync.act({})}>
          {t.resync}
        </Button>
      </Foot>
    </Dialog>
  )
}

import { portico } from "../api/portico.ts"
import { useAct } from "../api/useAct.ts"
import { CopyAs } from "../app/CopyAs.tsx"
import { Button } from "../ui/Button.tsx"
import { Dialog, Foot } from "../ui/Dialog.tsx"
import { Form, Pair, TextField } from "../ui/form.tsx"
import { RefusalBox } from "../ui/RefusalBox.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useDraft } from "../ui/useDraft.ts"
import { useWords } from "../words/words.ts"
import { Arithmetic } from "./Arithmetic.tsx"
import { wholeOf } from "./arithmetic.ts"
import { type DatabaseDetail, followDatabase } from "./database.tsx"
import { words } from "./words.ts"

/** What is as before is left out: the gateway refuses a change that changes nothing. */
const changed = (text: string, held: number): number | undefined =>
  text.trim() === String(held) ? undefined : Number(text)

export const ResizeDialog = ({ database }: { readonly database: DatabaseDetail }) => {
  const t = useWords(words)
  const dialog = useDialog("resize")
  const { engine, name, replicas, size_gb } = database
  const { draft, set } = useDraft({ size: String(size_gb), replicas: String(replicas) })
  const resize = useAct(portico.databases.resize, {
    touches: ["quotas"],
    onDone: (started) => {
      followDatabase(started, t.resizeTitle(name))
      dialog.close()
    }
  })
  const input = {
    engine,
    name,
    size_gb: changed(draft.size, size_gb),
    replicas: changed(draft.replicas, replicas)
  }
  const isSame = input.size_gb === undefined && input.replicas === undefined
  const fields = resize.refusal?.fields ?? {}
  const close = () => {
    resize.reset()
    dialog.close()
  }
  return (
    <Dialog open={dialog.open} onClose={close} title={t.resizeTitle(name)}>
      <Form onSubmit={() => void (isSame || resize.act(input))}>
        <p>{t.resizeSame}</p>
        <Pair>
          <TextField
            label={t.size}
            help={t.sizeGrows}
            inputMode="numeric"
            value={draft.size}
            onChange={set("size")}
            error={fields["size_gb"]}
          />
          {engine === "kafka" ? null : (
            <TextField
              label={t.replicas}
              help={t.replicasHelp}
              inputMode="numeric"
              value={draft.replicas}
              onChange={set("replicas")}
              error={fields["replicas"]}
            />
          )}
        </Pair>
        {dialog.open ? (
          <Arithmetic
            wanted={{ size_gb: wholeOf(draft.size), replicas: wholeOf(draft.replicas) }}
            held={{ size_gb, replicas }}
          />
        ) : null}
        <RefusalBox refusal={resize.refusal} />
        <Foot>
          <CopyAs calls={[{ operation: resize.operation, input }]} />
          <Button type="submit" kind="primary" disabled={isSame} busy={resize.pending}>
            {t.resize}
          </Button>
        </Foot>
      </Form>
    </Dialog>
  )
}

import { useState } from "react"
import { CopyAs } from "../app/CopyAs.tsx"
import { type PlatformWrite, shown, usePlatformAct } from "../platform/usePlatform.ts"
import type { Volume } from "../storage/volume.ts"
import { Button } from "../ui/Button.tsx"
import { Dialog, Foot } from "../ui/Dialog.tsx"
import { Form, SelectField } from "../ui/form.tsx"
import { RefusalBox } from "../ui/RefusalBox.tsx"
import { toast } from "../ui/toasts.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useWords } from "../words/words.ts"
import type { Server } from "./server.ts"
import { words } from "./words.ts"

interface AttachVolumeDialogProps {
  readonly server: Server
  /** Those that no server has. */
  readonly volumes: ReadonlyArray<Volume>
}

export const AttachVolumeDialog = ({ server, volumes }: AttachVolumeDialogProps) => {
  const t = useWords(words)
  const dialog = useDialog("attach")
  const [chosen, setChosen] = useState("")
  const attach = usePlatformAct(() => {
    toast(t.attached)
    dialog.close()
  })
  const volumeId = volumes.some((_) => _.id === chosen) ? chosen : (volumes[0]?.id ?? "")
  const write: PlatformWrite = {
    method: "POST",
    path: `compute/servers/${server.id}/os-volume_attachments`,
    body: { volumeAttachment: { volumeId } }
  }
  const close = () => {
    attach.reset()
    dialog.close()
  }
  return (
    <Dialog open={dialog.open} onClose={close} title={t.attachTitle(server.name)}>
      {volumes.length === 0 ? (
        <p>{t.attachNone}</p>
      ) : (
        <Form onSubmit={() => void attach.act(write)}>
          <SelectField
            label={t.volume}
            value={volumeId}
            onChange={setChosen}
            choices={volumes.map(({ id, name, size }) => ({ value: id, label: `${name || id} · ${size} GiB` }))}
          />
          <RefusalBox refusal={attach.refusal} />
          <Foot>
            <CopyAs calls={[shown(write)]} />
            <Button type="submit" kind="primary" busy={attach.pending}>
              {t.attach}
            </Button>
          </Foot>
        </Form>
      )}
    </Dialog>
  )
}

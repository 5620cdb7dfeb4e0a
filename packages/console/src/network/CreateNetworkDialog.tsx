import { useState } from "react"
import { useLocation } from "wouter"
import { CopyAs } from "../app/CopyAs.tsx"
import { shown } from "../platform/usePlatform.ts"
import { Button } from "../ui/Button.tsx"
import { Dialog, Foot } from "../ui/Dialog.tsx"
import { CheckField, Form, TextField } from "../ui/form.tsx"
import { RefusalBox } from "../ui/RefusalBox.tsx"
import { toast } from "../ui/toasts.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useDraft } from "../ui/useDraft.ts"
import { useWords } from "../words/words.ts"
import { useRouters } from "./lookups.ts"
import { words } from "./networkWords.ts"
import { interfaceWrite, networkWrite, subnetWrite, useCreateNetwork } from "./useCreateNetwork.ts"

const CreateNetworkForm = () => {
  const t = useWords(words)
  const dialog = useDialog("create")
  const [, navigate] = useLocation()
  const [router] = useRouters()
  const [isConnected, setConnected] = useState(true)
  const { draft, set } = useDraft({ name: "", cidr: "10.20.0.0/24" })
  const create = useCreateNetwork((id) => {
    toast(t.created)
    navigate(`/network/networks/${id}`)
  })
  const routerId = isConnected ? router?.id : undefined
  const writes = [
    networkWrite(draft.name),
    subnetWrite("NETWORK_ID", draft.name, draft.cidr),
    ...(routerId === undefined ? [] : [interfaceWrite(routerId, "add", "SUBNET_ID")])
  ]
  return (
    <Dialog open onClose={dialog.close} title={t.create}>
      <Form onSubmit={() => void create.act({ ...draft, routerId })}>
        <TextField label={t.name} value={draft.name} onChange={set("name")} />
        <TextField label={t.cidr} help={t.cidrHelp} value={draft.cidr} onChange={set("cidr")} />
        {router === undefined ? null : (
          <CheckField label={t.connectField} checked={isConnected} onChange={setConnected} />
        )}
        <RefusalBox refusal={create.refusal} />
        <Foot>
          <CopyAs calls={writes.map(shown)} />
          <Button type="submit" kind="primary" busy={create.pending}>
            {t.create}
          </Button>
        </Foot>
      </Form>
    </Dialog>
  )
}

export const CreateNetworkDialog = () => (useDialog("create").open ? <CreateNetworkForm /> : null)

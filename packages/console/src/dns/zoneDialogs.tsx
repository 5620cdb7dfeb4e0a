import { useLocation } from "wouter"
import { portico } from "../api/portico.ts"
import { outdated } from "../api/queries.ts"
import { useAct } from "../api/useAct.ts"
import { CopyAs } from "../app/CopyAs.tsx"
import { Button } from "../ui/Button.tsx"
import { ConfirmDialog } from "../ui/ConfirmDialog.tsx"
import { Dialog, Foot } from "../ui/Dialog.tsx"
import { Form, TextField } from "../ui/form.tsx"
import { RefusalBox } from "../ui/RefusalBox.tsx"
import { toast } from "../ui/toasts.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useDraft } from "../ui/useDraft.ts"
import { useWords } from "../words/words.ts"
import { followWork } from "../works/works.ts"
import type { Zone } from "./recordset.ts"
import { words } from "./words.ts"

interface ZoneDialogProps {
  readonly zone: Zone
}

/** Only what the person has changed is sent: what another window changed meanwhile stays. */
export const ChangeZoneDialog = ({ zone }: ZoneDialogProps) => {
  const t = useWords(words)
  const dialog = useDialog("change-zone")
  const { draft, reset, set } = useDraft<{ email?: string; ttl?: string; description?: string }>({})
  const close = () => {
    change.reset()
    reset()
    dialog.close()
  }
  const change = useAct(portico.dns.changeZone, {
    onDone: () => {
      toast(t.saved)
      close()
    }
  })
  const input = {
    zone_id: zone.zone_id,
    email: draft.email,
    ttl: draft.ttl === undefined ? undefined : Number(draft.ttl),
    description: draft.description === "" ? null : draft.description
  }
  const fields = change.refusal?.fields ?? {}
  return (
    <Dialog open={dialog.open} onClose={close} title={t.changeTitle(zone.name)}>
      <Form onSubmit={() => void change.act(input)}>
        <TextField label={t.email} value={draft.email ?? zone.email} onChange={set("email")} error={fields["email"]} />
        <TextField
          label={t.ttl}
          inputMode="numeric"
          value={draft.ttl ?? String(zone.ttl)}
          onChange={set("ttl")}
          error={fields["ttl"]}
        />
        <TextField
          label={t.description}
          value={draft.description ?? zone.description ?? ""}
          onChange={set("description")}
          error={fields["description"]}
          optional
        />
        <RefusalBox refusal={change.refusal} />
        <Foot>
          <CopyAs calls={[{ operation: change.operation, input }]} />
          <Button type="submit" kind="primary" busy={change.pending}>
            {t.save}
          </Button>
        </Foot>
      </Form>
    </Dialog>
  )
}

export const RemoveZoneDialog = ({ zone }: ZoneDialogProps) => {
  const t = useWords(words)
  const dialog = useDialog("remove-zone")
  const [, go] = useLocation()
  const remove = useAct(portico.dns.removeZone, {
    touches: ["quotas"],
    onDone: (started) => {
      go("/dns/zones")
      followWork({
        title: t.deleting(started.name),
        href: "/dns/zones",
        wait: (report) => portico.dns.removeZone.wait(started, { onProgress: ({ status }) => report(status) }),
        onDone: () => void outdated(["dns", "quotas"])
      })
    }
  })
  const input = { zone_id: zone.zone_id }
  return (
    <ConfirmDialog
      open={dialog.open}
      title={t.removeTitle(zone.name)}
      name={zone.name}
      verb={t.remove}
      pending={remove.pending}
      refusal={remove.refusal}
      onConfirm={() => void remove.act(input)}
      onClose={() => {
        remove.reset()
        dialog.close()
      }}
      aside={<CopyAs calls={[{ operation: remove.operation, input }]} />}
    >
      {t.removeText}
    </ConfirmDialog>
  )
}

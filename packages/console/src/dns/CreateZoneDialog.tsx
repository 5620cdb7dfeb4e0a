import { useLocation } from "wouter"
import { portico } from "../api/portico.ts"
import { outdated } from "../api/queries.ts"
import { useAct } from "../api/useAct.ts"
import { CopyAs } from "../app/CopyAs.tsx"
import { Button } from "../ui/Button.tsx"
import { Dialog, Foot } from "../ui/Dialog.tsx"
import { Form, Pair, TextField } from "../ui/form.tsx"
import { RefusalBox } from "../ui/RefusalBox.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useDraft } from "../ui/useDraft.ts"
import { given } from "../ui/useFilter.ts"
import { useWords } from "../words/words.ts"
import { followWork } from "../works/works.ts"
import { words } from "./words.ts"

const empty = { name: "", email: "", ttl: "" }

export const CreateZoneDialog = () => {
  const t = useWords(words)
  const dialog = useDialog("create-zone")
  const [, go] = useLocation()
  const { draft, reset, set } = useDraft(empty)
  const create = useAct(portico.dns.createZone, {
    touches: ["quotas"],
    onDone: (zone) => {
      const href = `/dns/zones/${zone.zone_id}`
      reset()
      go(href)
      followWork({
        title: t.creating(zone.name),
        href,
        wait: (report) => portico.dns.createZone.wait(zone, { onProgress: ({ status }) => report(status) }),
        onDone: () => void outdated(["dns"])
      })
    }
  })
  const input = {
    name: draft.name,
    email: given(draft.email),
    ttl: draft.ttl === "" ? undefined : Number(draft.ttl)
  }
  const fields = create.refusal?.fields ?? {}
  const nameRefused = create.refusal?.code === "dns_name_refused" ? create.refusal.detail : undefined
  const close = () => {
    create.reset()
    reset()
    dialog.close()
  }
  return (
    <Dialog open={dialog.open} onClose={close} title={t.create}>
      <Form onSubmit={() => void create.act(input)}>
        <TextField
          label={t.name}
          help={t.nameHelp}
          value={draft.name}
          onChange={set("name")}
          error={fields["name"] ?? nameRefused}
        />
        <Pair>
          <TextField
            label={t.email}
            help={t.emailHelp}
            value={draft.email}
            onChange={set("email")}
            error={fields["email"]}
            optional
          />
          <TextField
            label={t.ttl}
            help={t.ttlHelp}
            inputMode="numeric"
            value={draft.ttl}
            onChange={set("ttl")}
            error={fields["ttl"]}
            optional
          />
        </Pair>
        <RefusalBox refusal={create.refusal} />
        <Foot>
          <CopyAs calls={[{ operation: create.operation, input }]} />
          <Button type="submit" kind="primary" busy={create.pending}>
            {t.create}
          </Button>
        </Foot>
      </Form>
    </Dialog>
  )
}

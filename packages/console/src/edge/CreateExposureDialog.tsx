import { useLocation } from "wouter"
import { portico } from "../api/portico.ts"
import { useAct } from "../api/useAct.ts"
import { outdated } from "../api/queries.ts"
import { CopyAs } from "../app/CopyAs.tsx"
import { Button } from "../ui/Button.tsx"
import { Dialog, Foot } from "../ui/Dialog.tsx"
import { ChoiceField, Form, Pair, TextField } from "../ui/form.tsx"
import { RefusalBox } from "../ui/RefusalBox.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useDraft } from "../ui/useDraft.ts"
import { useWords } from "../words/words.ts"
import { followWork } from "../works/works.ts"
import { words } from "./words.ts"

type Kind = "service" | "address"

interface Draft {
  readonly name: string
  readonly kind: Kind
  readonly service: string
  readonly address: string
  readonly port: string
  readonly domain: string
}

const empty: Draft = { name: "", kind: "service", service: "", address: "", port: "80", domain: "" }

const inputOf = ({ address, domain, kind, name, port, service }: Draft) => ({
  name,
  target: { ...(kind === "service" ? { service } : { address }), port: Number(port) },
  domain: domain === "" ? undefined : domain
})

export const CreateExposureDialog = () => {
  const t = useWords(words)
  const dialog = useDialog("create-exposure")
  const [, go] = useLocation()
  const { draft, reset, set } = useDraft(empty)
  const close = () => {
    create.reset()
    reset()
    dialog.close()
  }
  const create = useAct(portico.edge.create, {
    touches: ["quotas"],
    onDone: (exposure) => {
      const href = `/edge/exposures/${exposure.exposure_id}`
      reset()
      go(href)
      // Its domain waits for a record that a person sets: that is nothing to follow.
      if (exposure.domain !== null) return
      followWork({
        title: t.creating(exposure.name),
        href,
        wait: (report) => portico.edge.create.wait(exposure, { onProgress: ({ state }) => report(state) }),
        onDone: () => void outdated(["edge"])
      })
    }
  })
  const input = inputOf(draft)
  const fields = create.refusal?.fields ?? {}
  return (
    <Dialog open={dialog.open} onClose={close} title={t.create}>
      <Form onSubmit={() => void create.act(input)}>
        <TextField label={t.name} help={t.nameHelp} value={draft.name} onChange={set("name")} error={fields["name"]} />
        <ChoiceField<Kind>
          legend={t.kind}
          value={draft.kind}
          onChange={set("kind")}
          choices={[
            { value: "service", label: t.service, help: t.serviceHelp },
            { value: "address", label: t.address }
          ]}
        />
        <Pair>
          <TextField
            label={draft.kind === "service" ? t.serviceName : t.addressName}
            value={draft[draft.kind]}
            onChange={set(draft.kind)}
            error={fields[`target.${draft.kind}`] ?? fields["target"]}
          />
          <TextField
            label={t.port}
            inputMode="numeric"
            value={draft.port}
            onChange={set("port")}
            error={fields["target.port"]}
          />
        </Pair>
        <TextField
          label={t.domain}
          help={t.domainHelp}
          value={draft.domain}
          onChange={set("domain")}
          error={fields["domain"]}
          optional
        />
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

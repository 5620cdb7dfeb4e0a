import { useAct } from "../../api/useAct.ts"
import { CopyAs } from "../../app/CopyAs.tsx"
import { Button } from "../../ui/Button.tsx"
import { Dialog, Foot } from "../../ui/Dialog.tsx"
import { CheckField, ChoiceField, Form, Pair, SelectField, TextArea, TextField } from "../../ui/form.tsx"
import { Muted, Row, Stack } from "../../ui/layout.tsx"
import { RefusalBox } from "../../ui/RefusalBox.tsx"
import { toast } from "../../ui/toasts.tsx"
import { serviceNames, words as statusWords } from "../../status/words.ts"
import { useDialog } from "../../ui/useDialog.ts"
import { useDraft } from "../../ui/useDraft.ts"
import { given } from "../../ui/useFilter.ts"
import { useWords } from "../../words/words.ts"
import { operator } from "../portico.ts"
import { words } from "../words.ts"

const services = [
  "compute",
  "storage",
  "network",
  "portal",
  "api",
  "billing",
  "events",
  "object-storage",
  "databases"
] as const
type Service = (typeof services)[number]
type Kind = "incident" | "maintenance"
type Severity = "minor" | "major" | "critical"

interface Draft {
  readonly kind: Kind
  readonly title: string
  readonly severity: Severity
  readonly services: ReadonlyArray<Service>
  readonly starts: string
  readonly ends: string
  readonly message: string
}

const empty: Draft = { kind: "incident", title: "", severity: "minor", services: [], starts: "", ends: "", message: "" }

/** A browser's local moment with its zone; what is no moment is left to the gateway to refuse. */
const momentOf = (local: string): string | undefined => {
  const moment = new Date(local)
  return local === "" ? undefined : Number.isNaN(moment.getTime()) ? local : moment.toISOString()
}

const inputOf = ({ ends, kind, message, services, severity, starts, title }: Draft) => ({
  kind,
  severity,
  services,
  title: given(title),
  message: given(message),
  starts_at: momentOf(starts),
  ends_at: momentOf(ends)
})

export const PublishDialog = () => {
  const t = useWords(words)
  const names = useWords(serviceNames)
  const severities = useWords(statusWords)
  const dialog = useDialog("publish")
  const { draft, reset, set } = useDraft(empty)
  const close = () => {
    publish.reset()
    reset()
    dialog.close()
  }
  const publish = useAct(operator.incidents.create, {
    touches: ["status", "monitoring"],
    onDone: () => {
      toast(t.published)
      close()
    }
  })
  const input = inputOf(draft)
  const fields = publish.refusal?.fields ?? {}
  const choose = (service: Service) => (on: boolean) =>
    set("services")(on ? [...draft.services, service] : draft.services.filter((_) => _ !== service))
  return (
    <Dialog open={dialog.open} onClose={close} title={t.publish}>
      <Form onSubmit={() => void publish.act(input)}>
        <ChoiceField<Kind>
          legend={t.kind}
          value={draft.kind}
          onChange={set("kind")}
          choices={[
            { value: "incident", label: t.incident, help: t.incidentHelp },
            { value: "maintenance", label: t.maintenance, help: t.maintenanceHelp }
          ]}
        />
        <TextField
          label={t.title}
          help={t.titleHelp}
          value={draft.title}
          onChange={set("title")}
          error={fields["title"]}
        />
        <SelectField<Severity>
          label={t.severity}
          value={draft.severity}
          onChange={set("severity")}
          choices={(["minor", "major", "critical"] as const).map((value) => ({ value, label: severities[value] }))}
        />
        <Stack tight>
          <strong>{t.services}</strong>
          <Row>
            {services.map((_) => (
              <CheckField key={_} label={names[_]} checked={draft.services.includes(_)} onChange={choose(_)} />
            ))}
          </Row>
          <Muted small>{t.servicesHelp}</Muted>
        </Stack>
        <Pair>
          <TextField
            label={t.startsAt}
            help={t.startsHelp}
            type="datetime-local"
            value={draft.starts}
            onChange={set("starts")}
            error={fields["starts_at"]}
            optional
          />
          <TextField
            label={t.endsAt}
            help={t.endsHelp}
            type="datetime-local"
            value={draft.ends}
            onChange={set("ends")}
            error={fields["ends_at"]}
            optional
          />
        </Pair>
        <TextArea
          label={t.message}
          value={draft.message}
          onChange={set("message")}
          error={fields["message"]}
          optional
        />
        <RefusalBox refusal={publish.refusal} />
        <Foot>
          <CopyAs calls={[{ operation: publish.operation, input }]} />
          <Button type="submit" kind="primary" busy={publish.pending}>
            {t.publish}
          </Button>
        </Foot>
      </Form>
    </Dialog>
  )
}

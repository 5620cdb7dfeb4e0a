import { useState } from "react"
import { portico } from "../api/portico.ts"
import { useAct } from "../api/useAct.ts"
import { CopyAs } from "../app/CopyAs.tsx"
import { useMe } from "../app/me.ts"
import { Badge } from "../ui/Badge.tsx"
import { Button } from "../ui/Button.tsx"
import { Form, TextField } from "../ui/form.tsx"
import { Card, Row, Stack } from "../ui/layout.tsx"
import { RefusalBox } from "../ui/RefusalBox.tsx"
import { type Column, Table } from "../ui/Table.tsx"
import { Time } from "../ui/Time.tsx"
import { toast } from "../ui/toasts.tsx"
import { useWords } from "../words/words.ts"
import type { Integration } from "./target.ts"
import { words } from "./integrationWords.ts"

type Recipient = NonNullable<Integration["recipients"]>[number]

interface ConfirmFormProps {
  readonly integrationId: string
  /** All addresses: a change names those that are confirmed too. */
  readonly to: ReadonlyArray<string>
}

/** The code of a mail, and new codes for those that have lost theirs. */
const ConfirmForm = ({ integrationId: integration_id, to }: ConfirmFormProps) => {
  const t = useWords(words)
  const [code, setCode] = useState("")
  const confirm = useAct(portico.integrations.confirm, {
    onDone: () => {
      setCode("")
      toast(t.confirmed)
    }
  })
  const again = useAct(portico.integrations.update, { onDone: () => toast(t.codesSent) })
  const input = { integration_id, code: code.trim() }
  return (
    <Form label={t.confirm} onSubmit={() => void confirm.act(input)}>
      <TextField
        label={t.code}
        help={t.codeHelp}
        value={code}
        onChange={setCode}
        error={confirm.refusal?.fields["code"]}
      />
      <RefusalBox refusal={confirm.refusal} />
      <RefusalBox refusal={again.refusal} />
      <Row>
        <Button type="submit" kind="primary" busy={confirm.pending}>
          {t.confirm}
        </Button>
        <Button busy={again.pending} onClick={() => void again.act({ integration_id, to })}>
          {t.sendCodes}
        </Button>
        <CopyAs
          calls={[
            { operation: confirm.operation, input },
            { operation: again.operation, input: { integration_id, to } }
          ]}
        />
      </Row>
    </Form>
  )
}

/** To whom mail goes, and who has yet to agree. */
export const Recipients = ({ target: { integration_id, recipients } }: { readonly target: Integration }) => {
  const t = useWords(words)
  const { tier } = useMe()
  if (recipients === null) return null
  const columns: ReadonlyArray<Column<Recipient>> = [
    { title: t.address, cell: (_) => _.address },
    {
      title: t.confirmation,
      cell: ({ confirmed_at }) =>
        confirmed_at === null ? <Badge tone="warn">{t.unconfirmed}</Badge> : <Time at={confirmed_at} />
    }
  ]
  const waits = recipients.some((_) => _.confirmed_at === null)
  return (
    <Card title={t.recipients}>
      <Stack>
        <Table label={t.recipients} columns={columns} rows={recipients} keyOf={(_) => _.address} empty="–" />
        {waits && tier >= 1 ? (
          <ConfirmForm integrationId={integration_id} to={recipients.map((_) => _.address)} />
        ) : null}
      </Stack>
    </Card>
  )
}

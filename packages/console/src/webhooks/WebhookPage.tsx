import { useLocation, useParams } from "wouter"
import { portico } from "../api/portico.ts"
import { useAct } from "../api/useAct.ts"
import { useAnswer } from "../api/useAnswer.ts"
import { CopyAs } from "../app/CopyAs.tsx"
import { useMe } from "../app/me.ts"
import { Page } from "../app/Page.tsx"
import { Answered } from "../ui/Answered.tsx"
import { Badge } from "../ui/Badge.tsx"
import { Button } from "../ui/Button.tsx"
import { ConfirmDialog } from "../ui/ConfirmDialog.tsx"
import { Card, Facts, Mono, Row } from "../ui/layout.tsx"
import { RefusalBox } from "../ui/RefusalBox.tsx"
import { SecretOnce } from "../ui/SecretOnce.tsx"
import { Time } from "../ui/Time.tsx"
import { toast } from "../ui/toasts.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useWords } from "../words/words.ts"
import { Deliveries } from "./Deliveries.tsx"
import type { Webhook } from "./webhook.ts"
import { words } from "./words.ts"

const WebhookFacts = ({ webhook }: { readonly webhook: Webhook }) => {
  const t = useWords(words)
  const { created_at, disabled_reason, enabled, failures_in_a_row, previous_secret_until, rests_until } = webhook
  return (
    <Facts
      facts={[
        { label: "ID", value: <Mono>{webhook.webhook_id}</Mono> },
        {
          label: t.state,
          value: (
            <>
              <Badge tone={enabled ? "good" : "warn"}>{enabled ? t.on : t.off}</Badge> {disabled_reason ?? ""}{" "}
              {failures_in_a_row === 0 ? "" : t.failing(failures_in_a_row)}
            </>
          )
        },
        ...(rests_until === null ? [] : [{ label: t.rests, value: <Time at={rests_until} /> }]),
        { label: t.topics, value: webhook.topics.join(", ") || t.allTopics },
        ...(webhook.description === null ? [] : [{ label: t.description, value: webhook.description }]),
        ...(previous_secret_until === null ? [] : [{ label: t.previous, value: <Time at={previous_secret_until} /> }]),
        { label: t.created, value: <Time at={created_at} as="moment" /> }
      ]}
    />
  )
}

const Acts = ({ webhook: { enabled, url, webhook_id } }: { readonly webhook: Webhook }) => {
  const t = useWords(words)
  const me = useMe()
  const rotating = useDialog("rotate")
  const removing = useDialog("remove")
  const [, navigate] = useLocation()
  const input = { webhook_id }
  const test = useAct(portico.webhooks.test, {
    onDone: ({ delivered, duration_ms, error }) => toast(delivered ? t.testGood(duration_ms) : t.testBad(error ?? ""))
  })
  const change = useAct(portico.webhooks.update, { onDone: () => toast(t.switched) })
  const rotate = useAct(portico.webhooks.rotateSecret)
  const remove = useAct(portico.webhooks.remove, {
    onDone: () => {
      toast(t.removed)
      navigate("/webhooks")
    }
  })
  if (me.tier < 1) return null
  return (
    <>
      <Row>
        <Button busy={test.pending} onClick={() => void test.act(input)}>
          {t.test}
        </Button>
        <Button onClick={() => rotating.show()}>{t.rotate}</Button>
        <Button busy={change.pending} onClick={() => void change.act({ ...input, enabled: !enabled })}>
          {enabled ? t.disable : t.enable}
        </Button>
        {me.tier < 2 ? null : (
          <Button kind="danger" onClick={() => removing.show()}>
            {t.remove}
          </Button>
        )}
      </Row>
      <RefusalBox refusal={test.refusal ?? change.refusal} />
      <ConfirmDialog
        open={rotating.open && rotate.answer === undefined}
        title={t.rotate}
        verb={t.rotate}
        pending={rotate.pending}
        refusal={rotate.refusal}
        onConfirm={() => void rotate.act(input)}
        onClose={rotating.close}
        aside={<CopyAs calls={[{ operation: rotate.operation, input }]} />}
      >
        {t.rotateText}
      </ConfirmDialog>
      <SecretOnce
        title={t.secretOf(url)}
        secrets={rotate.answer === undefined ? undefined : [{ label: t.secret, value: rotate.answer.secret }]}
        onClose={() => {
          rotate.reset()
          rotating.close()
        }}
      />
      <ConfirmDialog
        open={removing.open}
        title={`${t.remove}: ${url}`}
        name={url}
        verb={t.remove}
        pending={remove.pending}
        refusal={remove.refusal}
        onConfirm={() => void remove.act(input)}
        onClose={removing.close}
        aside={<CopyAs calls={[{ operation: remove.operation, input }]} />}
      >
        {t.removeText}
      </ConfirmDialog>
    </>
  )
}

const WebhookPage = () => {
  const t = useWords(words)
  const { webhook_id = "" } = useParams()
  const answer = useAnswer(portico.webhooks.show, { webhook_id })
  return (
    <Page title={answer.data?.url ?? t.webhook} up={{ href: "/webhooks", title: t.title }}>
      <Answered answer={answer}>
        {(webhook) => (
          <Card title={t.facts}>
            <WebhookFacts webhook={webhook} />
            <Acts webhook={webhook} />
          </Card>
        )}
      </Answered>
      <Deliveries webhookId={webhook_id} />
    </Page>
  )
}

export default WebhookPage

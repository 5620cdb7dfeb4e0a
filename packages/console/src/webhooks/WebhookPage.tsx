import { useParams } from "wouter"
import { portico } from "../api/portico.ts"
import { useAnswer } from "../api/useAnswer.ts"
import { useMe } from "../app/me.ts"
import { Page } from "../app/Page.tsx"
import { Deliveries } from "../deliveries/Deliveries.tsx"
import { TargetActs } from "../deliveries/TargetActs.tsx"
import { useSendingFacts } from "../deliveries/useSendingFacts.tsx"
import { Answered } from "../ui/Answered.tsx"
import { Button } from "../ui/Button.tsx"
import { Card, Facts, Mono } from "../ui/layout.tsx"
import { Time } from "../ui/Time.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useWords } from "../words/words.ts"
import { ChangeDialog } from "./ChangeDialog.tsx"
import { RemoveDialog } from "./RemoveDialog.tsx"
import { RotateDialog } from "./RotateDialog.tsx"
import type { Webhook } from "./webhook.ts"
import { words } from "./words.ts"

const WebhookFacts = ({ webhook }: { readonly webhook: Webhook }) => {
  const t = useWords(words)
  const sendingFacts = useSendingFacts()
  const { created_at, description, previous_secret_until, webhook_id } = webhook
  return (
    <Facts
      facts={[
        ...sendingFacts(webhook),
        ...(description === null ? [] : [{ label: t.description, value: description }]),
        ...(previous_secret_until === null ? [] : [{ label: t.previous, value: <Time at={previous_secret_until} /> }]),
        { label: t.created, value: <Time at={created_at} as="moment" /> },
        { label: "ID", value: <Mono>{webhook_id}</Mono> }
      ]}
    />
  )
}

const Acts = ({ webhook }: { readonly webhook: Webhook }) => {
  const t = useWords(words)
  const { tier } = useMe()
  const change = useDialog("change")
  const rotate = useDialog("rotate")
  const remove = useDialog("remove")
  const { enabled, webhook_id } = webhook
  return (
    <>
      <TargetActs of={{ webhook_id }} enabled={enabled} operations={portico.webhooks}>
        <Button onClick={() => change.show()}>{t.change}</Button>
        <Button onClick={() => rotate.show()}>{t.rotate}</Button>
        {tier < 2 ? null : (
          <Button kind="danger" onClick={() => remove.show()}>
            {t.remove}
          </Button>
        )}
      </TargetActs>
      {change.open ? <ChangeDialog webhook={webhook} onClose={change.close} /> : null}
      <RotateDialog webhook={webhook} />
      <RemoveDialog webhook={webhook} />
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
          <>
            <Card title={t.facts}>
              <WebhookFacts webhook={webhook} />
              <Acts webhook={webhook} />
            </Card>
            <Deliveries of={{ webhook_id }} href={`/webhooks/${webhook_id}`} operations={portico.webhooks} />
          </>
        )}
      </Answered>
    </Page>
  )
}

export default WebhookPage

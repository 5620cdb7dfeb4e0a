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
import { destinationOf, type Integration } from "./integration.ts"
import { Recipients } from "./Recipients.tsx"
import { RemoveDialog } from "./RemoveDialog.tsx"
import { RotateDialog } from "./RotateDialog.tsx"
import { words } from "./words.ts"

const IntegrationFacts = ({ integration }: { readonly integration: Integration }) => {
  const t = useWords(words)
  const sendingFacts = useSendingFacts()
  const { created_at, headers, integration_id, kind, previous_secret_until } = integration
  return (
    <Facts
      facts={[
        { label: t.kind, value: t[kind] },
        ...(kind === "email" ? [] : [{ label: t.destination, value: <Mono>{destinationOf(integration)}</Mono> }]),
        ...(headers === null || headers.length === 0 ? [] : [{ label: t.headers, value: headers.join(", ") }]),
        ...sendingFacts(integration),
        ...(previous_secret_until === null ? [] : [{ label: t.previous, value: <Time at={previous_secret_until} /> }]),
        { label: t.createdAt, value: <Time at={created_at} as="moment" /> },
        { label: "ID", value: <Mono>{integration_id}</Mono> }
      ]}
    />
  )
}

const Acts = ({ integration }: { readonly integration: Integration }) => {
  const t = useWords(words)
  const { tier } = useMe()
  const change = useDialog("change")
  const rotate = useDialog("rotate")
  const remove = useDialog("remove")
  const { enabled, integration_id, kind } = integration
  return (
    <>
      <TargetActs of={{ integration_id }} enabled={enabled} operations={portico.integrations}>
        <Button onClick={() => change.show()}>{t.change}</Button>
        {kind === "email" ? null : <Button onClick={() => rotate.show()}>{t.rotate}</Button>}
        {tier < 2 ? null : (
          <Button kind="danger" onClick={() => remove.show()}>
            {t.remove}
          </Button>
        )}
      </TargetActs>
      {change.open ? <ChangeDialog integration={integration} onClose={change.close} /> : null}
      {rotate.open ? <RotateDialog integration={integration} onClose={rotate.close} /> : null}
      <RemoveDialog integration={integration} />
    </>
  )
}

const IntegrationPage = () => {
  const t = useWords(words)
  const { integration_id = "" } = useParams()
  const answer = useAnswer(portico.integrations.show, { integration_id })
  return (
    <Page title={answer.data?.name ?? t.integration} up={{ href: "/integrations", title: t.title }}>
      <Answered answer={answer}>
        {(integration) => (
          <>
            <Card title={t.facts}>
              <IntegrationFacts integration={integration} />
              <Acts integration={integration} />
            </Card>
            <Recipients integration={integration} />
            <Deliveries
              of={{ integration_id }}
              href={`/integrations/${integration_id}`}
              operations={portico.integrations}
            />
          </>
        )}
      </Answered>
    </Page>
  )
}

export default IntegrationPage

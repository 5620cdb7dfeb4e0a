import { Webhook as Icon } from "lucide-react"
import { Link } from "wouter"
import { portico } from "../api/portico.ts"
import { useAnswer } from "../api/useAnswer.ts"
import { Muted } from "../ui/layout.tsx"
import { given } from "../ui/useFilter.ts"
import { useWords } from "../words/words.ts"
import { blank, type Draft, subscribed, subscriptionOf } from "./draft.ts"
import { words as fieldWords } from "./fieldWords.ts"
import { RotateWebhook } from "./RotateWebhook.tsx"
import type { Resource } from "./Resource.ts"
import type { Webhook } from "./target.ts"
import { TargetFacts } from "./TargetFacts.tsx"
import { TargetPage } from "./TargetPage.tsx"
import { TargetsPage } from "./TargetsPage.tsx"
import { words } from "./webhookWords.ts"

const creationOf = (draft: Draft) => ({ url: draft.url, description: given(draft.name), ...subscribed(draft) })

const WebhookFacts = ({ target }: { readonly target: Webhook }) => {
  const { description } = useWords(fieldWords)
  const { previous } = useWords(words)
  const further = target.description === null ? [] : [{ label: description, value: target.description }]
  return <TargetFacts id={target.webhook_id} target={target} further={further} previous={previous} />
}

interface WebhookInputs {
  readonly id: { readonly webhook_id: string }
  readonly creation: Parameters<typeof portico.webhooks.create>[0]
  readonly change: Omit<Parameters<typeof portico.webhooks.update>[0], "webhook_id">
}

const webhooks: Resource<WebhookInputs, Webhook> = {
  path: "/webhooks",
  words,
  operations: portico.webhooks,
  of: (webhook_id) => ({ webhook_id }),
  idOf: (_) => _.webhook_id,
  nameOf: (_) => _.url,
  blank: { ...blank, kind: "webhook" },
  draftOf: (_) => ({ ...blank, kind: "webhook", url: _.url, name: _.description ?? "", ...subscriptionOf(_) }),
  creationOf,
  // The description is sent when it was changed: the gateway knows no empty one.
  changeOf: (draft, before) => ({
    ...creationOf(draft),
    description: draft.name === before.name ? undefined : draft.name
  }),
  rotates: () => true,
  Rotate: RotateWebhook,
  Facts: WebhookFacts
}

export const ListPage = () => {
  const t = useWords(fieldWords)
  return (
    <TargetsPage
      resource={webhooks}
      icon={Icon}
      answer={useAnswer(portico.webhooks.list, {})}
      rowsOf={(_) => _.webhooks}
      columns={[
        {
          title: t.url,
          sort: (_) => _.url,
          cell: ({ description, url, webhook_id }) => (
            <>
              <Link href={`/webhooks/${webhook_id}`}>{url}</Link>
              <br />
              <Muted small>{description ?? ""}</Muted>
            </>
          )
        }
      ]}
    />
  )
}

export const ShowPage = () => <TargetPage resource={webhooks} />

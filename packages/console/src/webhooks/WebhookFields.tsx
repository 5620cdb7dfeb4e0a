import { SubscriptionFields } from "../deliveries/SubscriptionFields.tsx"
import { TextField } from "../ui/form.tsx"
import { useWords } from "../words/words.ts"
import type { WebhookDraft } from "./webhook.ts"
import { words } from "./words.ts"

interface WebhookFieldsProps {
  readonly draft: WebhookDraft
  readonly change: (change: Partial<WebhookDraft>) => void
  readonly fields: Readonly<Record<string, string>>
}

export const WebhookFields = ({ change, draft, fields }: WebhookFieldsProps) => {
  const t = useWords(words)
  return (
    <>
      <TextField
        label={t.url}
        help={t.urlHelp}
        type="url"
        value={draft.url}
        onChange={(url) => change({ url })}
        error={fields["url"]}
      />
      <TextField
        label={t.description}
        value={draft.description}
        onChange={(description) => change({ description })}
        error={fields["description"]}
        optional
      />
      <SubscriptionFields value={draft} onChange={change} fields={fields} />
    </>
  )
}

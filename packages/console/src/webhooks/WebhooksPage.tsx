import { Plus, Webhook as Icon } from "lucide-react"
import { Link } from "wouter"
import { portico } from "../api/portico.ts"
import { useAnswer } from "../api/useAnswer.ts"
import { useMe } from "../app/me.ts"
import { Page } from "../app/Page.tsx"
import { SendingState } from "../deliveries/useSendingFacts.tsx"
import { words as sharedWords } from "../deliveries/words.ts"
import { Answered } from "../ui/Answered.tsx"
import { Button } from "../ui/Button.tsx"
import { EmptyState } from "../ui/EmptyState.tsx"
import { Muted } from "../ui/layout.tsx"
import { type Column, Table } from "../ui/Table.tsx"
import { Time } from "../ui/Time.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useWords } from "../words/words.ts"
import { CreateDialog } from "./CreateDialog.tsx"
import type { Webhook } from "./webhook.ts"
import { words } from "./words.ts"

const useColumns = (): ReadonlyArray<Column<Webhook>> => {
  const t = useWords(words)
  const shared = useWords(sharedWords)
  return [
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
    },
    { title: shared.topics, cell: (_) => _.topics.join(", ") || shared.allTopics },
    { title: shared.state, cell: (_) => <SendingState sending={_} /> },
    { title: t.created, cell: (_) => <Time at={_.created_at} /> }
  ]
}

const WebhooksPage = () => {
  const t = useWords(words)
  const me = useMe()
  const create = useDialog("create")
  const answer = useAnswer(portico.webhooks.list, {})
  const columns = useColumns()
  const button =
    me.tier < 1 ? null : (
      <Button kind="primary" icon={Plus} onClick={() => create.show()}>
        {t.create}
      </Button>
    )
  return (
    <Page title={t.title} about={t.about} actions={button}>
      <Answered answer={answer}>
        {({ webhooks }) => (
          <Table
            label={t.title}
            columns={columns}
            rows={webhooks}
            keyOf={(_) => _.webhook_id}
            empty={
              <EmptyState icon={Icon} title={t.none} action={button}>
                {t.noneText}
              </EmptyState>
            }
          />
        )}
      </Answered>
      <CreateDialog />
    </Page>
  )
}

export default WebhooksPage

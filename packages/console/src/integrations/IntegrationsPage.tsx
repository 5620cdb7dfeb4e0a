import { Plug as Icon, Plus } from "lucide-react"
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
import { type Column, Table } from "../ui/Table.tsx"
import { Time } from "../ui/Time.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useWords } from "../words/words.ts"
import { CreateDialog } from "./CreateDialog.tsx"
import { destinationOf, type Integration } from "./integration.ts"
import { words } from "./words.ts"

const useColumns = (): ReadonlyArray<Column<Integration>> => {
  const t = useWords(words)
  const shared = useWords(sharedWords)
  return [
    {
      title: t.name,
      sort: (_) => _.name,
      cell: ({ integration_id, name }) => <Link href={`/integrations/${integration_id}`}>{name}</Link>
    },
    { title: t.kind, sort: (_) => t[_.kind], cell: (_) => t[_.kind] },
    { title: t.destination, cell: destinationOf },
    { title: shared.topics, cell: (_) => _.topics.join(", ") || shared.allTopics },
    { title: shared.state, cell: (_) => <SendingState sending={_} /> },
    { title: t.createdAt, cell: (_) => <Time at={_.created_at} /> }
  ]
}

const IntegrationsPage = () => {
  const t = useWords(words)
  const me = useMe()
  const create = useDialog("create")
  const answer = useAnswer(portico.integrations.list, {})
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
        {({ integrations }) => (
          <Table
            label={t.title}
            columns={columns}
            rows={integrations}
            keyOf={(_) => _.integration_id}
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

export default IntegrationsPage

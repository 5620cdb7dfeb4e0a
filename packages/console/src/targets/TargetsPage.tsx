import { type LucideIcon, Plus } from "lucide-react"
import type { Answer } from "../api/useAnswer.ts"
import { useMe } from "../app/me.ts"
import { Page } from "../app/Page.tsx"
import { Answered } from "../ui/Answered.tsx"
import { Button } from "../ui/Button.tsx"
import { EmptyState } from "../ui/EmptyState.tsx"
import { type Column, Table } from "../ui/Table.tsx"
import { Time } from "../ui/Time.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useWords } from "../words/words.ts"
import { CreateDialog } from "./CreateDialog.tsx"
import type { Inputs, Resource } from "./Resource.ts"
import type { Sending } from "./target.ts"
import { SendingState } from "./TargetFacts.tsx"
import { words } from "./words.ts"

interface TargetsPageProps<In extends Inputs, Target extends Sending, List> {
  readonly resource: Resource<In, Target>
  readonly icon: LucideIcon
  readonly answer: Answer<List>
  readonly rowsOf: (list: List) => ReadonlyArray<Target>
  /** Those before the ones that all targets have. */
  readonly columns: ReadonlyArray<Column<Target>>
  readonly onCreated?: (target: Target) => void
}

export const TargetsPage = <In extends Inputs, Target extends Sending, List>(
  props: TargetsPageProps<In, Target, List>
) => {
  const { answer, columns, icon, onCreated, resource, rowsOf } = props
  const t = useWords(resource.words)
  const shared = useWords(words)
  const me = useMe()
  const create = useDialog("create")
  const button =
    me.tier < 1 ? null : (
      <Button kind="primary" icon={Plus} onClick={() => create.show()}>
        {t.create}
      </Button>
    )
  return (
    <Page title={t.title} about={t.about} actions={button}>
      <Answered answer={answer}>
        {(list) => (
          <Table
            label={t.title}
            columns={[
              ...columns,
              { title: shared.topics, cell: (_) => _.topics.join(", ") || shared.allTopics },
              { title: shared.state, cell: (_) => <SendingState sending={_} /> },
              { title: shared.created, cell: (_) => <Time at={_.created_at} /> }
            ]}
            rows={rowsOf(list)}
            keyOf={resource.idOf}
            empty={
              <EmptyState icon={icon} title={t.none} action={button}>
                {t.noneText}
              </EmptyState>
            }
          />
        )}
      </Answered>
      <CreateDialog resource={resource} onCreated={onCreated} />
    </Page>
  )
}

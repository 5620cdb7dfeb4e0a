import { Fingerprint, Plus } from "lucide-react"
import { Link } from "wouter"
import { usePages } from "../../api/useAnswer.ts"
import { Page } from "../../app/Page.tsx"
import { Answered } from "../../ui/Answered.tsx"
import { Badge } from "../../ui/Badge.tsx"
import { Button } from "../../ui/Button.tsx"
import { EmptyState } from "../../ui/EmptyState.tsx"
import { Mono } from "../../ui/layout.tsx"
import { MenuItem, RowMenu } from "../../ui/Menu.tsx"
import { type Column, Table } from "../../ui/Table.tsx"
import { Time } from "../../ui/Time.tsx"
import { useDialog } from "../../ui/useDialog.ts"
import { useWords } from "../../words/words.ts"
import { operator } from "../portico.ts"
import type { Issuer } from "./issuer.ts"
import { IssuerDialogs } from "./IssuerDialogs.tsx"
import { words } from "./words.ts"

const useColumns = (): ReadonlyArray<Column<Issuer>> => {
  const t = useWords(words)
  const change = useDialog("change")
  const remove = useDialog("remove")
  return [
    { title: t.issuer, cell: (_) => <Mono>{_.issuer}</Mono> },
    {
      title: t.project,
      cell: (_) => (
        <Link href={`/tenants/${_.project_id}`}>
          <Mono>{_.project_id}</Mono>
        </Link>
      )
    },
    { title: t.tier, cell: (_) => _.tier },
    { title: t.audience, cell: (_) => _.audience },
    { title: t.subjects, cell: (_) => _.subjects.map((subject) => <div key={subject}>{subject}</div>) },
    { title: t.state, cell: (_) => <Badge tone={_.enabled ? "good" : "warn"}>{_.enabled ? t.on : t.off}</Badge> },
    { title: t.changedAt, cell: (_) => <Time at={_.changed_at} /> },
    {
      title: "",
      end: true,
      cell: ({ issuer, issuer_id }) => (
        <RowMenu of={issuer}>
          <MenuItem onSelect={() => change.show(issuer_id)}>{t.change}</MenuItem>
          <MenuItem danger onSelect={() => remove.show(issuer_id)}>
            {t.remove}
          </MenuItem>
        </RowMenu>
      )
    }
  ]
}

const IssuersPage = () => {
  const t = useWords(words)
  const register = useDialog("register")
  const answer = usePages(operator.workloadIssuers.list, {})
  const columns = useColumns()
  const button = (
    <Button kind="primary" icon={Plus} onClick={() => register.show()}>
      {t.register}
    </Button>
  )
  return (
    <Page title={t.title} about={t.about} actions={button}>
      <Answered answer={answer}>
        {(pages) => (
          <>
            <Table
              label={t.title}
              columns={columns}
              rows={pages.flatMap((_) => _.issuers)}
              keyOf={(_) => _.issuer_id}
              count={pages[0]?.count}
              hasMore={answer.hasMore}
              more={answer.more}
              loadingMore={answer.loadingMore}
              empty={
                <EmptyState icon={Fingerprint} title={t.none} action={button}>
                  {t.noneText}
                </EmptyState>
              }
            />
            <IssuerDialogs issuers={pages.flatMap((_) => _.issuers)} />
          </>
        )}
      </Answered>
    </Page>
  )
}

export default IssuersPage

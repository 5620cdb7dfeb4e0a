import { Link } from "wouter"
import { portico } from "../api/portico.ts"
import { useAnswer } from "../api/useAnswer.ts"
import { hasRole, useMe } from "../app/me.ts"
import { Page } from "../app/Page.tsx"
import { Answered } from "../ui/Answered.tsx"
import { Badge } from "../ui/Badge.tsx"
import { Button } from "../ui/Button.tsx"
import { Card, Facts, Mono, Muted, Stack } from "../ui/layout.tsx"
import { Table } from "../ui/Table.tsx"
import { Time } from "../ui/Time.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useFormats } from "../words/formats.ts"
import { useWords } from "../words/words.ts"
import { CloseDialog } from "./CloseDialog.tsx"
import { type Account, pathOf } from "./project.tsx"
import { words } from "./words.ts"

const tones = { open: "good", closing: "bad", destroyed: "bad" } as const

const AccountPage = () => {
  const t = useWords(words)
  const me = useMe()
  const close = useDialog("close")
  const answer = useAnswer(portico.account.show, {})
  const mayClose = hasRole(me, "customer-owner")
  return (
    <Page
      title={answer.data?.name ?? t.account}
      about={t.accountAbout}
      actions={
        answer.data?.state === "open" ? (
          <Button
            kind="danger"
            disabled={!mayClose}
            title={mayClose ? undefined : t.ownerOnly}
            onClick={() => close.show()}
          >
            {t.close}
          </Button>
        ) : null
      }
    >
      <Answered answer={answer}>{(account) => <Shown account={account} />}</Answered>
    </Page>
  )
}

const Shown = ({ account }: { readonly account: Account }) => {
  const t = useWords(words)
  const { number } = useFormats()
  return (
    <Stack>
      {account.state === "open" ? null : <Closing account={account} />}
      <Card title={t.facts}>
        <Facts
          facts={[
            { label: t.state, value: <Badge tone={tones[account.state]}>{t[account.state]}</Badge> },
            { label: t.number, value: String(account.number) },
            { label: t.members, value: number(account.members) },
            { label: t.window, value: number(account.window_days) },
            { label: t.created, value: <Time at={account.created_at} as="moment" /> }
          ]}
        />
      </Card>
      <Table
        label={t.projects}
        rows={account.projects}
        keyOf={(_) => _.project_id}
        empty={null}
        columns={[
          { title: t.project, cell: (_) => <Link href={pathOf(_.project_id)}>{_.name === "" ? _.slug : _.name}</Link> },
          { title: t.platformName, cell: (_) => _.slug },
          { title: t.tier, cell: (_) => _.tier }
        ]}
      />
      <CloseDialog account={account} />
    </Stack>
  )
}

const Closing = ({ account }: { readonly account: Account }) => {
  const t = useWords(words)
  return (
    <Card title={t.windowTitle}>
      <p role="status">{account.destroying ? t.destroying : t.windowText}</p>
      <Facts
        facts={[
          { label: t.closesAt, value: <Time at={account.closes_at} as="moment" /> },
          { label: t.closedAt, value: <Time at={account.closed_at} as="moment" /> },
          { label: t.closedBy, value: account.closed_by === null ? "–" : <Mono>{account.closed_by}</Mono> },
          { label: t.reason, value: account.reason ?? <Muted>–</Muted> }
        ]}
      />
    </Card>
  )
}

export default AccountPage

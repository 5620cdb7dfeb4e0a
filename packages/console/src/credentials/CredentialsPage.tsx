import { KeyRound, Plus } from "lucide-react"
import { Link } from "wouter"
import { portico } from "../api/portico.ts"
import { usePages } from "../api/useAnswer.ts"
import { useMe } from "../app/me.ts"
import { Page } from "../app/Page.tsx"
import { State } from "../ui/Badge.tsx"
import { Answered } from "../ui/Answered.tsx"
import { Button } from "../ui/Button.tsx"
import { EmptyState } from "../ui/EmptyState.tsx"
import { Mono, Muted } from "../ui/layout.tsx"
import { MenuItem, RowMenu } from "../ui/Menu.tsx"
import { type Column, Table } from "../ui/Table.tsx"
import { Time } from "../ui/Time.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useWords } from "../words/words.ts"
import { type Credential, mayRevoke, mayRotate } from "./credential.tsx"
import { Filters, useListInput } from "./Filters.tsx"
import { MintDialog } from "./MintDialog.tsx"
import { RevokeDialog } from "./RevokeDialog.tsx"
import { RotateDialog } from "./RotateDialog.tsx"
import { words } from "./words.ts"

const useColumns = (): ReadonlyArray<Column<Credential>> => {
  const t = useWords(words)
  const me = useMe()
  const rotate = useDialog("rotate")
  const revoke = useDialog("revoke")
  return [
    {
      title: t.label,
      cell: ({ credential_id, label }) => (
        <>
          <Link href={`/credentials/${credential_id}`}>{label}</Link>
          <br />
          <Muted small>
            <Mono>{credential_id}</Mono>
          </Muted>
        </>
      )
    },
    ...(me.tenant === null
      ? [{ title: t.account, cell: (_: Credential) => _.tenant?.name ?? <Mono>{_.project_id}</Mono> }]
      : []),
    { title: t.kind, cell: (_) => _.kind },
    { title: t.tier, cell: (_) => t.tierOf(_.tier) },
    { title: t.state, cell: (_) => <State state={_.state} /> },
    {
      title: t.lastUsed,
      cell: ({ last_used_at, last_used_from }) => (
        <>
          <Time at={last_used_at} />
          {last_used_from === null ? null : <Muted small> {t.lastUsedFrom(last_used_from)}</Muted>}
        </>
      )
    },
    { title: t.expires, cell: (_) => <Time at={_.expires_at} /> },
    {
      title: "",
      end: true,
      cell: (credential) => {
        const { credential_id, label, rotated_to, state } = credential
        const rotates = state === "active" && rotated_to === null && mayRotate(me, credential)
        return state === "revoked" || (!rotates && !mayRevoke(me)) ? null : (
          <RowMenu of={label}>
            {rotates ? <MenuItem onSelect={() => rotate.show(credential_id)}>{t.rotate}</MenuItem> : null}
            {mayRevoke(me) ? (
              <MenuItem danger onSelect={() => revoke.show(credential_id)}>
                {t.revoke}
              </MenuItem>
            ) : null}
          </RowMenu>
        )
      }
    }
  ]
}

const CredentialsPage = () => {
  const t = useWords(words)
  const me = useMe()
  const mint = useDialog("mint")
  const input = useListInput()
  const answer = usePages(portico.credentials.list, input)
  const columns = useColumns()
  const filtered = [input.kind, input.label, input.made_by, input.unused_days].some((_) => _ !== undefined)
  const button =
    me.tenant === null ? null : (
      <Button kind="primary" icon={Plus} onClick={() => mint.show()}>
        {t.mint}
      </Button>
    )
  const makers = (answer.data ?? []).flatMap((_) => _.credentials).flatMap((_) => _.made_by ?? [])
  return (
    <Page title={t.title} about={t.about} actions={button}>
      <Filters makers={makers} />
      <Answered answer={answer}>
        {(pages) => {
          const all = pages.flatMap((_) => _.credentials)
          return (
            <>
              <Table
                label={t.title}
                columns={columns}
                rows={all}
                keyOf={(_) => _.credential_id}
                count={pages.at(-1)?.count}
                hasMore={answer.hasMore}
                more={answer.more}
                loadingMore={answer.loadingMore}
                empty={
                  <EmptyState
                    icon={KeyRound}
                    title={filtered ? t.noneFits : t.none}
                    action={filtered ? undefined : button}
                  >
                    {filtered ? t.noneFitsText : t.noneText}
                  </EmptyState>
                }
              />
              <RotateDialog credentials={all} />
              <RevokeDialog credentials={all} />
            </>
          )
        }}
      </Answered>
      <MintDialog />
    </Page>
  )
}

export default CredentialsPage

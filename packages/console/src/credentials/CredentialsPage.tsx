import { KeyRound, Plus } from "lucide-react"
import { portico } from "../api/portico.ts"
import { usePages } from "../api/useAnswer.ts"
import { Page } from "../app/Page.tsx"
import { State } from "../ui/Badge.tsx"
import { Answered } from "../ui/Answered.tsx"
import { Button } from "../ui/Button.tsx"
import { EmptyState } from "../ui/EmptyState.tsx"
import { FilterBar, TextField } from "../ui/form.tsx"
import { Mono, Muted } from "../ui/layout.tsx"
import { MenuItem, RowMenu } from "../ui/Menu.tsx"
import { type Column, Table } from "../ui/Table.tsx"
import { Time } from "../ui/Time.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useFilter } from "../ui/useFilter.ts"
import { useWords } from "../words/words.ts"
import type { Credential } from "./credential.ts"
import { MintDialog } from "./MintDialog.tsx"
import { RevokeDialog } from "./RevokeDialog.tsx"
import { RotateDialog } from "./RotateDialog.tsx"
import { words } from "./words.ts"

const useColumns = (): ReadonlyArray<Column<Credential>> => {
  const t = useWords(words)
  const rotate = useDialog("rotate")
  const revoke = useDialog("revoke")
  return [
    {
      title: t.label,
      cell: ({ credential_id, label }) => (
        <>
          {label}
          <br />
          <Muted small>
            <Mono>{credential_id}</Mono>
          </Muted>
        </>
      )
    },
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
      cell: ({ credential_id, label, state }) =>
        state === "revoked" ? null : (
          <RowMenu of={label}>
            <MenuItem onSelect={() => rotate.show(credential_id)}>{t.rotate}</MenuItem>
            <MenuItem danger onSelect={() => revoke.show(credential_id)}>
              {t.revoke}
            </MenuItem>
          </RowMenu>
        )
    }
  ]
}

const CredentialsPage = () => {
  const t = useWords(words)
  const mint = useDialog("mint")
  const [wanted, setWanted] = useFilter("q")
  const answer = usePages(portico.credentials.list, {})
  const columns = useColumns()
  const fits = ({ credential_id, label }: Credential) =>
    `${label} ${credential_id}`.toLowerCase().includes(wanted.toLowerCase())
  return (
    <Page
      title={t.title}
      about={t.about}
      actions={
        <Button kind="primary" icon={Plus} onClick={() => mint.show()}>
          {t.mint}
        </Button>
      }
    >
      <FilterBar>
        <TextField label={t.search} value={wanted} onChange={setWanted} type="search" />
      </FilterBar>
      <Answered answer={answer}>
        {(pages) => {
          const all = pages.flatMap((_) => _.credentials)
          return (
            <>
              <Table
                label={t.title}
                columns={columns}
                rows={all.filter(fits)}
                keyOf={(_) => _.credential_id}
                hasMore={answer.hasMore}
                more={answer.more}
                loadingMore={answer.loadingMore}
                empty={
                  <EmptyState icon={KeyRound} title={t.none}>
                    {t.noneText}
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

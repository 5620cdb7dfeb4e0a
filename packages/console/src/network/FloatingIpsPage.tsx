import { Globe, Link2, Link2Off, Plus, Trash2 } from "lucide-react"
import { Link } from "wouter"
import { Page } from "../app/Page.tsx"
import { useMay } from "../platform/may.ts"
import { RemoveDialog } from "../platform/RemoveDialog.tsx"
import { usePlatformPages } from "../platform/usePlatformPages.ts"
import { Answered } from "../ui/Answered.tsx"
import { State } from "../ui/Badge.tsx"
import { Button } from "../ui/Button.tsx"
import { EmptyState } from "../ui/EmptyState.tsx"
import { FilterBar, TextField } from "../ui/form.tsx"
import { Mono, Muted } from "../ui/layout.tsx"
import { MenuItem, RowMenu } from "../ui/Menu.tsx"
import { type Column, serverSorts, Table } from "../ui/Table.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useFilter } from "../ui/useFilter.ts"
import { useWords } from "../words/words.ts"
import { words } from "./addressWords.ts"
import { FloatingIp, serverOf } from "./floatingIp.ts"
import { FloatingIpDialogs } from "./FloatingIpDialogs.tsx"
import { useServerNames } from "./lookups.ts"

const FloatingIpMenu = ({ floating }: { readonly floating: FloatingIp }) => {
  const t = useWords(words)
  const may = useMay()
  const [associate, disassociate, remove] = [useDialog("associate"), useDialog("disassociate"), useDialog("delete")]
  return (
    <RowMenu of={floating.floating_ip_address}>
      {floating.port_id === "" ? (
        <MenuItem icon={Link2} disabled={!may.change} onSelect={() => associate.show(floating.id)}>
          {t.associate}
        </MenuItem>
      ) : (
        <MenuItem icon={Link2Off} disabled={!may.change} onSelect={() => disassociate.show(floating.id)}>
          {t.disassociate}
        </MenuItem>
      )}
      <MenuItem icon={Trash2} danger disabled={!may.destroy} onSelect={() => remove.show(floating.id)}>
        {t.release}
      </MenuItem>
    </RowMenu>
  )
}

const useColumns = (): ReadonlyArray<Column<FloatingIp>> => {
  const t = useWords(words)
  const nameOf = useServerNames()
  return [
    { title: t.address, cell: (_) => <Mono>{_.floating_ip_address}</Mono>, serverSort: "floating_ip_address" },
    { title: t.state, cell: (_) => <State state={_.status} />, serverSort: "status" },
    {
      title: t.leadsTo,
      cell: (floating) => {
        const server = serverOf(floating)
        if (floating.port_id === "") return <Muted>{t.nowhere}</Muted>
        return (
          <>
            {server === "" ? null : <Link href={`/compute/servers/${server}`}>{nameOf(server)}</Link>}{" "}
            <Muted small>
              <Mono>{floating.fixed_ip_address}</Mono>
            </Muted>
          </>
        )
      }
    },
    { title: "", end: true, cell: (floating) => <FloatingIpMenu floating={floating} /> }
  ]
}

const FloatingIpsPage = () => {
  const t = useWords(words)
  const may = useMay()
  const allocate = useDialog("allocate")
  const [address, setAddress] = useFilter("address")
  const columns = useColumns()
  const answer = usePlatformPages({
    path: "network/floatingips",
    key: "floatingips",
    item: FloatingIp,
    query: { floating_ip_address: address },
    sorts: serverSorts(columns)
  })
  const allocateButton = may.change ? (
    <Button kind="primary" icon={Plus} onClick={() => allocate.show()}>
      {t.allocate}
    </Button>
  ) : null
  return (
    <Page title={t.floatingIps} about={t.about} actions={allocateButton}>
      <FilterBar>
        <TextField label={t.addressFilter} value={address} onChange={setAddress} type="search" />
      </FilterBar>
      <Answered answer={answer}>
        {(floating) => (
          <>
            <Table
              label={t.floatingIps}
              columns={columns}
              rows={floating}
              keyOf={(_) => _.id}
              hasMore={answer.hasMore}
              more={answer.more}
              loadingMore={answer.loadingMore}
              empty={
                <EmptyState
                  icon={Globe}
                  title={address === "" ? t.none : t.nothingFits}
                  action={address === "" ? allocateButton : null}
                >
                  {address === "" ? t.noneText : t.noneFits}
                </EmptyState>
              }
            />
            <FloatingIpDialogs floating={floating} />
            <RemoveDialog
              things={floating}
              idOf={(_) => _.id}
              nameOf={(_) => _.floating_ip_address}
              pathOf={(_) => `network/floatingips/${_.id}`}
              title={t.releaseTitle}
              text={t.releaseText}
              verb={t.release}
              done={t.released}
            />
          </>
        )}
      </Answered>
    </Page>
  )
}

export default FloatingIpsPage

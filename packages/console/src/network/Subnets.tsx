import { Plug, Plus, Trash2, Unplug } from "lucide-react"
import { ActDialog } from "../platform/ActDialog.tsx"
import { listOf } from "../platform/lists.ts"
import { useMay } from "../platform/may.ts"
import { RemoveDialog } from "../platform/RemoveDialog.tsx"
import { usePlatform, usePlatformAct } from "../platform/usePlatform.ts"
import { Answered } from "../ui/Answered.tsx"
import { Button } from "../ui/Button.tsx"
import { TextField } from "../ui/form.tsx"
import { Card, Mono, Muted } from "../ui/layout.tsx"
import { MenuItem, RowMenu } from "../ui/Menu.tsx"
import { RefusalBox } from "../ui/RefusalBox.tsx"
import { type Column, Table } from "../ui/Table.tsx"
import { toast } from "../ui/toasts.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useDraft } from "../ui/useDraft.ts"
import { useWords } from "../words/words.ts"
import { DisconnectDialog } from "./DisconnectDialog.tsx"
import { usePorts, useRouters } from "./lookups.ts"
import { nameOf, type Network, routerOf, Subnet } from "./network.ts"
import { words } from "./networkWords.ts"
import { interfaceWrite, subnetWrite } from "./useCreateNetwork.ts"

const AddSubnetDialog = ({ networkId }: { readonly networkId: string }) => {
  const t = useWords(words)
  const { draft, set } = useDraft({ name: "", cidr: "" })
  return (
    <ActDialog
      dialog={useDialog("subnet")}
      title={t.addSubnet}
      verb={t.addSubnet}
      write={subnetWrite(networkId, draft.name, draft.cidr)}
      done={t.subnetAdded}
    >
      <TextField label={t.subnetName} value={draft.name} onChange={set("name")} optional />
      <TextField label={t.cidr} help={t.cidrHelp} value={draft.cidr} onChange={set("cidr")} />
    </ActDialog>
  )
}

const subnets = listOf("subnets", Subnet)

const SubnetMenu = ({ subnet, connectedTo }: { readonly subnet: Subnet; readonly connectedTo: string | undefined }) => {
  const t = useWords(words)
  const may = useMay()
  const [router] = useRouters()
  const [disconnect, remove] = [useDialog("disconnect"), useDialog("deleteSubnet")]
  const connect = usePlatformAct(() => toast(t.connected))
  return (
    <>
      <RowMenu of={nameOf(subnet)}>
        {connectedTo === undefined ? (
          <MenuItem
            icon={Plug}
            disabled={!may.change || router === undefined}
            onSelect={() => router !== undefined && void connect.act(interfaceWrite(router.id, "add", subnet.id))}
          >
            {t.connect}
          </MenuItem>
        ) : (
          <MenuItem icon={Unplug} disabled={!may.change} onSelect={() => disconnect.show(subnet.id)}>
            {t.disconnect}
          </MenuItem>
        )}
        <MenuItem icon={Trash2} danger disabled={!may.destroy} onSelect={() => remove.show(subnet.id)}>
          {t.delete}
        </MenuItem>
      </RowMenu>
      <RefusalBox refusal={connect.refusal} />
    </>
  )
}

interface SubnetsProps {
  readonly network: Network
  readonly isOwn: boolean
}

const useColumns = (isOwn: boolean): ReadonlyArray<Column<Subnet>> => {
  const t = useWords(words)
  const ports = usePorts().data ?? []
  const acts: Column<Subnet> = {
    title: "",
    end: true,
    cell: (subnet) => <SubnetMenu subnet={subnet} connectedTo={routerOf(subnet, ports)} />
  }
  return [
    { title: t.name, cell: nameOf },
    { title: t.cidr, cell: (_) => <Mono>{_.cidr}</Mono> },
    { title: t.gateway, cell: (_) => (_.gateway_ip === "" ? t.noGateway : <Mono>{_.gateway_ip}</Mono>) },
    { title: t.dhcp, cell: (_) => (_.enable_dhcp ? t.yes : t.no) },
    {
      title: t.router,
      cell: (subnet) => {
        const router = routerOf(subnet, ports)
        return router === undefined ? <Muted>{t.notConnected}</Muted> : <Mono>{router.slice(0, 8)}</Mono>
      }
    },
    ...(isOwn ? [acts] : [])
  ]
}

/** The subnets of a network, and whether they reach the internet. */
export const Subnets = ({ isOwn, network }: SubnetsProps) => {
  const t = useWords(words)
  const may = useMay()
  const add = useDialog("subnet")
  const columns = useColumns(isOwn)
  const answer = usePlatform(subnets, `network/subnets?network_id=${network.id}`)
  return (
    <Card
      title={t.subnets}
      actions={
        isOwn && may.change ? (
          <Button icon={Plus} onClick={() => add.show(network.id)}>
            {t.addSubnet}
          </Button>
        ) : null
      }
    >
      <Answered answer={answer}>
        {(rows) => (
          <>
            <Table
              label={t.subnets}
              rows={rows}
              keyOf={(_) => _.id}
              columns={columns}
              empty={<Muted>{t.noSubnets}</Muted>}
            />
            <DisconnectDialog subnets={rows} />
            <RemoveDialog
              dialog="deleteSubnet"
              things={rows}
              idOf={(_) => _.id}
              nameOf={nameOf}
              pathOf={(_) => `network/subnets/${_.id}`}
              title={t.deleteTitle}
              text={t.deleteSubnetText}
              verb={t.delete}
              done={t.subnetDeleted}
            />
          </>
        )}
      </Answered>
      {add.open ? <AddSubnetDialog networkId={network.id} /> : null}
    </Card>
  )
}

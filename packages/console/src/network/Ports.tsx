import { Link } from "wouter"
import { listOf } from "../platform/lists.ts"
import { usePlatform } from "../platform/usePlatform.ts"
import { Answered } from "../ui/Answered.tsx"
import { State } from "../ui/Badge.tsx"
import { Card, Mono, Muted } from "../ui/layout.tsx"
import { Table } from "../ui/Table.tsx"
import { useWords } from "../words/words.ts"
import { useServerNames } from "./lookups.ts"
import { isServersPort, Port } from "./network.ts"
import { words } from "./networkWords.ts"

const ports = listOf("ports", Port)

/** Who has an address on a network. */
export const Ports = ({ networkId }: { readonly networkId: string }) => {
  const t = useWords(words)
  const nameOfServer = useServerNames()
  const answer = usePlatform(ports, `network/ports?network_id=${networkId}`)
  return (
    <Card title={t.ports}>
      <Answered answer={answer}>
        {(rows) => (
          <Table
            label={t.ports}
            rows={rows}
            keyOf={(_) => _.id}
            empty={<Muted>{t.noPorts}</Muted>}
            columns={[
              { title: t.address, cell: (_) => <Mono>{_.fixed_ips.map((ip) => ip.ip_address).join(", ")}</Mono> },
              {
                title: t.usedBy,
                cell: (port) =>
                  isServersPort(port) ? (
                    <Link href={`/compute/servers/${port.device_id}`}>{nameOfServer(port.device_id)}</Link>
                  ) : (
                    <Mono>{port.device_owner}</Mono>
                  )
              },
              { title: t.state, cell: (_) => <State state={_.status} /> }
            ]}
          />
        )}
      </Answered>
    </Card>
  )
}

import { useAnswer } from "../../api/useAnswer.ts"
import { Answered } from "../../ui/Answered.tsx"
import { Card, Grid, Muted, Row } from "../../ui/layout.tsx"
import { Meter } from "../../ui/Meter.tsx"
import { useFormats } from "../../words/formats.ts"
import { useWords } from "../../words/words.ts"
import { operator } from "../portico.ts"
import { words } from "./words.ts"

type Quotas = Awaited<ReturnType<typeof operator.quotas.show>>

interface Quota {
  readonly label: string
  readonly used: number | null
  readonly limit: number
  readonly bytes?: boolean
}

const useRows = () => {
  const t = useWords(words)
  const mib = 1024 ** 2
  return (_: Quotas): ReadonlyArray<Quota> => [
    { label: t.instances, ..._.compute.instances },
    { label: t.cores, ..._.compute.cores },
    {
      label: t.ram,
      used: _.compute.ram.used === null ? null : _.compute.ram.used * mib,
      limit: _.compute.ram.limit < 0 ? -1 : _.compute.ram.limit * mib,
      bytes: true
    },
    { label: t.volumes, ..._.block_storage.volumes },
    { label: t.gigabytes, ..._.block_storage.gigabytes },
    { label: t.backups, ..._.block_storage.backups },
    { label: t.buckets, ..._.object_storage.buckets },
    { label: t.objectBytes, ..._.object_storage.bytes, bytes: true },
    { label: t.databases, ..._.databases.gigabytes },
    { label: t.networks, ..._.network.networks },
    { label: t.routers, ..._.network.routers },
    { label: t.floatingIps, ..._.network.floating_ips },
    { label: t.loadBalancers, ..._.load_balancers },
    { label: t.natGateways, ..._.nat_gateways },
    { label: t.dnsZones, ..._.dns_zones },
    { label: t.exposures, ..._.edge_exposures },
    { label: t.credentials, ..._.credentials }
  ]
}

const Use = ({ bytes = false, label, limit, used }: Quota) => {
  const t = useWords(words)
  const formats = useFormats()
  const shown = bytes ? formats.bytes : formats.number
  const most = limit < 0 ? t.unlimited : shown(limit)
  if (used === null || limit < 0)
    return (
      <Row spread>
        <span>{label}</span>
        <Muted>{t.usedOf(used === null ? t.usedUnknown : shown(used), most)}</Muted>
      </Row>
    )
  return <Meter label={label} used={used} limit={limit} text={t.usedOf(shown(used), most)} />
}

/** What the tenant may have, and what it has. */
export const QuotasCard = ({ projectId }: { readonly projectId: string }) => {
  const t = useWords(words)
  const rows = useRows()
  return (
    <Card title={t.use}>
      <Answered answer={useAnswer(operator.quotas.show, { project: projectId })}>
        {(quotas) => (
          <Grid>
            {rows(quotas).map((_) => (
              <Use key={_.label} {..._} />
            ))}
          </Grid>
        )}
      </Answered>
    </Card>
  )
}

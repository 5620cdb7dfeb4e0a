import type { ReactNode } from "react"
import { Link } from "wouter"
import { BigNumber, Card, Grid, Muted } from "../../ui/layout.tsx"
import { useFormats } from "../../words/formats.ts"
import { useWords } from "../../words/words.ts"
import type { operator } from "../portico.ts"
import { words } from "./words.ts"

type Platform = Awaited<ReturnType<typeof operator.monitoring.overview>>

interface CountProps {
  readonly title: string
  readonly href: string
  readonly count: ReactNode
  readonly about?: string
}

/** One figure that leads to its list. */
export const Count = ({ about, count, href, title }: CountProps) => (
  <Card title={<Link href={href}>{title}</Link>}>
    <BigNumber>{count}</BigNumber>
    {about === undefined ? null : <Muted small>{about}</Muted>}
  </Card>
)

/** How much there is, and how busy it is. */
export const Counts = ({ platform }: { readonly platform: Platform }) => {
  const t = useWords(words)
  const { number } = useFormats()
  const { alarms, instances, nodes, tenants } = platform
  const percent = (_: number | null) => (_ === null ? t.unknown : `${number(_)} %`)
  return (
    <Grid cards="narrow">
      <Count
        title={t.tenants}
        href="/tenants"
        count={number(tenants.total)}
        about={t.suspended(number(tenants.suspended))}
      />
      <Count
        title={t.nodes}
        href="/capacity/fleet"
        count={t.nodesOf(number(nodes.up), number(nodes.total))}
        about={t.use(percent(nodes.cpu_percent), percent(nodes.memory_percent))}
      />
      <Count
        title={t.servers}
        href="/capacity/fleet"
        count={number(instances.measured)}
        about={t.use(percent(instances.cpu_percent), percent(instances.memory_percent))}
      />
      <Count title={t.alarms} href="/capacity/fleet" count={number(alarms.alarm)} />
    </Grid>
  )
}

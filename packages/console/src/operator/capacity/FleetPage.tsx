import { Server } from "lucide-react"
import { Link } from "wouter"
import { useAnswer } from "../../api/useAnswer.ts"
import { Page } from "../../app/Page.tsx"
import { Answered } from "../../ui/Answered.tsx"
import { Badge } from "../../ui/Badge.tsx"
import { ButtonLink } from "../../ui/Button.tsx"
import { EmptyState } from "../../ui/EmptyState.tsx"
import { Stack } from "../../ui/layout.tsx"
import { type Column, Table } from "../../ui/Table.tsx"
import { useFormats } from "../../words/formats.ts"
import { useWords } from "../../words/words.ts"
import { words as common } from "../common/words.ts"
import { operator } from "../portico.ts"
import { words } from "./words.ts"

type Fleet = Awaited<ReturnType<typeof operator.monitoring.fleet>>

const useColumns = () => {
  const t = useWords(words)
  const c = useWords(common)
  const { number } = useFormats()
  const percent = (_: number | null) => (_ === null ? t.notMeasured : `${number(_)} %`)
  const use = [
    { title: "CPU", end: true, cell: (_: Use) => percent(_.cpu_percent), sort: (_: Use) => _.cpu_percent ?? -1 },
    {
      title: t.memory,
      end: true,
      cell: (_: Use) => percent(_.memory_percent),
      sort: (_: Use) => _.memory_percent ?? -1
    }
  ]
  const nodes: ReadonlyArray<Column<Fleet["nodes"][number]>> = [
    { title: t.node, cell: (_) => _.node, sort: (_) => _.node },
    { title: c.state, cell: ({ up }) => <Badge tone={up ? "good" : "bad"}>{up ? t.up : t.down}</Badge> },
    ...use
  ]
  const tenants: ReadonlyArray<Column<Fleet["tenants"][number]>> = [
    {
      title: t.tenant,
      sort: (_) => _.name ?? _.project_id,
      cell: ({ name, project_id }) => (name === null ? project_id : <Link href={`/tenants/${project_id}`}>{name}</Link>)
    },
    { title: c.tier, cell: (_) => _.tier ?? "–", sort: (_) => _.tier ?? "" },
    { title: t.servers, end: true, cell: (_) => number(_.instances), sort: (_) => _.instances },
    ...use,
    {
      title: t.alarms,
      sort: (_) => _.alarms.alarm,
      cell: ({ alarms }) => (alarms.alarm > 0 ? <Badge tone="bad">{number(alarms.alarm)}</Badge> : number(alarms.alarm))
    }
  ]
  return { nodes, tenants }
}

interface Use {
  readonly cpu_percent: number | null
  readonly memory_percent: number | null
}

const FleetPage = () => {
  const t = useWords(words)
  const columns = useColumns()
  const answer = useAnswer(operator.monitoring.fleet, {}, { everyMillis: 30_000 })
  const empty = (
    <EmptyState icon={Server} title={t.noNodes} action={<ButtonLink href="/capacity">{t.title}</ButtonLink>}>
      {t.notMeasured}
    </EmptyState>
  )
  return (
    <Page title={t.fleet} about={t.fleetAbout} up={{ href: "/capacity", title: t.title }}>
      <Answered answer={answer}>
        {({ nodes, tenants }) => (
          <Stack>
            <h2>{t.nodes}</h2>
            <Table label={t.nodes} columns={columns.nodes} rows={nodes} keyOf={(_) => _.node} empty={empty} />
            <h2>{t.tenants}</h2>
            <Table
              label={t.tenants}
              columns={columns.tenants}
              rows={tenants}
              keyOf={(_) => _.project_id}
              empty={empty}
            />
          </Stack>
        )}
      </Answered>
    </Page>
  )
}

export default FleetPage

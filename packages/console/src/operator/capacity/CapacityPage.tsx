import { useAnswer } from "../../api/useAnswer.ts"
import { Page } from "../../app/Page.tsx"
import { Answered } from "../../ui/Answered.tsx"
import { Card, Grid, Muted } from "../../ui/layout.tsx"
import { Meter } from "../../ui/Meter.tsx"
import { useFormats } from "../../words/formats.ts"
import { useWords } from "../../words/words.ts"
import { AdmissionTable } from "../common/AdmissionTable.tsx"
import { operator } from "../portico.ts"
import { ForecastCard } from "./ForecastCard.tsx"
import { SellableMeters } from "./SellableMeters.tsx"
import { words } from "./words.ts"

type Physical = Awaited<ReturnType<typeof operator.monitoring.capacity>>["physical"]

const Hardware = ({ physical }: { readonly physical: Physical }) => {
  const t = useWords(words)
  const { bytes, number } = useFormats()
  const { disk_gib, hypervisors, memory_mib, running_instances, storage_bytes, vcpus } = physical
  const rows = [
    { label: t.cpu, ...vcpus, shown: number },
    { label: t.memory, ...memory_mib, shown: (_: number) => bytes(_ * 1024 ** 2) },
    { label: t.disk, ...disk_gib, shown: (_: number) => bytes(_ * 1024 ** 3) },
    ...(storage_bytes === null ? [] : [{ label: t.storage, ...storage_bytes, shown: bytes }])
  ]
  return (
    <Card title={t.physical}>
      <Muted>{t.hypervisors(number(hypervisors), number(running_instances))}</Muted>
      <Grid>
        {rows.map(({ label, shown, total, used }) => (
          <Meter key={label} label={label} used={used} limit={total} text={t.of(shown(used), shown(total))} />
        ))}
      </Grid>
    </Card>
  )
}

const CapacityPage = () => {
  const t = useWords(words)
  const answer = useAnswer(operator.monitoring.capacity, {})
  return (
    <Page title={t.title} about={t.about}>
      <Answered answer={answer}>
        {({ physical, sellable }) => (
          <>
            <Card title={t.sellable}>
              <SellableMeters capacity={sellable} />
            </Card>
            <ForecastCard pace={sellable.pace} />
            <Hardware physical={physical} />
            <Card title={t.next}>
              {sellable.tiers.map((_) => (
                <AdmissionTable key={_.tier} numbers={_} />
              ))}
            </Card>
          </>
        )}
      </Answered>
    </Page>
  )
}

export default CapacityPage

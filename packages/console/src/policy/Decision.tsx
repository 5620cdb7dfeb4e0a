import { areas } from "virtual:areas"
import { Badge } from "../ui/Badge.tsx"
import { CheckField } from "../ui/form.tsx"
import { Card, Facts, Muted } from "../ui/layout.tsx"
import { type Column, Table } from "../ui/Table.tsx"
import { useFilter } from "../ui/useFilter.ts"
import { useWords } from "../words/words.ts"
import { denying, type Level, levels } from "./denies.ts"
import type { Effective } from "./policy.ts"
import { words } from "./words.ts"

interface Props {
  readonly effective: Effective
}

/** One cell: allowed, or who decided that it is not. */
const Cell = ({ area, effective, level }: Props & { readonly area: string; readonly level: Level }) => {
  const t = useWords(words)
  const deny = denying(effective.denies, area, level)
  const nameOf = (unit: string) => (unit === "" ? t.account : unit)
  if (deny !== undefined) {
    return (
      <>
        <Badge tone="bad">{t.by(nameOf(deny.from))}</Badge> <Muted small>{deny.deny}</Muted>
      </>
    )
  }
  const tier = effective.effective_tier ?? effective.max_tier ?? 2
  return levels.indexOf(level) > tier ? (
    <Badge tone="warn">{t.tierTooLow(tier)}</Badge>
  ) : (
    <Badge tone="good">{t.yes}</Badge>
  )
}

const Areas = ({ effective }: Props) => {
  const t = useWords(words)
  const [only, setOnly] = useFilter("denied")
  const titles: Readonly<Record<Level, string>> = { read: t.read, operate: t.operate, destroy: t.destroy }
  const columns: ReadonlyArray<Column<string>> = [
    { title: t.area, cell: (area) => area },
    ...levels.map((level) => ({
      title: titles[level],
      cell: (area: string) => <Cell area={area} effective={effective} level={level} />
    }))
  ]
  const isDenied = (area: string) => levels.some((_) => denying(effective.denies, area, _) !== undefined)
  return (
    <>
      <CheckField label={t.onlyAreas} checked={only === "yes"} onChange={(_) => setOnly(_ ? "yes" : "")} />
      <Table
        label={t.effective}
        columns={columns}
        rows={only === "yes" ? areas.filter(isDenied) : areas}
        keyOf={(_) => _}
        empty={<p role="status">{t.nothingDenied}</p>}
      />
    </>
  )
}

/** What the policies leave, area by area, and the policies that were combined. */
export const Decision = ({ effective }: Props) => {
  const t = useWords(words)
  const { effective_tier, max_tier, max_tier_from, ou, tier, units } = effective
  const nameOf = (unit: string) => (unit === "" ? t.account : unit)
  return (
    <>
      <Card>
        <Facts
          facts={[
            { label: t.unit, value: nameOf(ou) },
            ...(tier === null ? [] : [{ label: t.tierBefore, value: t.tierOf(tier) }]),
            ...(effective_tier === null ? [] : [{ label: t.tierAfter, value: t.tierOf(effective_tier) }]),
            { label: t.maxTier, value: max_tier === null ? t.noCap : t.tierOf(max_tier) },
            ...(max_tier_from === null ? [] : [{ label: t.capFrom, value: nameOf(max_tier_from) }])
          ]}
        />
      </Card>
      <Card title={t.lineage}>
        <Facts
          facts={units.map((unit) => ({
            label: nameOf(unit.ou),
            value: [...(unit.max_tier === null ? [] : [t.cap(unit.max_tier)]), ...unit.denies].join(", ") || t.noPolicy
          }))}
        />
      </Card>
      <Areas effective={effective} />
    </>
  )
}

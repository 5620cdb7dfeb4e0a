import { useNames } from "../people/useNames.ts"
import { CheckField, FilterBar, SelectField, TextField } from "../ui/form.tsx"
import { given, useFilter } from "../ui/useFilter.ts"
import { useWords } from "../words/words.ts"
import { words } from "./words.ts"

const kinds = ["", "api-key", "mcp"] as const
const spans = [7, 30, 90, 180, 365]

const kindOf = (text: string): "api-key" | "mcp" | undefined =>
  text === "api-key" || text === "mcp" ? text : undefined

/** What the address says, as the list takes it. Revoked ones are never among the unused. */
export const useListInput = () => {
  const [kind] = useFilter("kind")
  const [label] = useFilter("label")
  const [maker] = useFilter("made_by")
  const [unused] = useFilter("unused_days")
  const [revoked] = useFilter("revoked")
  return {
    limit: 200,
    kind: kindOf(kind),
    label: given(label),
    made_by: given(maker),
    unused_days: unused === "" ? undefined : Number(unused),
    include_revoked: revoked === "yes" && unused === "" ? true : undefined
  }
}

interface FiltersProps {
  /** Who made what is listed without the filter. */
  readonly makers: ReadonlyArray<string>
}

export const Filters = ({ makers }: FiltersProps) => {
  const t = useWords(words)
  const nameOf = useNames()
  const [kind, setKind] = useFilter("kind")
  const [label, setLabel] = useFilter("label")
  const [maker, setMaker] = useFilter("made_by")
  const [unused, setUnused] = useFilter("unused_days")
  const [revoked, setRevoked] = useFilter("revoked")
  const choices = [...new Set([...makers, ...(maker === "" ? [] : [maker])])]
  return (
    <FilterBar>
      <TextField label={t.exactLabel} value={label} onChange={setLabel} type="search" />
      <SelectField
        label={t.kind}
        value={kindOf(kind) ?? ""}
        onChange={setKind}
        choices={kinds.map((value) => ({ value, label: value === "" ? t.anyKind : value }))}
      />
      <SelectField
        label={t.unused}
        value={unused}
        onChange={setUnused}
        choices={[
          { value: "", label: t.anyUse },
          ...[...new Set([...spans, ...(unused === "" ? [] : [Number(unused)])])].map((days) => ({
            value: String(days),
            label: t.unusedFor(days)
          }))
        ]}
      />
      <SelectField
        label={t.madeBy}
        value={maker}
        onChange={setMaker}
        choices={[{ value: "", label: t.anyMaker }, ...choices.map((value) => ({ value, label: nameOf(value) }))]}
      />
      <CheckField
        label={t.showRevoked}
        checked={revoked === "yes" && unused === ""}
        disabled={unused !== ""}
        onChange={(checked) => setRevoked(checked ? "yes" : "")}
      />
    </FilterBar>
  )
}

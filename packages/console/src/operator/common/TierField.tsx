import { ChoiceField } from "../../ui/form.tsx"
import { useFormats } from "../../words/formats.ts"
import { useWords } from "../../words/words.ts"
import { type Capacity, type Tier, tierNames } from "./capacity.ts"
import { words } from "./words.ts"

interface TierFieldProps {
  readonly value: Tier
  readonly onChange: (tier: Tier) => void
  readonly capacity: Capacity | undefined
}

/** One of the tiers, each with what it takes of the budget. */
export const TierField = ({ capacity, onChange, value }: TierFieldProps) => {
  const t = useWords(words)
  const { number } = useFormats()
  const takes = (tier: Tier) =>
    capacity?.tiers
      .find((_) => _.tier === tier)
      ?.dimensions.map((_) => `${t[_.dimension]}: ${number(_.requested)}`)
      .join(" · ")
  return (
    <ChoiceField<Tier>
      legend={t.tier}
      value={value}
      onChange={onChange}
      choices={tierNames.map((tier) => ({ value: tier, label: tier, help: takes(tier) }))}
    />
  )
}

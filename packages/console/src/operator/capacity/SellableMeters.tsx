import { Grid } from "../../ui/layout.tsx"
import { Meter } from "../../ui/Meter.tsx"
import { useFormats } from "../../words/formats.ts"
import { useWords } from "../../words/words.ts"
import type { Capacity } from "../common/capacity.ts"
import { words as common } from "../common/words.ts"

/** How much of the budget is sold. */
export const SellableMeters = ({ capacity }: { readonly capacity: Capacity }) => {
  const c = useWords(common)
  const { number } = useFormats()
  return (
    <Grid>
      {capacity.pace.dimensions.map(({ allocated, dimension, limit }) => (
        <Meter
          key={dimension}
          label={c[dimension]}
          used={allocated}
          limit={limit}
          text={c.sold(number(allocated), number(limit))}
        />
      ))}
    </Grid>
  )
}

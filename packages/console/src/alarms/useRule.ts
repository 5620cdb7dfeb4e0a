import { useFormats } from "../words/formats.ts"
import { useWords } from "../words/words.ts"
import { type Alarm, isPercent, signs } from "./alarm.ts"
import { words } from "./words.ts"

/** A rule as a sentence. */
export const useRule = () => {
  const t = useWords(words)
  const { bytes, number } = useFormats()
  return ({ comparison, evaluation_periods, metric, period_seconds, threshold }: Alarm["rule"]): string =>
    t.ruleIs(
      t[metric],
      signs[comparison],
      isPercent(metric) ? `${number(threshold)} %` : `${bytes(threshold)}/s`,
      number((evaluation_periods * period_seconds) / 60)
    )
}

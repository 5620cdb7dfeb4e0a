import { useWords } from "../words/words.ts"
import { words } from "./words.ts"

/** The name of what a quantity counts. Units that are not known here stand as the billing service has them. */
export const useUnit = (): ((unit: string) => string) => {
  const t = useWords(words)
  const known: Readonly<Record<string, string>> = { second: t.seconds, "GiB-second": t.gibSeconds }
  return (unit) => known[unit] ?? unit
}

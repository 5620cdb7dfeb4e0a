import { useFormats } from "../words/formats.ts"
import { useNow } from "../words/useNow.ts"
import { useWords } from "../words/words.ts"
import { words } from "./words.ts"

interface TimeProps {
  /** RFC 3339; null for what never was. */
  readonly at: string | null | undefined
  /** `relative`: 3 hours ago. `moment`: the date and the time. `day`: the date. */
  readonly as?: "relative" | "moment" | "day"
}

/** A moment in the person's language and time zone, with the exact one at hand. */
export const Time = ({ as = "relative", at }: TimeProps) => {
  const t = useWords(words)
  const formats = useFormats()
  const now = useNow()
  if (at === null || at === undefined) return <>{t.never}</>
  return (
    <time dateTime={at} title={formats.exact(at)}>
      {as === "relative" ? formats.relative(at, now) : formats[as](at)}
    </time>
  )
}

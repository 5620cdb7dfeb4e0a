import type { Shape } from "@portico/client/catalogue/Catalogue"
import { useDeferredValue, useEffect, useState } from "react"
import { useFilter } from "../ui/useFilter.ts"
import { type Draft, draftOf, inputIn, inputOf, linked } from "./draft.ts"

/** What the form of an operation holds. Its address has the same without secrets, so that it is a link. */
export const useInput = (shape: Shape) => {
  const [link, setLink] = useFilter("with")
  const [draft, setDraft] = useState<Draft>(() => draftOf(shape, inputIn(link)))
  const input = inputOf(shape, draft)
  // Browsers refuse a new address at every key.
  const late = useDeferredValue(linked(shape, input))
  useEffect(() => {
    if (late !== link) setLink(late)
    // The address follows the form, and not the other way round.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [late])
  return { draft, setDraft, input }
}

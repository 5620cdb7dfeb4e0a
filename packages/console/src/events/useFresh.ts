import { useEffect, useState } from "react"
import { onEvent, type Told } from "../live/live.ts"

/** What came since the page is open. While paused it waits, and its number is known. */
export const useFresh = (paused: boolean) => {
  const [events, setEvents] = useState<ReadonlyArray<Told>>([])
  const [shown, setShown] = useState(0)
  useEffect(() => onEvent((told) => setEvents((before) => [told, ...before].slice(0, 500))), [])
  const count = events.length
  useEffect(() => {
    if (!paused) setShown(count)
  }, [paused, count])
  return { fresh: events.slice(count - shown), waiting: count - shown }
}

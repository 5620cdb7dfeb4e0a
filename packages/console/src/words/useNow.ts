import { useEffect, useState } from "react"

/** The time in milliseconds, which moves on by itself: texts such as "3 minutes ago" stay true. */
export const useNow = (everyMillis = 15_000): number => {
  const [now, setNow] = useState(() => new Date().getTime())
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date().getTime()), everyMillis)
    return () => clearInterval(timer)
  }, [everyMillis])
  return now
}

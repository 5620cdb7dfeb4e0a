import { useEffect, useRef } from "react"

/** Does it again at this pace, for what no event tells; undefined for not at all. A window that nobody sees rests. */
export const useEvery = (millis: number | undefined, act: () => void): void => {
  const latest = useRef(act)
  latest.current = act
  useEffect(() => {
    if (millis === undefined) return undefined
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") latest.current()
    }, millis)
    return () => clearInterval(timer)
  }, [millis])
}

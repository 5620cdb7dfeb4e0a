import { useSyncExternalStore } from "react"
import { queries } from "../api/queries.ts"
import { refusalOf } from "../api/refusal.ts"

const isUnreached = (error: unknown): boolean => error !== null && refusalOf(error).code === "unreachable"

/** Whether the latest answer came: the browser only knows of its own network, not of the gateway. */
const isOnline = (): boolean => {
  if (!navigator.onLine) return false
  const latest = queries
    .getQueryCache()
    .getAll()
    .map((_) => _.state)
    .toSorted(
      (one, other) =>
        Math.max(other.dataUpdatedAt, other.errorUpdatedAt) - Math.max(one.dataUpdatedAt, one.errorUpdatedAt)
    )
    .at(0)
  return latest === undefined || latest.status !== "error" || !isUnreached(latest.error)
}

const subscribe = (changed: () => void) => {
  const stop = queries.getQueryCache().subscribe(changed)
  addEventListener("online", changed)
  addEventListener("offline", changed)
  return () => {
    stop()
    removeEventListener("online", changed)
    removeEventListener("offline", changed)
  }
}

export const useOnline = (): boolean => useSyncExternalStore(subscribe, isOnline)

import { useQuery } from "@tanstack/react-query"
import { useEffect, useRef, useSyncExternalStore } from "react"
import { portico } from "../api/portico.ts"
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

const heartbeat = "health.live"

/** A page that asks for nothing would neither tell that the gateway is gone nor that it is there again. */
const everyMillis = 10_000

/** Whether the gateway can be reached. When it is there again, everything on the screen is asked for again. */
export const useOnline = (): boolean => {
  useQuery({
    queryKey: [heartbeat],
    queryFn: ({ signal }) => portico.health.live({}, { signal, retry: { times: 0 } }),
    refetchInterval: everyMillis
  })
  const online = useSyncExternalStore(subscribe, isOnline)
  const wasOnline = useRef(online)
  useEffect(() => {
    if (online && !wasOnline.current) {
      void queries.invalidateQueries({ predicate: ({ queryKey: [operation] }) => operation !== heartbeat })
    }
    wasOnline.current = online
  }, [online])
  return online
}

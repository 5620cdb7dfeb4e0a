import { useEffect, useSyncExternalStore } from "react"

/** A call of an operation, or of a path behind a catch-all. */
export type ShownCall =
  | { readonly operation: string; readonly input: object }
  | { readonly method: string; readonly path: string; readonly body?: unknown }

/** The calls whose answers are on the screen, in the order in which they came. */
let shown: ReadonlyMap<string, { readonly call: ShownCall; readonly count: number }> = new Map()
const listeners = new Set<() => void>()
let list: ReadonlyArray<ShownCall> = []

const become = (next: typeof shown) => {
  shown = next
  list = [...next.values()].map((_) => _.call)
  for (const listener of listeners) listener()
}

const add = (key: string, call: ShownCall) =>
  become(new Map(shown).set(key, { call, count: (shown.get(key)?.count ?? 0) + 1 }))

const remove = (key: string) => {
  const next = new Map(shown)
  const entry = next.get(key)
  if (entry === undefined || entry.count <= 1) next.delete(key)
  else next.set(key, { ...entry, count: entry.count - 1 })
  become(next)
}

/** Offers a call to be copied for as long as the component is there. */
export const useShownCall = (call: ShownCall, enabled: boolean): void => {
  const key = JSON.stringify(call)
  useEffect(() => {
    if (!enabled) return undefined
    add(key, call)
    return () => remove(key)
    // The key is the call as text.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [key, enabled])
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const useShownCalls = (): ReadonlyArray<ShownCall> => useSyncExternalStore(subscribe, () => list)

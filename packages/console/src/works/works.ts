import { useSyncExternalStore } from "react"
import { type Refusal, refusalOf } from "../api/refusal.ts"

/** Long work that goes on while the person does something else. */
export interface Work {
  readonly id: number
  readonly title: string
  /** Where it is looked at. */
  readonly href: string
  readonly state: "running" | "done" | "failed"
  /** What was last seen of it, such as `creating`. */
  readonly progress: string
  readonly refusal: Refusal | undefined
}

interface NewWork {
  readonly title: string
  readonly href: string
  /** Fulfilled when the work is done, such as the `wait` of an operation. */
  readonly wait: (report: (progress: string) => void) => Promise<unknown>
  readonly onDone?: () => void
}

let works: ReadonlyArray<Work> = []
let last = 0
const listeners = new Set<() => void>()

const become = (next: typeof works) => {
  works = next
  for (const listener of listeners) listener()
}

const change = (id: number, change: Partial<Work>) => become(works.map((_) => (_.id === id ? { ..._, ...change } : _)))

/** Follows long work; it has a place in the bar at the top until the person clears it. */
export const followWork = ({ href, onDone, title, wait }: NewWork): void => {
  const id = (last += 1)
  become([{ id, title, href, state: "running", progress: "", refusal: undefined }, ...works])
  wait((progress) => change(id, { progress })).then(
    () => {
      change(id, { state: "done" })
      onDone?.()
    },
    (error: unknown) => change(id, { state: "failed", refusal: refusalOf(error) })
  )
}

export const clearWorks = (): void => become(works.filter((_) => _.state === "running"))

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const useWorks = (): ReadonlyArray<Work> => useSyncExternalStore(subscribe, () => works)

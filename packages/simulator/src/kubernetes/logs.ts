import { announce } from "./hub.ts"
import type { KubernetesState, LogLine } from "./state.ts"

/** Which container of which pod has written something. */
export interface Source {
  readonly namespace: string
  readonly pod: string
  readonly container: string
}

const keyOf = ({ container, namespace, pod }: Source): string => `${namespace}/${pod}/${container}`

/**
 * Lets a container write to its log, one line for each in the text, at the
 * given clock milliseconds. Those who follow the log see it at once; it goes
 * with its pod.
 */
export const writeLog = (state: KubernetesState, source: Source, text: string, at: number): void => {
  const lines = (state.logs[keyOf(source)] ??= [])
  lines.push(
    ...text
      .replace(/\n$/, "")
      .split("\n")
      .map((_) => ({ at, text: _ }))
  )
  announce(state)
}

/** What a container has written so far. */
export const linesOf = (state: KubernetesState, source: Source): ReadonlyArray<LogLine> =>
  state.logs[keyOf(source)] ?? []

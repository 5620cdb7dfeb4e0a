import { announce } from "./hub.ts"
import type { KubernetesState, LogLine } from "./state.ts"

/** The source of a log. */
export interface Source {
  readonly namespace: string
  readonly pod: string
  readonly container: string
}

const keyOf = ({ container, namespace, pod }: Source): string => `${namespace}/${pod}/${container}`

/**
 * Writes to a container's log, one entry for each line of the text, at the given clock milliseconds. Followers
 * see it at once; the log is removed with its pod.
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

/** The log of a container. */
export const linesOf = (state: KubernetesState, source: Source): ReadonlyArray<LogLine> =>
  state.logs[keyOf(source)] ?? []

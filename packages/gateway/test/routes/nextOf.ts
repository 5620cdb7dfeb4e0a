const counts = new Map<string, number>()

/** The next number of things of this kind, from 1 on, so that no two of them have one name in one world. */
export const nextOf = (kind: string): number => {
  const next = (counts.get(kind) ?? 0) + 1
  counts.set(kind, next)
  return next
}

/** Begins again at 1: for a world that is to have the same names whatever ran before it in the process. */
export const numberAnew = (): void => counts.clear()

import { useSearchParams } from "wouter"

export interface Sort {
  /** What the rows are ordered by; empty for the list's own order. */
  readonly by: string
  readonly descending: boolean
  readonly sortBy: (column: string) => void
}

/** The order of a table, in the address: `sort=size`, or `sort=-size` for the greatest first. */
export const useSort = (): Sort => {
  const [params, setParams] = useSearchParams()
  const value = params.get("sort") ?? ""
  const descending = value.startsWith("-")
  const by = descending ? value.slice(1) : value
  const sortBy = (column: string) =>
    setParams(
      (before) => {
        const next = new URLSearchParams(before)
        next.set("sort", by === column && !descending ? `-${column}` : column)
        return next
      },
      { replace: true }
    )
  return { by, descending, sortBy }
}

import { useSearchParams } from "wouter"

/** A filter in the address, so that a filtered list is a link. Empty is no filter. */
export const useFilter = (name: string): readonly [value: string, set: (value: string) => void] => {
  const [params, setParams] = useSearchParams()
  const set = (value: string) =>
    setParams(
      (before) => {
        const next = new URLSearchParams(before)
        if (value === "") next.delete(name)
        else next.set(name, value)
        return next
      },
      { replace: true }
    )
  return [params.get(name) ?? "", set]
}

/** The value of a filter as an input takes it: left out when empty. */
export const given = (value: string): string | undefined => (value === "" ? undefined : value)

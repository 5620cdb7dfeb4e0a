import { useSearchParams } from "wouter"

export interface DialogPlace {
  readonly open: boolean
  /** What it is open for, such as an id: `?dialog=rotate&of=cred-1`. */
  readonly of: string
  readonly show: (of?: string) => void
  readonly close: () => void
}

/** A dialog that is a place: its address opens it, and going back closes it. */
export const useDialog = (name: string): DialogPlace => {
  const [params, setParams] = useSearchParams()
  return {
    open: params.get("dialog") === name,
    of: params.get("of") ?? "",
    show: (of) =>
      setParams((before) => {
        const next = new URLSearchParams(before)
        next.set("dialog", name)
        if (of === undefined) next.delete("of")
        else next.set("of", of)
        return next
      }),
    close: () =>
      setParams(
        (before) => {
          const next = new URLSearchParams(before)
          next.delete("dialog")
          next.delete("of")
          return next
        },
        { replace: true }
      )
  }
}

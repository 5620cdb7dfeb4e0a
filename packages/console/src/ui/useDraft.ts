import { useState } from "react"

/** What a form holds until it is sent. */
export const useDraft = <Draft extends object>(initial: Draft) => {
  const [draft, setDraft] = useState(initial)
  return {
    draft,
    /** The setter of one field. */
    set:
      <Key extends keyof Draft>(key: Key) =>
      (value: Draft[Key]): void =>
        setDraft((before) => ({ ...before, [key]: value })),
    change: (change: Partial<Draft>): void => setDraft((before) => ({ ...before, ...change })),
    reset: () => setDraft(initial)
  }
}

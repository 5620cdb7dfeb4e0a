import type { Shape } from "@portico/client/catalogue/Catalogue"
import type { CallOptions } from "@portico/client"
import { useState } from "react"
import { useAct } from "../api/useAct.ts"
import type { Input } from "./draft.ts"
import { nextPage, type Reply, send } from "./send.ts"

/** The calls that a person makes with a form, and their answers: of a list one for each page. */
export const useSend = (shape: Shape, contentType: string) => {
  const [replies, setReplies] = useState<ReadonlyArray<Reply>>([])
  const [sent, setSent] = useState<Input>({})
  const call = (input: Input, options: CallOptions = {}) => send(shape, input, { ...options, contentType })
  const { act, pending, refusal, reset } = useAct(Object.assign(call, { operation: shape.id }))
  const take = async (input: Input, before: ReadonlyArray<Reply>) => {
    setReplies(before)
    const reply = await act(input)
    if (reply === undefined) return false
    // An answer with a secret stays nowhere but where it is shown.
    reset()
    setReplies([...before, reply])
    return true
  }
  const next = replies.at(-1)?.next
  return {
    replies,
    pending,
    refusal,
    start: (input: Input): Promise<boolean> => {
      setSent(input)
      return take(input, [])
    },
    more: next === undefined ? undefined : () => void take(nextPage(shape, sent, next), replies),
    clear: () => {
      reset()
      setReplies([])
    }
  }
}

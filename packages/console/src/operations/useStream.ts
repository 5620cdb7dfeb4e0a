import type { Shape } from "@portico/client/catalogue/Catalogue"
import { useEffect, useRef, useState } from "react"
import { type Refusal, refusalOf } from "../api/refusal.ts"
import type { Input } from "./draft.ts"
import { answerOf } from "./send.ts"

/** A browser shows no more without becoming slow. */
const longest = 100_000

const follow = async (shape: Shape, input: Input, signal: AbortSignal, take: (text: string) => void) => {
  const { body } = await answerOf(shape, input, { signal })
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader()
  for (;;) {
    const chunk = await reader?.read()
    if (chunk === undefined || chunk.done) return
    take(chunk.value)
  }
}

/** A stream as its text comes in, until it is over or stopped. */
export const useStream = (shape: Shape) => {
  const [text, setText] = useState<string>()
  const [refusal, setRefusal] = useState<Refusal>()
  const [open, setOpen] = useState(false)
  const over = useRef<AbortController>(undefined)
  const stop = () => over.current?.abort()
  useEffect(() => stop, [])
  const start = (input: Input) => {
    stop()
    const own = new AbortController()
    over.current = own
    setText("")
    setRefusal(undefined)
    setOpen(true)
    void follow(shape, input, own.signal, (more) => setText((before) => `${before ?? ""}${more}`.slice(-longest)))
      .catch((error: unknown) => {
        if (!own.signal.aborted) setRefusal(refusalOf(error))
      })
      .finally(() => {
        if (over.current === own) setOpen(false)
      })
  }
  return { text, refusal, open, start, stop }
}

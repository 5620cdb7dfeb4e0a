import type { CallOptions } from "@portico/client"
import { useMutation } from "@tanstack/react-query"
import { useRef } from "react"
import { groupOf, outdated } from "./queries.ts"
import { type Refusal, refusalOf } from "./refusal.ts"

/** An operation that changes something. */
export interface Write<Input, Output> {
  (input: Input, options?: CallOptions): Promise<Output>
  readonly operation: string
}

export interface Act<Input, Output> {
  readonly operation: string
  /** Fulfilled with the answer, or with undefined when it was refused, which `refusal` says. */
  readonly act: (input: Input) => Promise<Output | undefined>
  readonly pending: boolean
  readonly refusal: Refusal | undefined
  readonly answer: Output | undefined
  readonly reset: () => void
}

interface ActOptions<Output> {
  readonly onDone?: ((answer: Output) => void) | undefined
  /** Groups whose answers change, beside the operation's own. */
  readonly touches?: ReadonlyArray<string> | undefined
  /** Whether a failure is shown at once: sent again by itself, the act would be refused for what the first attempt left. */
  readonly once?: boolean
}

/** 128 bits. */
const freshKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (_) => _.toString(16).padStart(2, "0")).join("")

/**
 * One act of a person. When its answer was lost, the same act again has the
 * same key, so that nothing is created twice.
 */
export const useAct = <Input, Output>(
  write: Write<Input, Output>,
  { onDone, once = false, touches = [] }: ActOptions<NoInfer<Output>> = {}
): Act<Input, Output> => {
  const attempt = useRef<{ readonly input: string; readonly key: string }>(undefined)
  const mutation = useMutation({
    mutationKey: [write.operation],
    // Answers may hold secrets: nothing of them is kept when they are no longer shown.
    gcTime: 0,
    mutationFn: (input: Input) => {
      const text = JSON.stringify(input)
      if (attempt.current?.input !== text) attempt.current = { input: text, key: freshKey() }
      return write(input, { idempotencyKey: attempt.current.key, ...(once ? { retry: { times: 0 } } : {}) })
    },
    onSuccess: (answer) => {
      attempt.current = undefined
      void outdated([groupOf(write.operation), ...touches])
      onDone?.(answer)
    }
  })
  return {
    operation: write.operation,
    act: (input) => mutation.mutateAsync(input).catch(() => undefined),
    pending: mutation.isPending,
    refusal: mutation.error === null ? undefined : refusalOf(mutation.error),
    answer: mutation.data,
    reset: mutation.reset
  }
}

import { useMutation } from "@tanstack/react-query"
import { refusalOf } from "../api/refusal.ts"
import { platformOutdated } from "./usePlatform.ts"

/**
 * An act of several calls. When one of them is refused, the others have been
 * done: what they made is looked up again, and the steps know it themselves.
 */
export const usePlatformSteps = <Input>(steps: (input: Input) => Promise<unknown>, onDone?: () => void) => {
  const mutation = useMutation({
    mutationFn: steps,
    onSuccess: () => onDone?.(),
    onSettled: () => void platformOutdated()
  })
  return {
    act: (input: Input): Promise<unknown> => mutation.mutateAsync(input).catch(() => undefined),
    pending: mutation.isPending,
    refusal: mutation.error === null ? undefined : refusalOf(mutation.error),
    reset: mutation.reset
  }
}

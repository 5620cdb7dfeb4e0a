import { keepPreviousData, useMutation, type UseMutationResult, useQuery } from "@tanstack/react-query"
import * as v from "valibot"
import { queries } from "../api/queries.ts"
import { refusalOf } from "../api/refusal.ts"
import { type ShownCall, useShownCall } from "../api/shownCalls.ts"
import type { Answer } from "../api/useAnswer.ts"
import { type Method, platformCall } from "./platform.ts"

/** The key under which answers of the platform are kept: live events of a service make them out of date. */
const group = "iaas"

/** The pace at which something that changes by itself is looked at: the platform tells of no such change. */
export const pollMillis = 2000

interface PlatformOptions<Output> {
  readonly enabled?: boolean
  readonly everyMillis?: number | undefined
  /** Whether something about it changes by itself: it is asked again until nothing does. */
  readonly isMoving?: (data: Output) => boolean
}

/**
 * The answer of the platform's own API to a GET, of which the fields of the
 * schema are read and all others ignored.
 *
 * @param path behind `/v1/iaas/`, such as `compute/servers/detail?limit=50`
 */
export const usePlatform = <Output>(
  schema: v.GenericSchema<unknown, Output>,
  path: string,
  options: PlatformOptions<NoInfer<Output>> = {}
): Answer<Output> => {
  const { enabled = true, everyMillis = false, isMoving } = options
  useShownCall({ method: "GET", path: `/v1/iaas/${path}` }, enabled)
  const query = useQuery({
    queryKey: [`${group}.get`, path],
    queryFn: async ({ signal }) => v.parse(schema, await platformCall("GET", path, { signal })),
    enabled,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) =>
      state.data !== undefined && isMoving?.(state.data) === true ? pollMillis : everyMillis
  })
  return {
    data: query.data,
    refusal: query.error === null ? undefined : refusalOf(query.error),
    pending: query.isPending && enabled,
    fetching: query.isFetching,
    again: () => void query.refetch()
  }
}

export interface PlatformWrite {
  readonly method: Exclude<Method, "GET">
  /** Behind `/v1/iaas/`. */
  readonly path: string
  readonly body?: unknown
}

/** Asks again for everything of the platform that is on the screen. */
export const platformOutdated = (): Promise<void> =>
  queries.invalidateQueries({
    predicate: ({ queryKey: [operation] }) => typeof operation === "string" && operation.startsWith(`${group}.`)
  })

/** The state of an act, and the functions that start it and forget its result. */
const actOf = <Input>(mutation: UseMutationResult<unknown, Error, Input>) => ({
  act: (input: Input): Promise<unknown> => mutation.mutateAsync(input).catch(() => undefined),
  pending: mutation.isPending,
  refusal: mutation.error === null ? undefined : refusalOf(mutation.error),
  reset: mutation.reset
})

/** One act on the platform. It is never repeated by itself: the platform knows no idempotency keys. */
export const usePlatformAct = (onDone?: (answer: unknown) => void) =>
  actOf(
    useMutation({
      mutationFn: ({ body, method, path }: PlatformWrite) => platformCall(method, path, { body }),
      onSuccess: (answer) => {
        void platformOutdated()
        onDone?.(answer)
      }
    })
  )

/**
 * An act of several calls. When one of them is refused, the others have been
 * done: what they made is looked up again, and the steps know it themselves.
 */
export const usePlatformSteps = <Input>(steps: (input: Input) => Promise<unknown>, onDone?: () => void) =>
  actOf(
    useMutation({
      mutationFn: steps,
      onSuccess: () => onDone?.(),
      onSettled: () => void platformOutdated()
    })
  )

/** An act as "copy as" shows it. */
export const shown = ({ body, method, path }: PlatformWrite): ShownCall => ({
  method,
  path: `/v1/iaas/${path}`,
  ...(body === undefined ? {} : { body })
})

import type { CallOptions } from "@portico/client"
import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query"
import { useShownCall } from "./shownCalls.ts"
import { type Refusal, refusalOf } from "./refusal.ts"

/** An operation that reads. */
export interface Read<Input, Output> {
  (input: Input, options?: CallOptions): Promise<Output>
  readonly operation: string
}

export interface Answer<Output> {
  readonly data: Output | undefined
  readonly refusal: Refusal | undefined
  /** Whether nothing is there yet. */
  readonly pending: boolean
  /** Whether it is asked again in the background. */
  readonly fetching: boolean
  readonly again: () => void
}

interface AnswerOptions {
  /** False while an input is missing. */
  readonly enabled?: boolean | undefined
  /** Asked again at this pace, for what no event tells. */
  readonly everyMillis?: number | undefined
}

/** Nothing is shown of a failure that a later answer made good. */
const refusedBy = (error: unknown): Refusal | undefined => (error === null ? undefined : refusalOf(error))

/** A person who may no longer see something does not go on seeing what the page read before. */
const still = <Data>(data: Data | undefined, refusal: Refusal | undefined): Data | undefined =>
  refusal?.status === 403 ? undefined : data

/**
 * The answer of an operation, read again when it is out of date. The call is
 * among those that the page offers to copy.
 */
export const useAnswer = <Input, Output>(
  read: Read<Input, Output>,
  input: NoInfer<Input>,
  { enabled = true, everyMillis }: AnswerOptions = {}
): Answer<Output> => {
  useShownCall({ operation: read.operation, input: input ?? {} }, enabled)
  const query = useQuery({
    queryKey: [read.operation, input],
    queryFn: ({ signal }) => read(input, { signal }),
    enabled,
    placeholderData: keepPreviousData,
    ...(everyMillis === undefined ? {} : { refetchInterval: everyMillis })
  })
  const refusal = refusedBy(query.error)
  return {
    data: still(query.data, refusal),
    refusal,
    pending: query.isPending && enabled,
    fetching: query.isFetching,
    again: () => void query.refetch()
  }
}

interface Cursors {
  readonly next_cursor: string | null
}

export interface Pages<Output> extends Answer<ReadonlyArray<Output>> {
  readonly hasMore: boolean
  readonly more: () => void
  readonly loadingMore: boolean
}

/** The pages of a list, one after the other; the server filters, sorts and cuts them. */
export const usePages = <Input extends { readonly cursor?: string | undefined } | undefined, Output extends Cursors>(
  read: Read<Input, Output>,
  input: NoInfer<Input>
): Pages<Output> => {
  useShownCall({ operation: read.operation, input: input ?? {} }, true)
  const query = useInfiniteQuery({
    queryKey: [read.operation, "pages", input],
    queryFn: ({ pageParam, signal }) => read(pageParam === null ? input : { ...input, cursor: pageParam }, { signal }),
    initialPageParam: startOf(),
    getNextPageParam: (_) => _.next_cursor,
    placeholderData: keepPreviousData
  })
  const refusal = refusedBy(query.error)
  return {
    data: still(query.data?.pages, refusal),
    refusal,
    pending: query.isPending,
    fetching: query.isFetching,
    again: () => void query.refetch(),
    hasMore: query.hasNextPage,
    more: () => void query.fetchNextPage(),
    loadingMore: query.isFetchingNextPage
  }
}

const startOf = (): string | null => null

import type { CallOptions } from "@portico/client"
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { queries } from "./queries.ts"
import { refusalOf } from "./refusal.ts"
import { useShownCall } from "./shownCalls.ts"
import type { Answer } from "./useAnswer.ts"

/** An operation that reads a list page by page. */
export interface PagedRead<Input, Row> {
  readonly operation: string
  readonly all: (input: Input, options?: CallOptions) => AsyncIterable<Row>
}

const rowsOf = async <Input, Row>(
  read: PagedRead<Input, Row>,
  input: Input,
  signal: AbortSignal
): Promise<ReadonlyArray<Row>> => {
  const rows: Array<Row> = []
  for await (const row of read.all(input, { signal })) rows.push(row)
  return rows
}

/** All rows, outside of components: for the palette, which asks with every letter. They are kept for a minute. */
export const wholeOf = <Input extends object, Row>(
  read: PagedRead<Input, Row>,
  input: NoInfer<Input>
): Promise<ReadonlyArray<Row>> =>
  queries.fetchQuery({
    queryKey: [read.operation, "whole", input],
    queryFn: ({ signal }) => rowsOf(read, input, signal),
    staleTime: 60_000
  })

/** All rows of a list, for what no page alone can show, such as a tree. */
export const useWhole = <Input extends object, Row>(
  read: PagedRead<Input, Row>,
  input: NoInfer<Input>,
  { enabled = true }: { readonly enabled?: boolean } = {}
): Answer<ReadonlyArray<Row>> => {
  useShownCall({ operation: read.operation, input }, enabled)
  const query = useQuery({
    queryKey: [read.operation, "whole", input],
    queryFn: ({ signal }) => rowsOf(read, input, signal),
    enabled,
    placeholderData: keepPreviousData
  })
  return {
    data: query.data,
    refusal: query.error === null ? undefined : refusalOf(query.error),
    pending: query.isPending && enabled,
    fetching: query.isFetching,
    again: () => void query.refetch()
  }
}

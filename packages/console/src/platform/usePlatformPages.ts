import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query"
import * as v from "valibot"
import { refusalOf } from "../api/refusal.ts"
import { useShownCall } from "../api/shownCalls.ts"
import type { Answer } from "../api/useAnswer.ts"
import { type Sort, useSort } from "../ui/useSort.ts"
import { listOf, withQuery } from "./lists.ts"
import { platformCall } from "./platform.ts"
import { pollMillis } from "./usePlatform.ts"

interface Identified {
  readonly id: string
}

interface Listed<Item> {
  /** Behind `/v1/iaas/`, such as `compute/servers/detail`. */
  readonly path: string
  /** The key of the list in the answer, such as `servers`. */
  readonly key: string
  readonly item: v.GenericSchema<unknown, Item>
  /** What the service filters by. */
  readonly query?: Readonly<Record<string, string | undefined>>
  /** What the service can order the list by, of which the address says one. */
  readonly sorts?: ReadonlyArray<string>
  /** Whether something about it changes by itself: the list is asked again until nothing does. */
  readonly isMoving?: (item: Item) => boolean
}

export interface PlatformPages<Item> extends Answer<ReadonlyArray<Item>> {
  readonly hasMore: boolean
  readonly more: () => void
  readonly loadingMore: boolean
}

const pageSize = 50

const first = (): string | null => null

/** The order that the address asks for, as all services take it. */
const orderOf = ({ by, descending }: Sort, sorts: ReadonlyArray<string>) =>
  sorts.includes(by) ? { sort_key: by, sort_dir: descending ? "desc" : "asc" } : {}

/** A list of a service in pages: they all take `limit`, and the last id as `marker`. */
export const usePlatformPages = <Item extends Identified>(listed: Listed<Item>): PlatformPages<Item> => {
  const { isMoving, item, key, path, query = {}, sorts = [] } = listed
  const whole = withQuery(path, { ...query, ...orderOf(useSort(), sorts), limit: String(pageSize) })
  useShownCall({ method: "GET", path: `/v1/iaas/${whole}` }, true)
  const pages = useInfiniteQuery({
    queryKey: ["iaas.get", "pages", whole],
    queryFn: async ({ pageParam, signal }) => {
      const at = pageParam === null ? whole : `${whole}&marker=${encodeURIComponent(pageParam)}`
      return v.parse(listOf(key, item), await platformCall("GET", at, { signal }))
    },
    initialPageParam: first(),
    getNextPageParam: (page) => (page.length < pageSize ? null : (page.at(-1)?.id ?? null)),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) =>
      isMoving !== undefined && state.data?.pages.flat().some(isMoving) === true ? pollMillis : false
  })
  return {
    data: pages.data?.pages.flat(),
    refusal: pages.error === null ? undefined : refusalOf(pages.error),
    pending: pages.isPending,
    fetching: pages.isFetching,
    again: () => void pages.refetch(),
    hasMore: pages.hasNextPage,
    more: () => void pages.fetchNextPage(),
    loadingMore: pages.isFetchingNextPage
  }
}

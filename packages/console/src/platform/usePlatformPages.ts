import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query"
import * as v from "valibot"
import { refusalOf } from "../api/refusal.ts"
import { useShownCall } from "../api/shownCalls.ts"
import type { Answer } from "../api/useAnswer.ts"
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

/** A list of a service in pages: they all take `limit`, and the last id as `marker`. */
export const usePlatformPages = <Item extends Identified>(listed: Listed<Item>): PlatformPages<Item> => {
  const { isMoving, item, key, path, query = {} } = listed
  const whole = withQuery(path, { ...query, limit: String(pageSize) })
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

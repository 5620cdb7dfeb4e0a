import { Effect, Predicate, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import { allPages, markerOf, pagesThatFit } from "../paging.ts"
import type { System } from "../System.ts"
import { UpstreamError } from "../UpstreamError.ts"
import { type Kind, type Resource, resource } from "./Kind.ts"

/** How a list is paged: by the last item, or by an offset; `limit` is the most items of a page. */
export interface Paging {
  readonly by: "marker" | "offset"
  readonly limit: number
}

/** An item of a list. `project` is the owner according to the service. */
export type ListedItem = Partial<Pick<Resource, "busy" | "guarded">> & {
  readonly id: string
  /** By what the service knows it in its list, where that is not the id. */
  readonly marker?: string
  readonly name: string | null | undefined
  readonly project: string | undefined
}

/** The REST API of a kind. Whatever is absent follows from `path`. */
export interface Table<Item = unknown> {
  readonly service: string
  readonly name: string
  /** The path of the list. */
  readonly path: string
  /** The key of the list in the response. */
  readonly collection: string
  readonly item: Schema.Codec<Item, unknown>
  toListed(item: Item, projectId: string): ListedItem
  readonly query?: (projectId: string) => Readonly<Record<string, string | ReadonlyArray<string>>>
  readonly headers?: (projectId: string) => Readonly<Record<string, string>>
  readonly paging: Paging
  /** The path of one resource; by default below `path`. */
  readonly at?: (id: string) => string
  readonly removal?: Readonly<Record<string, string>>
  readonly billed?: NonNullable<Kind["billed"]>
  /** The service may lack this kind; then a 404 means an empty list. */
  readonly optional?: true
}

const Page = Schema.Record(Schema.String, Schema.Unknown)

/** The project's own items of a list. */
const itemsOf = Effect.fnUntraced(function* <Item>(
  system: System,
  table: Table<Item>,
  prefix: string,
  projectId: string
) {
  const { collection, headers, item, name, optional, paging, path, query } = table
  const call = `list ${name}`
  const fitting = pagesThatFit(paging.limit)
  const decode = Schema.decodeUnknownEffect(Schema.Array(item))
  const found = yield* allPages<ListedItem, UpstreamError>(
    { upstream: system.upstream, call },
    Effect.fnUntraced(function* (before) {
      const behind = paging.by === "offset" ? { offset: String(before.length) } : markerOf(before)
      const answer = yield* fitting((limit) => {
        const request = HttpClientRequest.get(`${prefix}${path}`, {
          urlParams: { ...query?.(projectId), limit: String(limit), ...(before.length === 0 ? {} : behind) },
          headers: headers?.(projectId) ?? {}
        })
        return optional === true ? system.find(call, request, Page) : system.read(call, request, Page)
      })
      if (answer === undefined) return { items: [], more: false }
      const items = yield* Effect.mapError(
        decode(answer[collection]),
        () =>
          new UpstreamError({
            upstream: system.upstream,
            call,
            status: 200,
            detail: "answered with a list that is not understood"
          })
      )
      return {
        items: items.map((_) => table.toListed(_, projectId)),
        more: paging.by === "offset" ? !isWhole(answer, before.length + items.length) : saysMore(answer, collection)
      }
    })
  )
  return found.filter((_) => _.project === projectId)
})

/**
 * Whether there is another page. Each service has one of `<collection>_links`
 * with a `next` in it, `links.next`, or `next`.
 */
const saysMore = (answer: Readonly<Record<string, unknown>>, collection: string): boolean => {
  const links = answer[`${collection}_links`]
  if (Array.isArray(links)) return links.some((_) => Predicate.isObject(_) && _["rel"] === "next")
  const { links: held, next } = answer
  return typeof next === "string" || (Predicate.isObject(held) && typeof held["next"] === "string")
}

const isWhole = ({ total }: Readonly<Record<string, unknown>>, read: number): boolean => total === read

/** The {@link Kind} of a table. */
export const kindOf = <Item>(
  table: Table<Item>,
  options: {
    readonly system: (projectId: string) => System
    /** The client for removals, where it differs from the one for lists. */
    readonly remover?: (projectId: string) => Effect.Effect<System, UpstreamError>
    /** The prefix of every path. */
    readonly prefix?: Effect.Effect<string, UpstreamError>
  }
): Kind => {
  const prefix = options.prefix ?? Effect.succeed("")
  const at = table.at ?? ((id: string) => `${table.path.replace(/\/detail$/, "")}/${encodeURIComponent(id)}`)
  return {
    service: table.service,
    name: table.name,
    ...(table.billed === undefined ? {} : { billed: table.billed }),
    list: Effect.fnUntraced(function* (projectId) {
      const items = yield* itemsOf(options.system(projectId), table, yield* prefix, projectId)
      return items.map(({ busy = false, guarded, id, name }) => resource(id, name ?? "", { busy, guarded }))
    }),
    remove: Effect.fnUntraced(function* (projectId, id) {
      const system = yield* options.remover?.(projectId) ?? Effect.succeed(options.system(projectId))
      yield* system.remove(
        `remove ${table.name}`,
        HttpClientRequest.delete(`${yield* prefix}${at(id)}`, {
          urlParams: table.removal ?? {},
          headers: table.headers?.(projectId) ?? {}
        })
      )
    })
  }
}

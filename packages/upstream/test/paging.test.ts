import { assert, it } from "@effect/vitest"
import { allByMarker, allPages } from "@portico/upstream/paging"
import { kindOf } from "@portico/upstream/projectResources/listing"
import { make, type System } from "@portico/upstream/System"
import type { UpstreamError } from "@portico/upstream/UpstreamError"
import { Effect, Schema } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"

const about = { upstream: "nova", call: "list servers" }

/** Reads these pages in turn, the last one for ever, and notes how many items each read knew of. */
const reading = (...pages: ReadonlyArray<{ readonly items: ReadonlyArray<string>; readonly more: boolean }>) => {
  const known: Array<number> = []
  const all = allPages<string, never>(about, ({ length }) => {
    const page = pages[Math.min(known.push(length), pages.length) - 1]
    return Effect.succeed(page ?? { items: [], more: false })
  })
  return { all, known }
}

it.effect("a list is read up to its last page, each page from what was read before", () =>
  Effect.gen(function* () {
    const { all, known } = reading({ items: ["a", "b"], more: true }, { items: ["c"], more: false })
    assert.deepStrictEqual(yield* all, ["a", "b", "c"])
    assert.deepStrictEqual(known, [0, 2])
  })
)

it.effect("an empty page ends a list, even if it announces more", () =>
  Effect.gen(function* () {
    const { all, known } = reading({ items: ["a"], more: true }, { items: [], more: true })
    assert.deepStrictEqual(yield* all, ["a"])
    assert.lengthOf(known, 2)
  })
)

it.effect("an endless list is a failure of the system", () =>
  Effect.gen(function* () {
    const { all, known } = reading({ items: ["a"], more: true })
    const error = yield* Effect.flip(all)
    assert.strictEqual(error.summary, "nova list servers: its list does not end after 2000 pages")
    assert.lengthOf(known, 2000)
  })
)

const MiB = 1024 * 1024

/** A service that lists things of these sizes in pages, and notes the limit and the marker of each request. */
const sized = (sizes: ReadonlyArray<number>) => {
  const things = sizes.map((size, at) => ({ id: `id-${at}`, project_id: "p", padding: "x".repeat(size) }))
  const asked: Array<string> = []
  const client = HttpClient.make((request, url) =>
    Effect.sync(() => {
      const [limit, marker] = [Number(url.searchParams.get("limit")), url.searchParams.get("marker")]
      asked.push(`${limit} after ${marker ?? "none"}`)
      const begin = things.findIndex((_) => _.id === marker) + 1
      const page = things.slice(begin, begin + limit)
      const links = begin + limit < things.length ? [{ rel: "next" }] : []
      return HttpClientResponse.fromWeb(request, Response.json({ things: page, things_links: links }))
    })
  )
  const system = make(client, { upstream: "nova", url: "http://nova.test", authorize: Effect.succeed })
  return { system, asked, ids: things.map((_) => _.id) }
}

const item = Schema.Struct({ id: Schema.String })

/** The two ways in which such a list is read: under one project's rights, and of a project among all. */
const readers: ReadonlyArray<
  readonly [of: string, read: (system: System) => Effect.Effect<ReadonlyArray<string>, UpstreamError>]
> = [
  [
    "a list",
    (system) =>
      Effect.map(allByMarker(system, { path: "/things", collection: "things", item }), (_) => _.map(({ id }) => id))
  ],
  [
    "a project's resources of a kind",
    (system) =>
      Effect.map(
        kindOf<typeof item.Type>(
          {
            service: "compute",
            name: "things",
            path: "/things",
            collection: "things",
            item,
            paging: { by: "marker", limit: 500 },
            toListed: ({ id }, project) => ({ id, name: id, project })
          },
          { system: () => system }
        ).list("p"),
        (_) => _.map(({ id }) => id)
      )
  ]
]

for (const [of, read] of readers) {
  it.effect(`a page of ${of} that is too long is repeated with fewer items, and later pages grow again`, () =>
    Effect.gen(function* () {
      const { asked, ids, system } = sized([...Array.from({ length: 6 }, () => 0.3 * MiB), 1.9 * MiB, 0, 0, 0, 0])
      assert.deepStrictEqual(yield* read(system), ids)
      assert.deepStrictEqual(asked, [
        "500 after none",
        "50 after none",
        "5 after none",
        "10 after id-4",
        "1 after id-4",
        "2 after id-5",
        "4 after id-7"
      ])
    })
  )

  it.effect(`an item of ${of} that is too long by itself is read alone, and later ones in pages`, () =>
    Effect.gen(function* () {
      const { asked, ids, system } = sized([0, 2 * MiB, 0])
      assert.deepStrictEqual(yield* read(system), ids)
      assert.deepStrictEqual(asked.slice(-4), ["2 after id-0", "1 after id-0", "1 after id-0", "1 after id-1"])
    })
  )
}

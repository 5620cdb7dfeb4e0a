import * as v from "valibot"

/** What services answer around a list: `{"servers": [...]}`. */
export const listOf = <Item>(
  key: string,
  item: v.GenericSchema<unknown, Item>
): v.GenericSchema<unknown, ReadonlyArray<Item>> =>
  v.pipe(
    v.record(v.string(), v.unknown()),
    v.transform((_) => _[key]),
    v.array(item)
  )

/** What services answer around one thing: `{"server": {...}}`. */
export const oneOf = <Item>(key: string, item: v.GenericSchema<unknown, Item>): v.GenericSchema<unknown, Item> =>
  v.pipe(
    v.record(v.string(), v.unknown()),
    v.transform((_) => _[key]),
    item
  )

/** A path with a query; what is empty or undefined is left out. */
export const withQuery = (path: string, query: Readonly<Record<string, string | undefined>>): string => {
  const given = Object.entries(query).filter((_): _ is [string, string] => _[1] !== undefined && _[1] !== "")
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`
}

/** A text that services leave out or leave null. */
export const text = v.nullish(v.string(), "")

/** An RFC 3339 moment: some services leave the zone out, and mean UTC. */
export const moment = v.pipe(
  v.nullish(v.string(), ""),
  v.transform((_) => (_ === "" ? null : /(?:Z|[+-]\d\d:?\d\d)$/.test(_) ? _ : `${_}Z`))
)

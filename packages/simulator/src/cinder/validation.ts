import { type JsonObject, stringAt } from "../Json.ts"
import { badRequest, invalidField } from "../nova/fault.ts"
import { sortedBy } from "../nova/paging.ts"
import { repr } from "../python.ts"
import type { Answer } from "../Wire.ts"
import type { Snapshot, Volume } from "./state.ts"

type Keys<Item> = Readonly<Record<string, (item: Item) => string | number>>

export const volumeKeys: Keys<Volume> = {
  created_at: (_) => _.created_at,
  updated_at: (_) => _.updated_at ?? 0,
  name: (_) => _.name ?? "",
  id: (_) => _.id,
  size: (_) => _.size,
  status: (_) => _.status,
  availability_zone: (_) => _.availability_zone,
  volume_type: (_) => _.volume_type
}

/** The name has a key of its own since 3.30. */
export const snapshotKeys = (minor: number): Keys<Snapshot> => ({
  created_at: (_) => _.created_at,
  updated_at: (_) => _.updated_at ?? 0,
  ...(minor < 30 ? {} : { name: (_) => _.name ?? "" }),
  display_name: (_) => _.name ?? "",
  id: (_) => _.id,
  status: (_) => _.status,
  volume_id: (_) => _.volume_id,
  volume_size: (_) => _.size
})

/** `sort=name:asc,size`, or the older pair. */
export const orderOf = <Item extends Volume | Snapshot>(query: URLSearchParams, sortKeys: Keys<Item>) => {
  const directions = query.getAll("sort_dir")
  return sortedBy(
    [
      ...(query.get("sort")?.split(",") ?? []).map((_) => _.split(":")),
      ...query.getAll("sort_key").map((key, i) => [key, directions[i] ?? directions.at(-1) ?? "desc"])
    ].map(([key = "", direction = "desc"]) => [key, direction] as const),
    sortKeys,
    () => badRequest("Invalid input received: Invalid sort key")
  )
}

/** The 400 for an invalid size. */
export const wrongSize = (size: unknown): Answer => {
  if (size === undefined || size === null) {
    return badRequest(
      "The server could not comply with the request since it is either malformed or otherwise incorrect."
    )
  }
  if (typeof size === "string") return invalidField("size", size, `${repr(size)} does not match '^[0-9]+$'`)
  if (typeof size !== "number" || !Number.isInteger(size)) {
    return invalidField("size", size, `${repr(size)} is not of type 'integer', 'string', 'null'`)
  }
  return invalidField(
    "size",
    size,
    size < 1 ? `${size} is less than the minimum of 1` : `${size} is greater than the maximum of ${maxSize}`
  )
}

const maxSize = 0x7fffffff

/** The 400 for a name or description that is longer than its column. */
export const tooLong = (given: JsonObject): Answer | undefined => {
  for (const key of ["name", "description"]) {
    const { length } = stringAt(given, key) ?? ""
    if (length > 255) return badRequest(`Invalid input received: ${key} has ${length} characters, more than 255.`)
  }
  return undefined
}

/** A size may be a number or numeric text. */
export const sizeOf = (given: unknown): number | undefined => {
  const size = typeof given === "string" && /^\d+$/.test(given) ? Number(given) : given
  return typeof size === "number" && Number.isInteger(size) && size > 0 && size <= maxSize ? size : undefined
}

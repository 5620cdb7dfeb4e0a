import * as v from "valibot"
import { moment, text } from "../platform/lists.ts"

/** An image, as far as it is shown. */
export const Image = v.object({
  id: v.string(),
  name: text,
  status: v.string(),
  visibility: text,
  owner: text,
  /** Bytes; null until data is there. */
  size: v.nullish(v.number()),
  disk_format: text,
  container_format: text,
  min_disk: v.optional(v.number(), 0),
  min_ram: v.optional(v.number(), 0),
  protected: v.optional(v.boolean(), false),
  os_hash_algo: text,
  os_hash_value: text,
  tags: v.optional(v.array(v.string()), []),
  created_at: moment
})
export type Image = v.InferOutput<typeof Image>

const moving = ["queued", "saving", "importing", "uploading"]

/** Whether its data is on its way. */
export const isMoving = ({ status }: Image): boolean => moving.includes(status)

export const nameOf = ({ id, name }: Image): string => (name === "" ? id : name)

export const hrefOf = (id: string): string => `/storage/images/${id}`

import * as v from "valibot"
import { moment, text } from "../platform/lists.ts"

const Attachment = v.object({ server_id: v.string(), device: text })

/** A volume, as far as it is shown. */
export const Volume = v.object({
  id: v.string(),
  name: text,
  description: text,
  status: v.string(),
  /** GiB. */
  size: v.number(),
  volume_type: text,
  bootable: text,
  created_at: moment,
  snapshot_id: text,
  attachments: v.array(Attachment)
})
export type Volume = v.InferOutput<typeof Volume>

export const Snapshot = v.object({
  id: v.string(),
  name: text,
  volume_id: v.string(),
  status: v.string(),
  size: v.number(),
  created_at: moment
})
export type Snapshot = v.InferOutput<typeof Snapshot>

const lasting = ["available", "in-use", "maintenance"]

/** Whether its state changes without anybody's doing. */
export const isMoving = ({ status }: { readonly status: string }): boolean =>
  !lasting.includes(status) && !status.startsWith("error")

/** Volumes and snapshots need no name. */
export const nameOf = ({ id, name }: { readonly id: string; readonly name: string }): string =>
  name === "" ? id : name

export const hrefOf = (id: string): string => `/storage/volumes/${id}`

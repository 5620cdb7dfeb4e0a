import { createHash } from "node:crypto"
import { fixtures } from "../Fixtures.ts"
import type { Scope } from "../keystone/state.ts"

export type Visibility = "public" | "private" | "shared" | "community"

export interface Member {
  readonly member_id: string
  status: "pending" | "accepted" | "rejected"
  readonly created_at: number
  updated_at: number
}

export interface Location {
  readonly url: string
  readonly metadata: Readonly<Record<string, unknown>>
}

export interface Image {
  readonly id: string
  owner: string
  name: string | null
  /** `uploading` has bytes that wait for their import. */
  status: "queued" | "uploading" | "active" | "deactivated"
  visibility: Visibility
  disk_format: string | null
  container_format: string | null
  min_disk: number
  min_ram: number
  protected: boolean
  os_hidden: boolean
  tags: ReadonlyArray<string>
  /** Custom properties; their values are text. */
  properties: Readonly<Record<string, string>>
  size: number | null
  checksum: string | null
  os_hash_value: string | null
  /** The bytes in base64; null until they are uploaded. */
  data: string | null
  locations: ReadonlyArray<Location>
  readonly members: Record<string, Member>
  readonly created_at: number
  updated_at: number
}

/** An import, asked for by whichever of the two ways. */
export interface Task {
  readonly id: string
  readonly type: string
  readonly owner: string
  readonly status: string
  readonly input: Readonly<Record<string, unknown>>
  readonly created_at: number
}

export interface GlanceState {
  readonly images: Record<string, Image>
  readonly tasks: Record<string, Task>
  /** `show_multiple_locations` and `show_image_direct_url`, which are off in a stock system. */
  showLocations: boolean
}

/** The public image that is there before the first tenant. */
export const publicImageId = "1a000000-0000-4000-8000-000000000001"

const bytes = Buffer.from("debian-13")

const debian = (): Image => ({
  id: publicImageId,
  owner: fixtures.adminProjectId,
  name: "debian-13",
  status: "active",
  visibility: "public",
  disk_format: "qcow2",
  container_format: "bare",
  min_disk: 2,
  min_ram: 512,
  protected: true,
  os_hidden: false,
  tags: [],
  properties: { os_distro: "debian", os_version: "13" },
  size: bytes.length,
  checksum: createHash("md5").update(bytes).digest("hex"),
  os_hash_value: createHash("sha512").update(bytes).digest("hex"),
  data: bytes.toString("base64"),
  locations: [],
  members: {},
  created_at: 0,
  updated_at: 0
})

export const glance = (): GlanceState => ({
  images: { [publicImageId]: debian() },
  tasks: {},
  showLocations: false
})

/** Whether an image exists for this caller; what it may then do with it is another question. */
export const visibleTo = (scope: Scope, image: Image): boolean =>
  scope.admin ||
  image.owner === scope.projectId ||
  image.visibility === "public" ||
  image.visibility === "community" ||
  (image.visibility === "shared" && image.members[scope.projectId] !== undefined)

/** An image by id as this caller sees it: one that it must not see does not exist. */
export const imageFor = (state: GlanceState, scope: Scope, id: string): Image | undefined => {
  const image = state.images[id]
  return image !== undefined && visibleTo(scope, image) ? image : undefined
}

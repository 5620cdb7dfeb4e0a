import { createHash } from "node:crypto"
import { fixtures } from "../Fixtures.ts"
import type { JsonObject } from "../Json.ts"
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
  readonly metadata: JsonObject
}

export interface Image {
  readonly id: string
  owner: string
  name: string | null
  /** `uploading`: the image has staged bytes. */
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

/** An import by either API. */
export interface Task {
  readonly id: string
  readonly type: string
  readonly owner: string
  readonly status: string
  readonly input: JsonObject
  readonly created_at: number
  /** The call that made it, and its caller; absent in tasks that were saved before they were kept. */
  readonly request_id?: string
  readonly user_id?: string
}

export interface GlanceState {
  readonly images: Record<string, Image>
  readonly tasks: Record<string, Task>
  /** `show_multiple_locations` and `show_image_direct_url`, both off by default. */
  showLocations: boolean
}

/** A new image of a project: queued, shared, without bytes. */
export const newImage = (given: Pick<Image, "id" | "owner"> & Partial<Image>, now: number): Image => ({
  name: null,
  status: "queued",
  visibility: "shared",
  disk_format: null,
  container_format: null,
  min_disk: 0,
  min_ram: 0,
  protected: false,
  os_hidden: false,
  tags: [],
  properties: {},
  size: null,
  checksum: null,
  os_hash_value: null,
  data: null,
  locations: [],
  members: {},
  created_at: now,
  updated_at: now,
  ...given
})

/** Size, digests and content of the image data. */
export const contentOf = (bytes: Uint8Array): Pick<Image, "size" | "checksum" | "os_hash_value" | "data"> => ({
  size: bytes.length,
  checksum: createHash("md5").update(bytes).digest("hex"),
  os_hash_value: createHash("sha512").update(bytes).digest("hex"),
  data: Buffer.from(bytes).toString("base64")
})

/** The public image that exists before the first tenant. */
export const publicImageId = "1a000000-0000-4000-8000-000000000001"

const debian = (): Image =>
  newImage(
    {
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
      properties: { os_distro: "debian", os_version: "13" },
      ...contentOf(Buffer.from("debian-13"))
    },
    0
  )

export const glance = (): GlanceState => ({
  images: { [publicImageId]: debian() },
  tasks: {},
  showLocations: false
})

/** Whether the image exists for this caller; each operation checks its own policy. */
export const visibleTo = (scope: Scope, image: Image): boolean =>
  scope.admin ||
  image.owner === scope.projectId ||
  image.visibility === "public" ||
  image.visibility === "community" ||
  (image.visibility === "shared" && image.members[scope.projectId] !== undefined)

/** An image by id as this caller sees it: an invisible one does not exist. */
export const imageFor = (state: GlanceState, scope: Scope, id: string): Image | undefined => {
  const image = state.images[id]
  return image !== undefined && visibleTo(scope, image) ? image : undefined
}

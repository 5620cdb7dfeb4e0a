import { toSecondsUtc } from "../times.ts"
import type { Request } from "./request.ts"
import type { Image } from "./state.ts"

export const showImage = ({ world: { glance } }: Request, image: Image) => ({
  ...image.properties,
  id: image.id,
  name: image.name,
  status: image.status,
  visibility: image.visibility,
  owner: image.owner,
  size: image.size,
  // The virtual size of a raw image is its size; the other formats are not inspected.
  virtual_size: image.disk_format === "raw" ? image.size : null,
  checksum: image.checksum,
  os_hash_algo: image.os_hash_value === null ? null : "sha512",
  os_hash_value: image.os_hash_value,
  disk_format: image.disk_format,
  container_format: image.container_format,
  min_disk: image.min_disk,
  min_ram: image.min_ram,
  protected: image.protected,
  os_hidden: image.os_hidden,
  tags: image.tags,
  created_at: toSecondsUtc(image.created_at),
  updated_at: toSecondsUtc(image.updated_at),
  self: `/v2/images/${image.id}`,
  file: `/v2/images/${image.id}/file`,
  schema: "/v2/schemas/image",
  ...(glance.showLocations ? { locations: image.locations } : {}),
  ...(glance.showLocations && image.locations[0] !== undefined ? { direct_url: image.locations[0].url } : {})
})

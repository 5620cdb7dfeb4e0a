import type { Asked } from "./webob.ts"
import { stamp } from "./webob.ts"
import type { Image } from "./state.ts"

export const showImage = ({ world: { glance } }: Asked, image: Image) => ({
  ...image.properties,
  id: image.id,
  name: image.name,
  status: image.status,
  visibility: image.visibility,
  owner: image.owner,
  size: image.size,
  // Of a raw image it is what was uploaded; of the others nobody has looked inside.
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
  created_at: stamp(image.created_at),
  updated_at: stamp(image.updated_at),
  self: `/v2/images/${image.id}`,
  file: `/v2/images/${image.id}/file`,
  schema: "/v2/schemas/image",
  ...(glance.showLocations ? { locations: image.locations } : {}),
  ...(glance.showLocations && image.locations[0] !== undefined ? { direct_url: image.locations[0].url } : {})
})

import { anId, type Spelling, tenants } from "./Spelling.ts"

const refusal = "platform_act_refused"
const image = `/image/images/${anId}`
const type21 = "application/openstack-images-v2.1-json-patch"
const type20 = "application/openstack-images-v2.0-json-patch"

const devices = JSON.stringify([{ volume_id: anId, device_name: "vdb", delete_on_termination: true }])

/** The properties with which an image brings block devices to a server. */
const properties: ReadonlyArray<readonly [name: string, value: unknown]> = [
  ["block_device_mapping", devices],
  ["block_device_mapping", "[]"],
  ["mappings", JSON.stringify([{ virtual: "ephemeral0", device: "vdb" }])],
  ["bdm_v2", "True"]
]

type Row = Pick<Spelling, "body" | "expect" | "headers" | "method" | "path" | "what" | "who">

const row = (
  what: string,
  method: string,
  path: string,
  body: unknown,
  expect: Spelling["expect"],
  headers: Spelling["headers"] = {}
): Row => ({ what, who: tenants, method, path, body, expect, headers })

const patch = (what: string, type: string, operation: object, expect: Spelling["expect"]): Row =>
  row(what, "PATCH", image, [{ op: "add", path: "/note", value: "x" }, operation], expect, { "content-type": type })

const volumeAction = `/volume/volumes/${anId}/action`
const labels = `/compute/images/${anId}/metadata`
const actionPaths = [`/compute/servers/${anId}/action`, `/compute/os-volumes_boot/${anId}/action`]

const refused: ReadonlyArray<Row> = [
  ...properties.flatMap(([name, value]) => [
    row(name, "POST", "/image/images", { name: "x", [name]: value }, refusal),
    ...["add", "replace", "copy", "move"].map((op) =>
      patch(`${op} ${name}`, type21, { op, path: `/${name}`, from: "/note", value }, refusal)
    ),
    ...["add", "replace"].map((op) => patch(`${op} ${name}`, type20, { [op]: `/${name}`, value }, refusal)),
    row(name, "PUT", labels, { metadata: { [name]: value } }, refusal),
    row(name, "POST", labels, { metadata: { note: "x", [name]: value } }, refusal),
    row(name, "PUT", `${labels}/${name}`, { meta: { [name]: value } }, refusal),
    row(name, "POST", volumeAction, { "os-set_image_metadata": { metadata: { [name]: value } } }, refusal),
    ...actionPaths.map((_) =>
      row(name, "POST", _, { createImage: { name: "x", metadata: { note: "x", [name]: value } } }, refusal)
    )
  ]),
  // A database may take these for the same name: a label of a volume is found by its name, and changed.
  ...["Block_Device_Mapping", "block_d\u00e9vice_mapping", "block_device_mapping "].map((name) =>
    row(name, "POST", volumeAction, { "os-set_image_metadata": { metadata: { [name]: devices } } }, refusal)
  ),
  // Glance trims pointers, and takes the part up to the next slash.
  ...["//mappings", "/ mappings ", "/mappings/0", "/MAPPINGS"].map((path) =>
    patch(path, type21, { op: "add", path, value: "[]" }, refusal)
  ),
  patch("a removal in one form, which adds in the other", type20, { op: "remove", path: "/x", add: "/bdm_v2" }, refusal)
]

const allowed: ReadonlyArray<Row> = [
  row(
    "other properties",
    "POST",
    "/image/images",
    { name: "mappings", os_type: "linux", hw_disk_bus: "scsi" },
    "allowed"
  ),
  patch("a removal", type21, { op: "remove", path: "/block_device_mapping" }, "allowed"),
  patch("a removal in the older form", type20, { remove: "/mappings" }, "allowed"),
  patch("another property", type21, { op: "replace", path: "/mappings_note", value: "x" }, "allowed"),
  patch("its name in a value", type21, { op: "add", path: "/note", value: "/mappings" }, "allowed"),
  row("another label", "PUT", labels, { metadata: { note: "bdm_v2" } }, "allowed"),
  row("a label goes", "DELETE", `${labels}/bdm_v2`, undefined, "allowed"),
  row("other labels", "POST", volumeAction, { "os-set_image_metadata": { metadata: { os_type: "linux" } } }, "allowed"),
  row("a label goes", "POST", volumeAction, { "os-unset_image_metadata": { key: "bdm_v2" } }, "allowed"),
  row("a copy", "POST", volumeAction, { "os-volume_upload_image": { image_name: "mappings" } }, "allowed"),
  ...actionPaths.flatMap((_) => [
    row("a copy with labels", "POST", _, { createImage: { name: "x", metadata: { note: "mappings" } } }, "allowed"),
    row("a copy", "POST", _, { createImage: { name: "mappings" } }, "allowed")
  ])
]

export const imageDeviceSpellings: ReadonlyArray<Spelling> = [
  ...refused,
  ...allowed,
  ...refused.map((_): Spelling => ({ ..._, who: ["operator"], expect: "allowed" }))
]

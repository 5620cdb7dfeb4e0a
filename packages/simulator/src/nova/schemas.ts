import type { Properties, Schema } from "../jsonSchema.ts"

/** The request schemas of Nova, `nova/api/openstack/compute/schemas` of release 31, by microversion. */

export const name: Schema = { type: "string", minLength: 1, maxLength: 255, format: "name" }
export const uuid: Schema = { type: "string", format: "uuid" }
export const text: Schema = { type: "string" }
const shortText: Schema = { type: "string", maxLength: 255 }
const description: Schema = { type: ["string", "null"], minLength: 0, maxLength: 255 }
const hostname: Schema = {
  type: "string",
  minLength: 2,
  maxLength: 63,
  pattern: "^[a-zA-Z0-9]+[a-zA-Z0-9-]*[a-zA-Z0-9]+$"
}
const fqdn: Schema = { type: "string", minLength: 1, maxLength: 255, pattern: "^[a-zA-Z0-9-._]*$" }
const tag: Schema = { type: "string", minLength: 1, maxLength: 60, pattern: "^[^,/]*$" }
const positive: Schema = { type: ["integer", "string"], pattern: "^[0-9]*$", minimum: 1, minLength: 1 }
const size: Schema = { type: ["integer", "string"], pattern: "^[0-9]+$", minimum: 1, maximum: 0x7fffffff }
export const ip: Schema = { type: "string", oneOf: [{ format: "ipv4" }, { format: "ipv6" }] }
export const encoded: Schema = { type: "string", format: "base64", maxLength: 65_535 }
export const certificates: Schema = {
  type: ["array", "null"],
  minItems: 1,
  maxItems: 50,
  items: { type: "string", minLength: 1 }
}

const truths = ["True", "TRUE", "true", "1", "ON", "On", "on", "YES", "Yes", "yes"]
const falsehoods = ["False", "FALSE", "false", "0", "OFF", "Off", "off", "NO", "No", "no"]

export const boolean: Schema = {
  type: ["boolean", "string"],
  enum: [true, false, ...truths, ...falsehoods]
}

export const metadata: Schema = {
  type: "object",
  patternProperties: { "^[a-zA-Z0-9-_:. ]{1,255}$": shortText },
  additionalProperties: false
}

export const diskConfig: Schema = { type: "string", enum: ["AUTO", "MANUAL"] }

/** What create, update and rebuild have in common. */
export const common: Properties = {
  name,
  "OS-DCF:diskConfig": diskConfig,
  accessIPv4: { type: "string", format: "ipv4" },
  accessIPv6: { type: "string", format: "ipv6" }
}

export const closed = (properties: Properties, required: ReadonlyArray<string> = []): Schema => ({
  type: "object",
  properties,
  ...(required.length === 0 ? {} : { required }),
  additionalProperties: false
})

/** A body with one key. */
export const body = (key: string, schema: Schema, more: Properties = {}): Schema =>
  closed({ [key]: schema, ...more }, [key])

export const since = (minor: number, first: number, properties: Properties): Properties =>
  minor < first ? {} : properties

export const personality: Schema = { type: "array", items: closed({ path: text, contents: encoded }) }

export const described = (minor: number): Properties => ({
  ...since(minor, 19, { description }),
  ...since(minor, 90, { hostname: minor < 94 ? hostname : fqdn })
})

const legacyMapping: Properties = {
  virtual_name: shortText,
  volume_id: uuid,
  snapshot_id: uuid,
  volume_size: size,
  device_name: { type: "string", minLength: 1, maxLength: 255, pattern: "^[a-zA-Z0-9._-r/]*$" },
  delete_on_termination: boolean,
  no_device: {},
  connection_info: { type: "string", maxLength: 16_777_215 }
}

const mapping = (minor: number): Schema =>
  closed({
    ...legacyMapping,
    source_type: { type: "string", enum: ["volume", "image", "snapshot", "blank"] },
    uuid: { type: "string", minLength: 1, maxLength: 255, pattern: "^[a-zA-Z0-9._-]*$" },
    image_id: uuid,
    destination_type: { type: "string", enum: ["local", "volume"] },
    guest_format: shortText,
    device_type: shortText,
    disk_bus: shortText,
    boot_index: { type: ["integer", "string", "null"], pattern: "^-?[0-9]+$" },
    ...(minor === 32 || minor >= 42 ? { tag } : {}),
    ...since(minor, 67, { volume_type: { type: ["string", "null"], minLength: 0, maxLength: 255 } })
  })

const networkItem = (minor: number): Schema =>
  closed({
    fixed_ip: ip,
    port: { oneOf: [uuid, { type: "null" }] },
    uuid: minor < 37 ? text : uuid,
    ...((minor >= 32 && minor < 37) || minor >= 42 ? { tag } : {})
  })

const networks = (minor: number): Schema => {
  const list: Schema = { type: "array", items: networkItem(minor) }
  return minor < 37 ? list : { oneOf: [list, { type: "string", enum: ["none", "auto"] }] }
}

const hints: Schema = { type: "object", properties: { group: uuid } }

/** `POST /servers`. A destination, which administrators may name from 2.74, is not simulated. */
export const createServer = (minor: number): Schema =>
  body(
    "server",
    closed(
      {
        name,
        imageRef: { oneOf: [uuid, { type: "string", maxLength: 0 }] },
        flavorRef: { type: ["string", "integer"], minLength: 1 },
        adminPass: text,
        metadata,
        networks: networks(minor),
        ...common,
        ...(minor < 57 ? { personality } : {}),
        availability_zone: name,
        block_device_mapping: { type: "array", items: closed(legacyMapping) },
        block_device_mapping_v2: { type: "array", items: mapping(minor) },
        config_drive: boolean,
        key_name: name,
        min_count: positive,
        max_count: positive,
        return_reservation_id: boolean,
        security_groups: { type: "array", items: closed({ name }) },
        user_data: encoded,
        ...described(minor),
        ...since(minor, 52, { tags: { type: "array", items: tag, maxItems: 50 } }),
        ...since(minor, 63, { trusted_image_certificates: certificates })
      },
      ["name", "flavorRef", ...(minor < 37 ? [] : ["networks"])]
    ),
    { "os:scheduler_hints": hints, "OS-SCH-HNT:scheduler_hints": hints }
  )

/** `PUT /servers/{id}`. */
export const updateServer = (minor: number): Schema => body("server", closed({ ...common, ...described(minor) }))

/** `POST` and `PUT /servers/{id}/metadata`, and of an image. */
export const allMetadata = body("metadata", metadata)

/** `PUT /servers/{id}/metadata/{key}`, and of an image. */
export const oneMetadatum = body("meta", { ...metadata, minProperties: 1, maxProperties: 1 })

const keypairName = (minor: number): Schema => ({
  ...name,
  format: minor < 92 ? "keypair_name_20" : "keypair_name_292"
})

/** `POST /os-keypairs`. Since 2.92 Nova generates no keys. */
export const createKeypair = (minor: number): Schema =>
  body(
    "keypair",
    closed(
      {
        name: keypairName(minor),
        ...since(minor, 2, { type: { type: "string", enum: ["ssh", "x509"] } }),
        public_key: text,
        ...since(minor, 10, { user_id: text })
      },
      minor < 92 ? ["name"] : ["name", "public_key"]
    )
  )

const many = (items: Schema): Schema => ({ type: "array", items })
const patterns = ["kernel_id", "ramdisk_id", "hostname", "key_name", "power_state", "node", "flavor", "reservation_id"]
const morePatterns = ["launched_at", "terminated_at", "availability_zone", "name", "display_name", "description"]
const lastPatterns = ["display_description", "locked_by", "root_device_name", "config_drive", "access_ip_v4"]
const addressPatterns = ["access_ip_v6", "auto_disk_config", "progress", "ip", "ip6", "created_at"]
const plain = [
  "user_id",
  "project_id",
  "tenant_id",
  "launch_index",
  "image_ref",
  "image",
  "vm_state",
  "task_state",
  "host"
]
const morePlain = ["uuid", "sort_dir", "sort_key", "all_tenants", "soft_deleted", "deleted", "status", "marker"]
const joined = ["block_device_mapping", "services", "metadata", "system_metadata", "info_cache", "security_groups"]
const tags = ["tags", "tags-any", "not-tags", "not-tags-any"]

const each = (names: ReadonlyArray<string>, schema: Schema): Properties =>
  Object.fromEntries(names.map((_) => [_, many(schema)]))

export const count: Schema = { type: ["integer", "string"], pattern: "^[0-9]*$", minimum: 0, minLength: 1 }

/** The body of the deprecated way to make a snapshot. */
export const createSnapshot: Schema = closed(
  {
    snapshot: closed({ volume_id: text, force: boolean, display_name: text, display_description: text }, ["volume_id"])
  },
  ["snapshot"]
)

/** The query of the deprecated lists of volumes and snapshots. */
export const pageQuery: Schema = {
  type: "object",
  properties: { limit: many(count), offset: many(count) },
  additionalProperties: true
}

/** The query of a list of servers; each value is a list. Until 2.75 unknown parameters are dropped. */
export const serversQuery = (minor: number): Schema => ({
  type: "object",
  properties: {
    ...each([...plain, ...morePlain, ...joined, "pci_devices"], text),
    ...each([...patterns, ...morePatterns, ...lastPatterns, ...addressPatterns], { type: "string", format: "regex" }),
    "changes-since": many({ type: "string", format: "date-time" }),
    limit: many(count),
    ...since(minor, 26, each(tags, { type: "string", format: "regex" })),
    ...since(minor, 66, { "changes-before": many({ type: "string", format: "date-time" }) }),
    ...since(minor, 73, { locked: many(text) })
  },
  patternProperties: { "^_": many(text) },
  additionalProperties: minor < 75
})

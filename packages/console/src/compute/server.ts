import * as v from "valibot"
import { moment, text } from "../platform/lists.ts"

const Address = v.object({ addr: v.string(), "OS-EXT-IPS:type": text })

/** A volume-backed server has an empty text for its image. */
const imageId = v.pipe(
  v.nullish(v.union([v.string(), v.object({ id: v.string() })]), ""),
  v.transform((_) => (typeof _ === "object" ? _.id : ""))
)

/** A server, as far as it is shown. */
export const Server = v.pipe(
  v.object({
    id: v.string(),
    name: v.string(),
    status: v.string(),
    image: imageId,
    flavor: v.object({ id: text, original_name: text }),
    created: moment,
    addresses: v.optional(v.record(v.string(), v.array(Address)), {}),
    key_name: text,
    security_groups: v.optional(v.array(v.object({ name: v.string() })), []),
    fault: v.nullish(v.object({ message: text })),
    "OS-EXT-STS:task_state": text,
    "OS-SRV-USG:launched_at": moment
  }),
  v.transform((_) => ({
    id: _.id,
    name: _.name,
    status: _.status,
    imageId: _.image,
    flavorId: _.flavor.id,
    flavorName: _.flavor.original_name,
    created: _.created,
    addresses: Object.entries(_.addresses).flatMap(([network, addresses]) =>
      addresses.map(({ addr, "OS-EXT-IPS:type": type }) => ({
        network,
        address: addr,
        isFloating: type === "floating"
      }))
    ),
    keyName: _.key_name,
    /** A group is there once for each of the server's ports. */
    groups: [...new Set(_.security_groups.map(({ name }) => name))],
    fault: _.fault?.message ?? "",
    /** What is being done to it; empty when nothing is. */
    task: _["OS-EXT-STS:task_state"]
  }))
)
export type Server = v.InferOutput<typeof Server>

/** Whether its state changes without anybody's doing. */
export const isMoving = ({ status, task }: Server): boolean => task !== "" || status === "BUILD"

export const hrefOf = (id: string): string => `/compute/servers/${id}`

export const Flavor = v.object({
  id: v.string(),
  name: v.string(),
  vcpus: v.number(),
  /** MiB. */
  ram: v.number(),
  /** GiB. */
  disk: v.number()
})
export type Flavor = v.InferOutput<typeof Flavor>

export const KeyPair = v.pipe(
  v.object({ keypair: v.object({ name: v.string(), fingerprint: text, public_key: text }) }),
  v.transform((_) => _.keypair)
)
export type KeyPair = v.InferOutput<typeof KeyPair>

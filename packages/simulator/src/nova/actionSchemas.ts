import type { Schema } from "../jsonSchema.ts"
import {
  body,
  boolean,
  certificates,
  closed,
  common,
  count,
  described,
  diskConfig,
  encoded,
  ip,
  metadata,
  name,
  personality,
  since,
  text,
  uuid
} from "./schemas.ts"

/** The bodies of a server's actions, `nova/api/openstack/compute/schemas` of release 31, by microversion. */

/** The body of an action whose value may be null. */
const orNull = (key: string, schema: Schema): Schema => body(key, { ...schema, type: ["object", "null"] })

const rebuild = (minor: number): Schema =>
  body(
    "rebuild",
    closed(
      {
        ...common,
        imageRef: uuid,
        adminPass: text,
        metadata,
        preserve_ephemeral: boolean,
        ...(minor < 57 ? { personality } : { user_data: { oneOf: [encoded, { type: "null" }] } }),
        ...described(minor),
        ...since(minor, 54, {
          key_name: { oneOf: [{ type: "string", minLength: 1, maxLength: 255 }, { type: "null" }] }
        }),
        ...since(minor, 63, { trusted_image_certificates: certificates })
      },
      ["imageRef"]
    )
  )

const resize = body(
  "resize",
  closed({ flavorRef: { type: ["string", "integer"], minLength: 1 }, "OS-DCF:diskConfig": diskConfig }, ["flavorRef"])
)

const createImage = body("createImage", closed({ name, metadata }, ["name"]))

const reboot = body(
  "reboot",
  closed({ type: { type: "string", enum: ["HARD", "Hard", "hard", "SOFT", "Soft", "soft"] } }, ["type"])
)

const createBackup = body(
  "createBackup",
  closed({ name, backup_type: text, rotation: count, metadata }, ["name", "backup_type", "rotation"])
)

const length: Schema = { type: ["integer", "string", "null"], pattern: "^-?[0-9]+$", minimum: -1 }

/** Before these microversions nothing of the value is checked. */
const lock = (minor: number): Schema | undefined =>
  minor < 73 ? undefined : orNull("lock", closed({ locked_reason: { type: "string", minLength: 1, maxLength: 255 } }))

const unshelve = (minor: number): Schema | undefined => {
  if (minor < 77) return undefined
  if (minor < 91) return orNull("unshelve", closed({ availability_zone: name }, ["availability_zone"]))
  const place = closed({ availability_zone: { type: ["string", "null"] }, host: text })
  return body("unshelve", { oneOf: [place, { type: "null" }] })
}

const consoleOf = (key: string, ...types: ReadonlyArray<string>): Schema =>
  body(key, closed({ type: { type: "string", enum: types } }, ["type"]))

/** Actions without a schema here take any value. */
export const actionSchemas: Readonly<Record<string, (minor: number) => Schema | undefined>> = {
  rebuild,
  resize: () => resize,
  createImage: () => createImage,
  createBackup: () => createBackup,
  reboot: () => reboot,
  rescue: () => orNull("rescue", closed({ adminPass: text, rescue_image_ref: uuid })),
  lock,
  unshelve,
  trigger_crash_dump: () => body("trigger_crash_dump", { type: "null" }),
  changePassword: () => body("changePassword", closed({ adminPass: text }, ["adminPass"])),
  "os-getConsoleOutput": () => body("os-getConsoleOutput", closed({ length })),
  "os-getVNCConsole": () => consoleOf("os-getVNCConsole", "novnc", "xvpvnc"),
  "os-getSPICEConsole": () => consoleOf("os-getSPICEConsole", "spice-html5"),
  addFloatingIp: () => body("addFloatingIp", closed({ address: ip, fixed_address: ip }, ["address"])),
  removeFloatingIp: () => body("removeFloatingIp", closed({ address: ip }, ["address"])),
  addFixedIp: () =>
    body(
      "addFixedIp",
      closed({ networkId: { type: ["string", "number"], minLength: 1, maxLength: 36 } }, ["networkId"])
    ),
  removeFixedIp: () => body("removeFixedIp", closed({ address: ip }, ["address"]))
}

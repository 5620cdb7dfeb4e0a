import { Forbidden } from "@portico/contract/Failures"
import { Effect, Predicate } from "effect"
import { keysOf } from "../../acts/matching.ts"
import { isWrite, memberOf, word } from "../../acts/reading.ts"
import { type ConcernedCaller, type PlatformCall, ruleAt } from "./Rule.ts"

/**
 * A suspended tenant creates nothing on the platform. Running resources keep running, and reads, changes, power
 * actions and deletions go on. A POST counts as a creation unless {@link acting} lists its exact path; a PUT or a
 * PATCH counts as a change unless {@link creating} lists it, in any spelling. Quotas are the second line of defence.
 */
export const suspension = ruleAt({
  at: (call) => {
    const act = whileSuspended(call, call.caller)
    return act === "changes" ? undefined : act
  },
  reads: (act) => (act === "creates" ? "head" : "body"),
  check: (act, _, body) => (act === "creates" || !act(body) ? Forbidden.tenantSuspended() : Effect.void)
})

/** Whether a call of a caller creates something, whatever its body says, and its tenant is suspended. */
export const createsWhileSuspended = (call: Located, caller: ConcernedCaller): boolean =>
  whileSuspended(call, caller) === "creates"

const whileSuspended = (call: Located, { tenant }: ConcernedCaller): Outcome =>
  tenant?.suspended === true && isWrite(call.method) ? actOf(call) : "changes"

/** The outcome of a call. When only the body shows it, a function that returns whether the body creates nothing. */
type Outcome = "creates" | "changes" | ((body: unknown) => boolean)

type Located = Pick<PlatformCall, "method" | "service" | "segments">

const actOf = (call: Located): Outcome => {
  const { method, segments, service } = call
  if (method !== "POST")
    return method === "PUT" || method === "PATCH" ? (creating[service]?.(call) ?? "changes") : "creates"
  const names = acting[service]
  if (names === undefined) return "creates"
  for (const [path, act] of names) if (matches(path, segments)) return act
  return "creates"
}

/** Whether the path matches the pattern; a star matches one segment. */
const matches = (pattern: string, segments: ReadonlyArray<string>): boolean => {
  const parts = pattern.split("/")
  return parts.length === segments.length && parts.every((part, i) => part === "*" || part === segments[i])
}

/** Whether a body is exactly one of these actions. */
const oneOf =
  (...names: ReadonlyArray<string>) =>
  (body: unknown): boolean => {
    const keys = keysOf(body)
    return keys.length === 1 && names.includes(keys[0] ?? "")
  }

/**
 * Nova's server actions that create nothing and enlarge nothing (Compute API reference, Servers - run an action).
 * Excluded are `createImage` and `createBackup` (an image), `resize` (another size), `addFixedIp` and `addFloatingIp`
 * of the old network API (an address), `restore` (a server that no longer counts against a quota), and all actions
 * that tenants may not use anyway.
 */
const serverActions = oneOf(
  "addSecurityGroup",
  "changePassword",
  "confirmResize",
  "forceDelete",
  "lock",
  "os-getConsoleOutput",
  "os-getRDPConsole",
  "os-getSPICEConsole",
  "os-getSerialConsole",
  "os-getVNCConsole",
  "os-start",
  "os-stop",
  "pause",
  "reboot",
  "rebuild",
  "removeFixedIp",
  "removeFloatingIp",
  "removeSecurityGroup",
  "rescue",
  "resume",
  "revertResize",
  "shelve",
  "shelveOffload",
  "suspend",
  "trigger_crash_dump",
  "unlock",
  "unpause",
  "unrescue",
  "unshelve"
)

/**
 * The same for Cinder's volume actions (Block Storage API reference, Volume actions). Excluded are `os-extend`,
 * `os-retype` (another price) and `os-volume_upload_image` (an image).
 */
const volumeActions = oneOf(
  "os-attach",
  "os-begin_detaching",
  "os-detach",
  "os-force_delete",
  "os-reimage",
  "os-reserve",
  "os-roll_detaching",
  "os-set_bootable",
  "os-set_image_metadata",
  "os-show_image_metadata",
  "os-unreserve",
  "os-unset_image_metadata",
  "os-update_readonly_flag",
  "revert"
)

/** Whether the body attaches an existing port. Without a port id Nova creates one. */
const attachesPort = (body: unknown): boolean => {
  const attachment = memberOf(body, "interfaceAttachment")
  if (!Predicate.isReadonlyObject(attachment)) return false
  const keys = Object.keys(attachment)
  return typeof attachment["port_id"] === "string" && keys.every((_) => _ === "port_id" || _ === "tag")
}

/** POSTs that act on existing resources, by service. */
const acting: Readonly<Record<string, ReadonlyArray<readonly [path: string, act: Outcome]>>> = {
  compute: [
    ["servers/*/action", serverActions],
    ["servers/*/metadata", "changes"],
    ["servers/*/os-interface", attachesPort],
    ["servers/*/os-volume_attachments", "changes"],
    ["servers/*/remote-consoles", "changes"]
  ],
  volume: [
    ["attachments/*/action", oneOf("os-complete")],
    ["consistencygroups/*/delete", "changes"],
    ["groups/*/action", oneOf("delete")],
    ["snapshots/*/metadata", "changes"],
    ["volumes/*/action", volumeActions],
    ["volumes/*/metadata", "changes"]
  ],
  image: [
    ["images/*/actions/deactivate", "changes"],
    ["images/*/actions/reactivate", "changes"]
  ],
  dns: [["zones/*/tasks/xfr", "changes"]],
  "key-manager": [["v1/secrets/*/metadata", "changes"]]
}

const has = (segments: ReadonlyArray<string>, ...names: ReadonlyArray<string>): boolean =>
  segments.some((_) => names.includes(word(_).toLowerCase()))

/** Whether a body removes a name and sets none. */
const unsetsName = (body: unknown): boolean => memberOf(body, "ptrdname") === null

/** PUTs and PATCHes that create something, by service; undefined for a change. */
const creating: Readonly<Record<string, (call: Located) => Outcome | undefined>> = {
  // Each creates a port of the router, or allocates an address.
  network: ({ segments }) => (has(segments, "add-router-interface", "add-external-gateways") ? "creates" : undefined),
  // The data of an image.
  image: ({ segments }) => (has(segments, "file", "stage") ? "creates" : undefined),
  // A reverse name is a record, in a zone that may have to be created.
  dns: ({ segments }) => (has(segments, "reverse") ? unsetsName : undefined),
  // A list of members that replaces the current one.
  "load-balancer": ({ segments }) => (word(segments.at(-1)).toLowerCase() === "members" ? "creates" : undefined),
  // The payload of a secret that was created without one.
  "key-manager": ({ segments }) =>
    has(segments, "secrets") && !has(segments, "acl", "metadata") ? "creates" : undefined
}

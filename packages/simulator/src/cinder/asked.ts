import { scoped } from "../keystone/scope.ts"
import { webob } from "../glance/webob.ts"
import type { Scope } from "../keystone/state.ts"
import { unreadable } from "../nova/body.ts"
import { badRequest, fault, notFound, policyRefuses } from "../nova/fault.ts"
import type { Answer, Handler, Incoming } from "../Wire.ts"
import { keptQuery } from "../nova/paging.ts"
import { settleCinder, type Snapshot, type Volume } from "./state.ts"

/** A call behind the token middleware. */
export interface Asked extends Incoming {
  readonly scope: Scope
  /** The microversion, as the number after the `3.`. */
  readonly minor: number
}

export type Answering = (asked: Asked) => Answer

/** What a volume does when the one key of an action's body names it; the key's value is the third argument. */
export type Action = (asked: Asked, volume: Volume, value: unknown) => Answer

/** The version that is implemented; above it 406. */
const maxMinor = 71

const minorOf = (headers: Incoming["headers"]): number | "malformed" => {
  const asked = /(?:^|,)\s*volume\s+([^,]*)/.exec(headers["openstack-api-version"] ?? "")?.[1]?.trim()
  if (asked === undefined) return 0
  if (asked === "latest") return maxMinor
  const minor = /^3\.(\d+)$/.exec(asked)?.[1]
  return minor === undefined ? "malformed" : Number(minor)
}

/** A route of the volume API. A project in the URL must be the token's own, even for an administrator. */
export const volumeRoute = (handler: Answering): Handler =>
  scoped((incoming, scope) => {
    const minor = minorOf(incoming.headers)
    if (minor === "malformed") {
      return badRequest("API Version String is of invalid format. Must be of format MajorNum.MinorNum.")
    }
    if (minor > maxMinor) {
      return fault(406, `Version 3.${minor} is not supported by the API. Minimum is 3.0 and maximum is 3.${maxMinor}.`)
    }
    const project = incoming.params["project"] ?? scope.projectId
    if (!/^[0-9a-f-]+$/.test(project)) return webob(incoming, 404, "The resource could not be found.")
    const echo = { "openstack-api-version": `volume 3.${minor}`, vary: "OpenStack-API-Version" }
    const told = (answer: Answer): Answer => ({
      ...answer,
      headers: { "content-type": typeOf(incoming, answer), ...answer.headers, ...echo }
    })
    if (project !== scope.projectId) return told(badRequest("Malformed request url"))
    const unread = unreadable(incoming)
    if (unread !== undefined) return told(unread)
    settleCinder(incoming.world.cinder, incoming.now)
    return told(handler({ ...incoming, scope, minor }))
  })

/** Of an answer without a body: the removal of a thing answers with a page, everything else with JSON. */
const typeOf = ({ method }: Incoming, { status }: Answer): string =>
  method === "DELETE" && status === 202 ? "text/html; charset=UTF-8" : "application/json"

/** A call that changes something: role `reader` is not enough. */
export const memberRoute = (rule: string, handler: Answering): Handler =>
  volumeRoute((asked) => (asked.scope.roles.includes("member") ? handler(asked) : policyRefuses(rule)))

export const adminRoute = (rule: string, handler: Answering): Handler =>
  volumeRoute((asked) => (asked.scope.admin ? handler(asked) : policyRefuses(rule)))

const mayRead = (scope: Scope, thing: { readonly project_id: string } | undefined): boolean =>
  thing !== undefined && (scope.admin || thing.project_id === scope.projectId)

/** A volume by id as this caller sees it: another project's does not exist. */
export const volumeFor = ({ world }: Incoming, scope: Scope, id: string): Volume | undefined => {
  const volume = world.cinder.volumes[id]
  return mayRead(scope, volume) ? volume : undefined
}

export const snapshotFor = ({ world }: Incoming, scope: Scope, id: string): Snapshot | undefined => {
  const snapshot = world.cinder.snapshots[id]
  return mayRead(scope, snapshot) ? snapshot : undefined
}

export const noVolume = (id: string): Answer => notFound(`Volume ${id} could not be found.`)

export const noSnapshot = (id: string): Answer => notFound(`Snapshot ${id} could not be found.`)

export const ofVolume =
  (handler: (asked: Asked, volume: Volume) => Answer): Answering =>
  (asked) => {
    const id = asked.params["id"] ?? ""
    const volume = volumeFor(asked, asked.scope, id)
    return volume === undefined ? noVolume(id) : handler(asked, volume)
  }

export const ofSnapshot =
  (handler: (asked: Asked, snapshot: Snapshot) => Answer): Answering =>
  (asked) => {
    const id = asked.params["id"] ?? ""
    const snapshot = snapshotFor(asked, asked.scope, id)
    return snapshot === undefined ? noSnapshot(id) : handler(asked, snapshot)
  }

/** Where clients find this API, as Cinder spells its links: with the project where the URL says it. */
export const volumeBase = ({ headers, params }: Asked): string =>
  `http://${headers["host"] ?? "localhost"}/volume/v3${params["project"] === undefined ? "" : `/${params["project"]}`}`

/** The same without a version, which leads nowhere. */
export const bookmarkBase = (asked: Asked): string => volumeBase(asked).replace("/v3", "")

/** A page of volumes, snapshots or transfers: what is not a number or names nothing is refused in Cinder's words. */
export const volumePaging = (noMarker: (id: string) => Answer) => ({
  noMarker,
  nextQuery: keptQuery,
  wrongNumber: (name: string, text: string): Answer =>
    badRequest(/^-\d+$/.test(text) ? `${name} param must be positive` : `${name} param must be an integer`)
})

export const stamp = (millis: number): string => new Date(millis).toISOString().replace("Z", "000")

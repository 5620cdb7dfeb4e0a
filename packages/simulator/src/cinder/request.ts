import { scoped } from "../keystone/scope.ts"
import { webob } from "../glance/request.ts"
import type { Scope } from "../keystone/state.ts"
import { badRequest, fault, notFound, policyRefuses, unreadable } from "../nova/fault.ts"
import { type Answer, type Handler, type Incoming, isAnswer, json, originOf } from "../Wire.ts"
import { keptQuery, type Page } from "../nova/paging.ts"
import { type CinderState, settleCinder, type Snapshot, type Volume } from "./state.ts"

/** A call behind the token middleware. */
export interface Request extends Incoming {
  readonly scope: Scope
  /** The microversion, as the number after the `3.`. */
  readonly minor: number
}

export type RequestHandler = (request: Request) => Answer

/** The handler of an action, keyed by the only key of the body; the third argument is the key's value. */
export type Action = (request: Request, volume: Volume, value: unknown) => Answer

/** The highest implemented microversion, as the version document says; a higher one is a 406. */
export const newestMinor = 71

const minorOf = (headers: Incoming["headers"]): number | "malformed" => {
  const version = /(?:^|,)\s*volume\s+([^,]*)/.exec(headers["openstack-api-version"] ?? "")?.[1]?.trim()
  if (version === undefined) return 0
  if (version === "latest") return newestMinor
  const minor = /^3\.(\d+)$/.exec(version)?.[1]
  return minor === undefined ? "malformed" : Number(minor)
}

/** A route of the volume API. A project in the URL must be the token's own, even for an administrator. */
export const volumeRoute = (handler: RequestHandler): Handler =>
  scoped((incoming, scope) => {
    const minor = minorOf(incoming.headers)
    if (minor === "malformed") {
      return badRequest("API Version String is of invalid format. Must be of format MajorNum.MinorNum.")
    }
    if (minor > newestMinor) {
      return fault(
        406,
        `Version 3.${minor} is not supported by the API. Minimum is 3.0 and maximum is 3.${newestMinor}.`
      )
    }
    const project = incoming.params["project"] ?? scope.projectId
    if (!/^[0-9a-f-]+$/.test(project)) return webob(incoming, 404, "The resource could not be found.")
    const echo = { "openstack-api-version": `volume 3.${minor}`, vary: "OpenStack-API-Version" }
    const withVersion = (answer: Answer): Answer => ({
      ...answer,
      headers: { "content-type": typeOf(incoming, answer), ...answer.headers, ...echo }
    })
    if (project !== scope.projectId) return withVersion(badRequest("Malformed request url"))
    const unread = unreadable(incoming)
    if (unread !== undefined) return withVersion(unread)
    settleCinder(incoming.world.cinder, incoming.now)
    return withVersion(handler({ ...incoming, scope, minor }))
  })

/** The content type of an answer without a body: HTML for a deletion, JSON for the others. */
const typeOf = ({ method }: Incoming, { status }: Answer): string =>
  method === "DELETE" && status === 202 ? "text/html; charset=UTF-8" : "application/json"

/** A write: role `reader` is not enough. */
export const memberRoute = (rule: string, handler: RequestHandler): Handler =>
  volumeRoute((request) => (request.scope.roles.includes("member") ? handler(request) : policyRefuses(rule)))

export const adminRoute = (rule: string, handler: RequestHandler): Handler =>
  volumeRoute((request) => (request.scope.admin ? handler(request) : policyRefuses(rule)))

/** A resource by id as this caller sees it: another project's does not exist. */
const visible = <Thing extends { readonly project_id: string }>(
  things: Readonly<Record<string, Thing>>,
  scope: Scope,
  id: string
): Thing | undefined => {
  const thing = things[id]
  return thing !== undefined && (scope.admin || thing.project_id === scope.projectId) ? thing : undefined
}

export const volumeFor = ({ world }: Incoming, scope: Scope, id: string): Volume | undefined =>
  visible(world.cinder.volumes, scope, id)

export const snapshotFor = ({ world }: Incoming, scope: Scope, id: string): Snapshot | undefined =>
  visible(world.cinder.snapshots, scope, id)

export const noVolume = (id: string): Answer => notFound(`Volume ${id} could not be found.`)

export const noSnapshot = (id: string): Answer => notFound(`Snapshot ${id} could not be found.`)

/** A handler of one resource by the `:id` of the route. */
export const ofOne =
  <Thing extends { readonly project_id: string }>(
    things: (cinder: CinderState) => Readonly<Record<string, Thing>>,
    absent: (id: string) => Answer
  ) =>
  (handler: (request: Request, thing: Thing) => Answer): RequestHandler =>
  (request) => {
    const id = request.params["id"] ?? ""
    const thing = visible(things(request.world.cinder), request.scope, id)
    return thing === undefined ? absent(id) : handler(request, thing)
  }

export const ofVolume = ofOne((_) => _.volumes, noVolume)

export const ofSnapshot = ofOne((_) => _.snapshots, noSnapshot)

/** The page of a list, with the link to the next one; Cinder names it after the collection. */
export const pageAnswer = <Item>(
  request: Request,
  collection: string,
  path: string,
  page: Page<Item> | Answer,
  view: (request: Request, item: Item) => unknown
): Answer => {
  if (isAnswer(page)) return page
  const next = { rel: "next", href: `${volumeBase(request)}/${path}?${page.next}` }
  return json(200, {
    [collection]: page.items.map((_) => view(request, _)),
    ...(page.next === undefined ? {} : { [`${collection}_links`]: [next] })
  })
}

/** The base of Cinder's links: with the project when the URL has it. */
export const volumeBase = (request: Request): string => {
  const { project } = request.params
  return `${originOf(request)}/volume/v3${project === undefined ? "" : `/${project}`}`
}

/** The same without a version: a dead link, as upstream. */
export const bookmarkBase = (request: Request): string => volumeBase(request).replace("/v3", "")

/** A page of volumes, snapshots or transfers; a malformed limit or an unknown marker gets Cinder's refusal. */
export const volumePaging = (noMarker: (id: string) => Answer) => ({
  noMarker,
  nextQuery: keptQuery,
  wrongNumber: (name: string, text: string): Answer =>
    badRequest(/^-\d+$/.test(text) ? `${name} param must be positive` : `${name} param must be an integer`)
})

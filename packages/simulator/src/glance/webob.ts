import { scoped, type Scope } from "../keystone/scope.ts"
import type { Answer, Handler, Incoming } from "../Wire.ts"
import { imageFor, type Image } from "./state.ts"

/** A call behind the token middleware. */
export interface Asked extends Incoming {
  readonly scope: Scope
}

export type Answering = (asked: Asked) => Answer

const titles: Readonly<Record<number, string>> = {
  400: "Bad Request",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  409: "Conflict",
  410: "Gone",
  413: "Request Entity Too Large",
  415: "Unsupported Media Type",
  416: "Range Not Satisfiable"
}

/** How much a client wants a type, from its `Accept`; 0 is not at all. */
const weightOf = (accept: string, type: string): number => {
  const weights = accept.split(",").flatMap((part) => {
    const [range = "", ...parameters] = part.split(";").map((_) => _.trim().toLowerCase())
    const q = parameters.find((_) => _.startsWith("q="))?.slice(2)
    const fits = range === type || range === "*/*" || range === `${type.split("/")[0]}/*`
    return fits ? [q === undefined ? 1 : Number(q)] : []
  })
  return Math.max(0, ...weights)
}

const escapeHtml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")

/** Glance has no error envelope of its own: this is WebOb's page, in the format that `Accept` likes best. */
export const webob = (
  { headers }: Incoming,
  status: number,
  explanation: string,
  more: Readonly<Record<string, string>> = {}
): Answer => {
  const code = `${status} ${titles[status] ?? "Error"}`
  const accept = headers["accept"] ?? ""
  const [html, asJson] = [weightOf(accept, "text/html"), weightOf(accept, "application/json")]
  const page = (type: string, body: string): Answer => ({ status, headers: { "content-type": type, ...more }, body })
  if (html > 0 && html >= asJson) {
    const text = `${escapeHtml(explanation)}<br /><br />\n\n\n`
    return page(
      "text/html; charset=UTF-8",
      `<html>\n <head>\n  <title>${code}</title>\n </head>\n <body>\n  <h1>${code}</h1>\n  ${text}\n </body>\n</html>`
    )
  }
  if (asJson > 0) {
    const body = { message: `${explanation}<br /><br />\n\n\n`, code, title: titles[status] }
    return page("application/json; charset=UTF-8", JSON.stringify(body))
  }
  return page("text/plain; charset=UTF-8", `${code}\n\n${explanation}\n\n   `)
}

export const imageRoute = (handler: Answering): Handler => scoped((incoming, scope) => handler({ ...incoming, scope }))

/** A call that changes something: role `reader` is not enough. */
export const memberRoute = (rule: string, handler: Answering): Handler =>
  imageRoute((asked) => (asked.scope.roles.includes("member") ? handler(asked) : refuses(asked, rule)))

export const refuses = (asked: Incoming, rule: string): Answer =>
  webob(asked, 403, `You are not authorized to complete ${rule} action.`)

/** A handler of one image that the caller may see. */
export const ofImage =
  (handler: (asked: Asked, image: Image) => Answer): Answering =>
  (asked) => {
    const id = asked.params["id"] ?? ""
    const image = imageFor(asked.world.glance, asked.scope, id)
    return image === undefined ? webob(asked, 404, `No image found with ID ${id}`) : handler(asked, image)
  }

/** What can be seen by others can be changed only by its owner: 403 for what is public, 404 for what is hidden. */
export const ofOwnImage = (rule: string, handler: (asked: Asked, image: Image) => Answer): Answering =>
  ofImage((asked, image) =>
    asked.scope.admin || image.owner === asked.scope.projectId ? handler(asked, image) : refuses(asked, rule)
  )

/** Glance's times have no fraction of a second. */
export const stamp = (millis: number): string => `${new Date(millis).toISOString().slice(0, 19)}Z`

import { challenge, scopeOf } from "../keystone/scope.ts"
import type { Scope } from "../keystone/state.ts"
import type { Answer, Handler, Incoming } from "../Wire.ts"
import { imageFor, type Image } from "./state.ts"

/** A call behind the token middleware. */
export interface Request extends Incoming {
  readonly scope: Scope
}

export type RequestHandler = (request: Request) => Answer

const titles: Readonly<Record<number, string>> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  409: "Conflict",
  410: "Gone",
  413: "Request Entity Too Large",
  415: "Unsupported Media Type",
  416: "Range Not Satisfiable"
}

/** The quality of a type in the client's `Accept`; 0 means not acceptable. */
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

/**
 * Glance has no error envelope of its own: the answer is WebOb's page in the best format of `Accept`.
 * @param detail the text that some refusals have after the status's own explanation
 */
const pageOf = (
  { headers }: Pick<Incoming, "headers">,
  status: number,
  explanation: string,
  detail: string,
  more: Readonly<Record<string, string>>
): Answer => {
  const code = `${status} ${titles[status] ?? "Error"}`
  const accept = headers["accept"] ?? ""
  const [html, asJson] = [weightOf(accept, "text/html"), weightOf(accept, "application/json")]
  const page = (type: string, body: string): Answer => ({ status, headers: { "content-type": type, ...more }, body })
  if (html > 0 && html >= asJson) {
    const text = `${escapeHtml(explanation)}<br /><br />\n${escapeHtml(detail)}\n\n`
    return page(
      "text/html; charset=UTF-8",
      `<html>\n <head>\n  <title>${code}</title>\n </head>\n <body>\n  <h1>${code}</h1>\n  ${text}\n </body>\n</html>`
    )
  }
  if (asJson > 0) {
    const message = `${explanation}<br /><br />\n${detail}${status === 415 ? "" : "\n\n"}`
    return page("application/json", JSON.stringify({ message, code, title: titles[status] }))
  }
  return page("text/plain; charset=UTF-8", `${code}\n\n${explanation}\n\n${detail}   `)
}

export const webob = (
  incoming: Pick<Incoming, "headers">,
  status: number,
  explanation: string,
  more: Readonly<Record<string, string>> = {}
): Answer => pageOf(incoming, status, explanation, "", more)

/** A 409 with the status's explanation, then the reason. */
export const conflict = (incoming: Incoming, reason: string): Answer =>
  pageOf(incoming, 409, "There was a conflict when trying to complete your request.", reason, {})

/** The 415 of the body's deserializer; its page ends one line earlier than every other page. */
export const unreadable = (incoming: Incoming, more: Readonly<Record<string, string>> = {}): Answer => {
  const type = incoming.headers["content-type"] ?? ""
  return pageOf(incoming, 415, `The request media type ${type} is not supported by this server.\n`, "", more)
}

/** An empty answer still has a content type: HTML. */
export const done: Answer = { status: 204, headers: { "content-type": "text/html; charset=UTF-8" }, body: "" }

const unauthorized = (incoming: Pick<Incoming, "headers">): Answer =>
  webob(
    incoming,
    401,
    "This server could not verify that you are authorized to access the document you requested. Either you supplied " +
      "the wrong credentials (e.g., bad password), or your browser does not understand how to supply the credentials " +
      "required.",
    challenge
  )

export const imageRoute =
  (handler: RequestHandler): Handler =>
  (incoming) => {
    const scope = scopeOf(incoming, incoming.headers["x-auth-token"])
    return scope === undefined ? unauthorized(incoming) : handler({ ...incoming, scope })
  }

/** A write: role `reader` is not enough. */
export const memberRoute = (rule: string, handler: RequestHandler): Handler =>
  imageRoute((request) => (request.scope.roles.includes("member") ? handler(request) : refuses(request, rule)))

export const refuses = (request: Incoming, rule: string): Answer =>
  webob(request, 403, `You are not authorized to complete ${rule} action.`)

/**
 * A handler of one image that the caller may see.
 * @param absence the operation's message for a missing image
 */
export const ofImage =
  (
    handler: (request: Request, image: Image) => Answer,
    absence = (id: string) => `No image found with ID ${id}`
  ): RequestHandler =>
  (request) => {
    const id = request.params["id"] ?? ""
    const image = imageFor(request.world.glance, request.scope, id)
    return image === undefined ? webob(request, 404, absence(id)) : handler(request, image)
  }

/** Only its owner may change a visible image: 403 for a public one, 404 for a hidden one. */
export const ofOwnImage = (
  rule: string,
  handler: (request: Request, image: Image) => Answer,
  absence?: (id: string) => string
): RequestHandler =>
  ofImage(
    (request, image) =>
      request.scope.admin || image.owner === request.scope.projectId ? handler(request, image) : refuses(request, rule),
    absence
  )

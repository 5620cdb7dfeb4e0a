import type { Failure } from "@portico/contract/Failures"
import { type IaasService, iaasServices } from "@portico/contract/IaasServices"
import { Effect } from "effect"
import { STATUS_CODES } from "node:http"
import { rendered } from "../../middleware/respond.ts"
import { stockPrefix } from "../../requests/route.ts"
import type { Exchange, OwnAnswer } from "../Exchange.ts"

/** A failure of the gateway's own, as the parts of which each service makes its answer. */
interface Refusal {
  readonly status: number
  /** `Forbidden`. */
  readonly title: string
  readonly message: string
  /** The contract's: `tier_too_low`. */
  readonly code: string
  /** `req-` and a UUID. */
  readonly requestId: string
}

/** Nova's and Cinder's names of faults; the others are a `computeFault`. */
const faults: Readonly<Record<number, string>> = {
  400: "badRequest",
  401: "unauthorized",
  403: "forbidden",
  404: "itemNotFound",
  405: "badMethod",
  409: "conflictingRequest",
  413: "overLimit",
  415: "badMediaType",
  429: "overLimit",
  501: "notImplemented",
  503: "serviceUnavailable"
}

const fault = ({ message, status }: Refusal) => ({ [faults[status] ?? "computeFault"]: { code: status, message } })

/** The JSON of each service's own errors, as of Zed. A field of the service stands before one of the contract's. */
const shapes: Readonly<Record<IaasService, (refusal: Refusal) => object>> = {
  identity: ({ message, status, title }) => ({ error: { code: status, message, title } }),
  compute: fault,
  volume: fault,
  network: ({ code, message }) => ({ NeutronError: { type: code, message, detail: "" } }),
  image: ({ message, status, title }) => ({ message, code: `${status} ${title}`, title }),
  "key-manager": ({ message, status, title }) => ({ title, description: message, code: status }),
  dns: ({ code, message, requestId, status }) => ({ code: status, type: code, message, request_id: requestId }),
  "load-balancer": ({ message, status }) => ({
    faultcode: status < 500 ? "Client" : "Server",
    faultstring: message,
    debuginfo: null
  })
}

/**
 * Renders a failure for a client of OpenStack: in the shape in which the service that it asked states its own errors,
 * because each client looks for the message in that alone. The contract's `detail` and `code` follow where the shape
 * has no field of that name. Glance's client is answered in HTML or text, unless it accepts JSON alone.
 *
 * Outside of `/openstack` each service has Keystone's shape.
 */
export const renderedForClients =
  (exchange: Exchange) =>
  (failure: Failure): Effect.Effect<OwnAnswer> =>
    Effect.map(rendered(failure), ({ body, status }) => {
      const title = STATUS_CODES[status] ?? ""
      const message = typeof failure.detail === "string" ? failure.detail : title
      const refusal = { status, title, message, code: failure.code, requestId: openstackRequestId(exchange) }
      const service = serviceOf(exchange)
      const type = service === "image" ? imageErrorType(exchange.from.headers.accept) : undefined
      if (type !== undefined) return { status, type, body: type === html ? page(refusal) : plain(refusal) }
      const shape = shapes[service](refusal)
      return { status, body: { ...shape, ...Object(body), ...shape } }
    })

/** The service of a call below `/openstack`; Keystone for any other. */
const serviceOf = ({ from, prefix }: Exchange): IaasService => {
  if (prefix !== stockPrefix) return "identity"
  const [, , , named = ""] = (from.url ?? "").split(/[/?]/, 4)
  return iaasServices.find((_) => _ === named) ?? "identity"
}

const html = "text/html; charset=UTF-8"

/** What WebOb chooses, by which Glance states its errors: HTML first, then JSON (undefined), then text. */
const imageErrorType = (accept: string | undefined): string | undefined =>
  accept === undefined || /\*\/\*|text\/(html|\*)/.test(accept)
    ? html
    : /application\/(json|\*)/.test(accept)
      ? undefined
      : "text/plain; charset=UTF-8"

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

const page = ({ message, status, title }: Refusal): string =>
  `<html>
 <head>
  <title>${status} ${title}</title>
 </head>
 <body>
  <h1>${status} ${title}</h1>
  ${escaped(message)}<br /><br />



 </body>
</html>`

const plain = ({ message, status, title }: Refusal): string => `${status} ${title}\n\n${message}\n\n\n`

const openstackRequestId = ({ requestId }: Exchange): string =>
  `req-${requestId.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5")}`

/** The request ids that clients print, for an answer below `/openstack` that the gateway gives in a service's place. */
export const openstackHeaders = (exchange: Exchange): ReadonlyArray<string> => {
  if (exchange.prefix !== stockPrefix) return []
  const id = openstackRequestId(exchange)
  return ["X-Openstack-Request-Id", id, ...(serviceOf(exchange) === "compute" ? ["X-Compute-Request-Id", id] : [])]
}

import { cinderRoutes } from "../cinder/routes.ts"
import { glanceRoutes } from "../glance/routes.ts"
import { objectAt, parseJson, stringAt } from "../Json.ts"
import { neutronRoutes } from "../neutron/routes.ts"
import { newRequestId } from "../requestIds.ts"
import { type Answer, router, type ServiceName } from "../Wire.ts"
import type { Request } from "./request.ts"
import { badRequest, fault, notFound } from "./fault.ts"

/** Another service's answer, with the message of its error envelope. */
export interface PeerResponse {
  readonly status: number
  readonly json: unknown
  readonly message: string
}

const messageOf = (json: unknown): string => {
  const neutron = stringAt(objectAt(json, "NeutronError"), "message")
  const first = Object.values(objectAt(json)).map((_) => stringAt(objectAt(_), "message"))
  return neutron ?? stringAt(objectAt(json), "message") ?? first.find((_) => _ !== undefined) ?? ""
}

/** Nova calls the other services with its caller's token: their policies and quotas apply. */
const peer =
  (service: ServiceName, mount: string, find: ReturnType<typeof router>) =>
  (request: Request, method: string, target: string, json?: unknown): PeerResponse => {
    const [path = "", query = ""] = target.split("?")
    const matched = find(method, path)
    if (matched === undefined) return { status: 404, json: undefined, message: "" }
    const { "x-auth-token": token = "", host = "localhost" } = request.headers
    const requestId = newRequestId()
    const answer = matched.handler({
      service,
      method,
      target: `/${mount}${target}`,
      path,
      query: new URLSearchParams(query),
      headers: { "x-auth-token": token, host, accept: "application/json" },
      body: new Uint8Array(),
      params: matched.params,
      world: request.world,
      now: request.now,
      requestId,
      json
    })
    const body = parseJson(Buffer.from(answer.body).toString())
    // Neutron's client library puts the call into the message.
    const trace = service === "neutron" ? `\nNeutron server returns request_ids: ['${requestId}']` : ""
    return { status: answer.status, json: body, message: `${messageOf(body)}${trace}` }
  }

export const callNeutron = peer("neutron", "network", router(neutronRoutes))
export const callGlance = peer("glance", "image", router(glanceRoutes))
export const callCinder = peer("cinder", "volume", router(cinderRoutes))

export const isSuccess = ({ status }: PeerResponse): boolean => status < 300

/** Nova's answer to another service's refusal; `codes` maps the statuses that change. */
export const relayError = ({ message, status }: PeerResponse, codes: Readonly<Record<number, number>> = {}): Answer => {
  const code = codes[status] ?? status
  if (code === 400) return badRequest(message)
  return code === 404 ? notFound(message) : fault(code, message)
}

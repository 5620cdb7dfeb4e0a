import { Option, Schema } from "effect"
import { randomUUID } from "node:crypto"
import { cinderRoutes } from "../cinder/routes.ts"
import { glanceRoutes } from "../glance/routes.ts"
import { objectAt, stringAt } from "../Json.ts"
import { neutronRoutes } from "../neutron/routes.ts"
import { type Answer, router, type ServiceName } from "../Wire.ts"
import type { Asked } from "./asked.ts"
import { badRequest, fault, notFound } from "./fault.ts"

/** What another service said, its error's words taken out of their envelope. */
export interface Told {
  readonly status: number
  readonly json: unknown
  readonly message: string
}

const decodeJson = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

const messageOf = (json: unknown): string => {
  const neutron = stringAt(objectAt(json, "NeutronError"), "message")
  const first = Object.values(objectAt(json)).map((_) => stringAt(objectAt(_), "message"))
  return neutron ?? stringAt(objectAt(json), "message") ?? first.find((_) => _ !== undefined) ?? ""
}

/** Nova is a client of the others and speaks to them with its caller's token: their policies and quotas decide. */
const peer =
  (service: ServiceName, mount: string, find: ReturnType<typeof router>) =>
  (asked: Asked, method: string, target: string, json?: unknown): Told => {
    const [path = "", query = ""] = target.split("?")
    const matched = find(method, path)
    if (matched === undefined) return { status: 404, json: undefined, message: "" }
    const { "x-auth-token": token = "", host = "localhost" } = asked.headers
    const answer = matched.handler({
      service,
      method,
      target: `/${mount}${target}`,
      path,
      query: new URLSearchParams(query),
      headers: { "x-auth-token": token, host, accept: "application/json" },
      body: new Uint8Array(),
      params: matched.params,
      world: asked.world,
      now: asked.now,
      json
    })
    const body = Option.getOrUndefined(decodeJson(Buffer.from(answer.body).toString()))
    // The client that Nova uses for Neutron says which call it was.
    const trace = service === "neutron" ? `\nNeutron server returns request_ids: ['req-${randomUUID()}']` : ""
    return { status: answer.status, json: body, message: `${messageOf(body)}${trace}` }
  }

export const askNeutron = peer("neutron", "network", router(neutronRoutes))
export const askGlance = peer("glance", "image", router(glanceRoutes))
export const askCinder = peer("cinder", "volume", router(cinderRoutes))

export const isGood = ({ status }: Told): boolean => status < 300

/** Nova's answer where another service refused; `codes` translates what does not keep its status. */
export const passedOn = ({ message, status }: Told, codes: Readonly<Record<number, number>> = {}): Answer => {
  const code = codes[status] ?? status
  if (code === 400) return badRequest(message)
  return code === 404 ? notFound(message) : fault(code, message)
}

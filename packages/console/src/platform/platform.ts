import { PorticoError } from "@portico/client/PorticoError"
import { portico } from "../api/portico.ts"
import * as v from "valibot"

/** The services that the proxy at `/v1/iaas` leads to. */
export type Service = "compute" | "volume" | "network" | "image" | "dns" | "load-balancer" | "key-manager" | "identity"

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE"

/** Services say why in different places of their answers. */
const Said = v.object({ message: v.optional(v.string()), detail: v.optional(v.string()) })
const Nested = v.record(v.string(), v.unknown())

/** The sentence of a service's refusal, whichever form it has. */
const sentenceIn = (body: unknown): string | undefined => {
  const own = v.safeParse(Said, body)
  if (own.success && (own.output.message ?? own.output.detail) !== undefined)
    return own.output.message ?? own.output.detail
  const parts = v.safeParse(Nested, body)
  if (!parts.success) return undefined
  for (const part of Object.values(parts.output)) {
    const said = v.safeParse(Said, part)
    if (said.success && (said.output.message ?? said.output.detail) !== undefined)
      return said.output.message ?? said.output.detail
    if (typeof part === "string" && part !== "") return part
  }
  return undefined
}

const codeIn = (body: unknown): string => {
  const own = v.safeParse(v.object({ code: v.string() }), body)
  return own.success ? own.output.code : "platform_refused"
}

const refused = async (answer: Response, operation: string): Promise<PorticoError> => {
  const text = await answer.text()
  const body = await new Response(text).json().catch((): unknown => undefined)
  return new PorticoError(codeIn(body), {
    detail: sentenceIn(body) ?? (text === "" ? `Status ${answer.status}` : text),
    status: answer.status,
    operation,
    requestId: answer.headers.get("x-request-id") ?? undefined,
    body
  })
}

const methods = { GET: "get", POST: "post", PUT: "put", PATCH: "patch", DELETE: "delete" } as const

/**
 * A call of the platform's own API through the proxy. It fails with a
 * `PorticoError` with the service's own words.
 *
 * @param path behind `/v1/iaas/`, such as `compute/servers/detail`
 */
export const platformCall = async (
  method: Method,
  path: string,
  options: { readonly body?: unknown; readonly signal?: AbortSignal | undefined } = {}
): Promise<unknown> => {
  const { body, signal } = options
  const call = portico.iaas[methods[method]]
  const answer = await call(path, {
    ...(signal === undefined ? {} : { signal }),
    ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } })
  })
  if (!answer.ok) throw await refused(answer, call.operation)
  const text = await answer.text()
  return text === "" ? undefined : new Response(text).json()
}

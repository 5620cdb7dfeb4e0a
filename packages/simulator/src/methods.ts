import type { Call, ServiceName } from "./Wire.ts"

/** Systems whose router takes `_method` of a query for the method, before it looks for a route. */
const routed: ReadonlySet<ServiceName> = new Set(["nova", "neutron", "cinder", "glance"])

/** What Neutron serves in another way than its extensions, and there reads no method but the request line's. */
const core = /^\/v2\.0\/(networks|subnets|ports|subnetpools)\b/

const forms: ReadonlySet<string> = new Set(["application/x-www-form-urlencoded", "multipart/form-data"])

/**
 * The method that a system takes a call for. Most of them let a query name it,
 * `GET /servers/1?_method=DELETE`, and some a form as well. Of several the last
 * one counts; a semicolon separates like an ampersand.
 */
export const methodOf = (call: Call): string => {
  if (call.service === "designate") return ofDesignate(call)
  if (!routed.has(call.service) || (call.service === "neutron" && core.test(call.path))) return call.method
  return (named(queryOf(call)) ?? formMethod(call))?.toUpperCase() || call.method
}

/** The routers read a posted form as well; only Neutron has a use for what is in it then, and no body may come with a DELETE. */
const formMethod = (call: Call): string | undefined => {
  const wanted = call.service === "neutron" && call.method === "POST" && isForm(call) ? named(textOf(call)) : undefined
  return wanted?.toUpperCase() === "DELETE" ? undefined : wanted
}

/** The names of its handlers are methods too, and only they make a GET remove anything. */
const ofDesignate = (call: Call): string => {
  const posted = call.method === "POST" && call.headers["content-type"] === undefined
  const wanted = (named(queryOf(call)) ?? (posted || isForm(call) ? named(textOf(call)) : undefined))?.toLowerCase()
  if (wanted === undefined || wanted === "") return call.method
  if (call.method === "GET" && (wanted === "delete" || wanted === "put")) return call.method
  return wanted.replace(/_(one|all)$/, "").toUpperCase()
}

/** Parts are not taken apart: the name and its value stand in one of them. */
const named = (text: string): string | undefined => {
  const [, part] = /name="_method"\s+(\w+)/.exec(text) ?? []
  const values = text.split(/[&;]/).flatMap((pair) => new URLSearchParams(pair).getAll("_method"))
  return part ?? values.at(-1)
}

const queryOf = ({ target }: Call): string => target.split("?").slice(1).join("?")

const isForm = ({ headers }: Call): boolean => forms.has(headers["content-type"]?.split(";")[0] ?? "")

const textOf = ({ body }: Call): string => new TextDecoder().decode(body)

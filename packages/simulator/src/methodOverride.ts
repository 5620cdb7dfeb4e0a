import type { Call, ServiceName } from "./Wire.ts"

/** Systems whose router takes `_method` of a query for the method, before it looks for a route. */
const routed: ReadonlySet<ServiceName> = new Set(["nova", "neutron", "cinder", "glance"])

/** Neutron's core resources: they bypass the override middleware, so only the request line's method counts. */
const core = /^\/v2\.0\/(networks|subnets|ports|subnetpools)\b/

const forms: ReadonlySet<string> = new Set(["application/x-www-form-urlencoded", "multipart/form-data"])

/**
 * The method of a call after overrides. Most services accept it in the query, `GET /servers/1?_method=DELETE`,
 * and some in a form. The last value wins; a semicolon separates like an ampersand.
 */
export const methodOf = (call: Call): string => {
  if (call.service === "designate") return ofDesignate(call)
  if (!routed.has(call.service) || (call.service === "neutron" && core.test(call.path))) return call.method
  return (named(queryOf(call)) ?? formMethod(call))?.toUpperCase() || call.method
}

/** The routers also read a posted form; only Neutron acts on it, and a DELETE must not have a body. */
const formMethod = (call: Call): string | undefined => {
  const wanted = call.service === "neutron" && call.method === "POST" && isForm(call) ? named(textOf(call)) : undefined
  return wanted?.toUpperCase() === "DELETE" ? undefined : wanted
}

/** Designate also accepts the names of its handlers; only those make a GET delete anything. */
const ofDesignate = (call: Call): string => {
  const posted = call.method === "POST" && call.headers["content-type"] === undefined
  const wanted = (named(queryOf(call)) ?? (posted || isForm(call) ? named(textOf(call)) : undefined))?.toLowerCase()
  if (wanted === undefined || wanted === "") return call.method
  if (call.method === "GET" && (wanted === "delete" || wanted === "put")) return call.method
  return wanted.replace(/_(one|all)$/, "").toUpperCase()
}

/** Multipart bodies are not parsed: a pattern finds the name and its value. */
const named = (text: string): string | undefined => {
  const [, part] = /name="_method"\s+(\w+)/.exec(text) ?? []
  const values = text.split(/[&;]/).flatMap((pair) => new URLSearchParams(pair).getAll("_method"))
  return part ?? values.at(-1)
}

const queryOf = ({ target }: Call): string => target.split("?").slice(1).join("?")

const isForm = ({ headers }: Call): boolean => forms.has(headers["content-type"]?.split(";")[0] ?? "")

const textOf = ({ body }: Call): string => new TextDecoder().decode(body)

import { externalGatewaySpellings } from "../../rules/externalGateways.spellings.ts"
import { anId } from "../../rules/Spelling.ts"
import { attempt, attemptsOf } from "./Attempt.ts"
import type { Family } from "./examined.ts"

const all = attemptsOf(externalGatewaySpellings)
const below = (...paths: ReadonlyArray<string>) => all.filter((_) => paths.some((path) => _.path.startsWith(path)))

const one = `/network/routers/${anId}`
const info = { network_id: anId }
const set = JSON.stringify({ router: { external_gateway_info: info } })
const put = (what: string, path: string, body: string) => attempt(what, "PUT", path, { body })

const nothingThere = "it takes a gateway away where there is one, and here is none"

/** Every way to set the gateway of a router. */
export const gateways: Family = {
  attempts: [
    ...below("/network/routers", "/network/qos/routers").filter(({ path }) => !path.includes("_external_gateways")),
    put(
      "a key twice, null first",
      one,
      `{"router":{"external_gateway_info":null,"external_gateway_info":${JSON.stringify(info)}}}`
    ),
    put("a router twice", one, `{"router":{"name":"x"},"router":{"external_gateway_info":${JSON.stringify(info)}}}`),
    put("a key with an escape", one, set.replace("external_gateway", "external\\u005fgateway")),
    put("NaN beside it", one, `${set.slice(0, -1)},"x":NaN}`),
    put("capitals", one, set.replace("external", "External")),
    put("0", one, '{"router":{"external_gateway_info":0}}'),
    put('""', one, '{"router":{"external_gateway_info":""}}'),
    put("the router's controller, behind an action", `${one}/add_router_interface/parent_controller`, set),
    put("the same, by another word", `${one}/add_router_interface/parent_controller/index`, set),
    put("a space behind the id", `${one}%20`, set),
    put("the id in capitals", `/network/routers/${anId.toUpperCase()}`, set),
    put("a format", `${one}.json`, set),
    put("two slashes", `/network/routers//${anId}`, set),
    put("a letter encoded", `/network/r%6Futers/${anId}`, set),
    attempt("as text", "PUT", one, { body: set, headers: { "content-type": "text/plain" } }),
    attempt("PATCH", "PATCH", one, { body: set }),
    ...["_method=PUT", "%5Fmethod=PUT&x=_method", "a=1;_method=put"].flatMap((query, i) =>
      (i === 0 ? ["GET", "POST", "DELETE"] : ["GET"]).map((method) =>
        attempt("another method", method, one, { query, body: set })
      )
    ),
    attempt("a method in a form that is JSON as well", "POST", one, {
      body: `{"router":{"name":"&_method=PUT&","external_gateway_info":${JSON.stringify(info)}}}`,
      headers: { "content-type": "application/x-www-form-urlencoded" }
    }),
    ...["X-HTTP-Method-Override", "X_HTTP_Method"].map((name) =>
      attempt(`a method in ${name}`, "POST", one, {
        body: set,
        headers: { "content-type": "application/json", [name]: "PUT" }
      })
    )
  ],
  comeOff: 20,
  stricter: {
    "create, {}": "nothing, where null says the same",
    null: nothingThere,
    "{}": nothingThere,
    false: nothingThere,
    "0": nothingThere,
    '""': nothingThere,
    "trailing slash": nothingThere,
    "at another word": nothingThere,
    "behind a prefix": nothingThere
  }
}

/** The plainest ways, and the oddest: set, and taken away. */
export const uplinks: Family = {
  attempts: [
    put("set", one, set),
    put("behind an action", `${one}/add_router_interface/parent_controller`, set),
    attempt("another method", "GET", one, { query: "_method=PUT", body: set }),
    put("null", one, '{"router":{"external_gateway_info":null}}'),
    put("false", one, '{"router":{"external_gateway_info":false}}'),
    put("a rename", one, '{"router":{"name":"external_gateway_info"}}')
  ],
  comeOff: 5
}

const port = (device_owner: string) =>
  attempt(`owner ${JSON.stringify(device_owner)}`, "POST", "/network/ports", {
    body: JSON.stringify({ port: { network_id: anId, device_owner } })
  })

const fullWidth = "\uff4eetwork:dhcp"

/** Ports that belong to the network itself: the row's first owner in every form, and the others in the plainest. */
export const networkPorts: Family = {
  attempts: [
    ...below("/network/ports", "/network/qos/ports").slice(0, 3),
    ...[
      "NETWORK:DHCP",
      "n\u00e9twork:dhcp",
      "\u00f1etwork:dhcp",
      "network:dhcp ",
      " network:dhcp",
      fullWidth,
      "network\u200b:dhcp",
      "network"
    ].map(port)
  ],
  comeOff: 6,
  stricter: {
    [`owner ${JSON.stringify(fullWidth)}`]: "letters that the network does not know, and that no client needs"
  }
}

/** The topology that Neutron makes up when it is read. */
export const topologies: Family = {
  attempts: [
    ...below("/network/auto", "/network/qos/auto").filter(({ method }) => method === "GET"),
    ...[
      "auto-allocated-topology/null/index",
      "auto-allocated-topology/null/",
      "auto-allocated-topology/null?fields=dry-run",
      "auto-allocated-topology%2Fnull",
      "Auto-Allocated-Topology/null"
    ].map((_) => attempt("read", "GET", `/network/${_}`))
  ],
  comeOff: 6
}

const server = (networks: unknown) =>
  JSON.stringify({ server: { name: "s", flavorRef: "FLAVOR", imageRef: "IMAGE", min_count: 999_999, networks } })
const versioned = { "content-type": "application/json", "openstack-api-version": "compute 2.90" }
const boot = (what: string, path: string, body: string) => attempt(what, "POST", path, { body, headers: versioned })

/** Servers for which Nova makes up a topology where the project has no network. */
export const allocations: Family = {
  attempts: [
    boot("auto", "/compute/servers", server("auto")),
    boot("from a volume", "/compute/os-volumes_boot", server("auto")),
    boot("a key twice", "/compute/servers", server("auto").replace('"networks"', '"networks":"none","networks"')),
    boot("an escape", "/compute/servers", server("auto").replace('"auto"', '"\\u0061uto"')),
    boot("two slashes", "/compute//servers", server("auto")),
    boot("up and down", "/compute/x/../servers", server("auto")),
    ...[" auto", "Auto", ["auto"], [{ uuid: "auto" }], null].map((_) =>
      boot(`networks ${JSON.stringify(_)}`, "/compute/servers", server(_))
    )
  ],
  comeOff: 5
}

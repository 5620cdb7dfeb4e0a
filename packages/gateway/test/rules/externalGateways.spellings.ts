import { anId, type Spelling, tenants } from "./Spelling.ts"

type Row = readonly [what: string, method: string, path: string, body: unknown, expect: Spelling["expect"]]

const info = { network_id: anId }
const refusal = "external_gateway_refused"
const router = `/network/routers/${anId}`

const routers: ReadonlyArray<Row> = [
  ["create", "POST", "/network/routers", { router: { name: "r", external_gateway_info: info } }, refusal],
  ["create, {}", "POST", "/network/routers", { router: { external_gateway_info: {} } }, refusal],
  ["create, several", "POST", "/network/routers", { router: { external_gateways: [info] } }, refusal],
  [
    "create in bulk",
    "POST",
    "/network/routers",
    { routers: [{ name: "r" }, { external_gateway_info: info }] },
    refusal
  ],
  [
    "create in bulk, wrapped",
    "POST",
    "/network/routers",
    { routers: [{ router: { external_gateway_info: info } }] },
    refusal
  ],
  [
    "create with both keys",
    "POST",
    "/network/routers",
    { router: { name: "r" }, routers: [{ external_gateway_info: info }] },
    refusal
  ],
  ["create in a list", "POST", "/network/routers", { router: [{ external_gateway_info: info }] }, refusal],
  ["create at another word", "POST", "/network/routers/index", { router: { external_gateway_info: info } }, refusal],
  ["create behind a prefix", "POST", "/network/qos/routers", { router: { external_gateway_info: info } }, refusal],
  ["create with a suffix", "POST", "/network/routers.txt", { router: { external_gateway_info: info } }, refusal],
  ["create, null", "POST", "/network/routers", { router: { name: "r", external_gateway_info: null } }, "allowed"],
  ["create without", "POST", "/network/routers", { router: { name: "external_gateway_info" } }, "allowed"],
  ["set", "PUT", router, { router: { external_gateway_info: info } }, refusal],
  ["switch SNAT", "PUT", router, { router: { external_gateway_info: { ...info, enable_snat: true } } }, refusal],
  ["null", "PUT", router, { router: { external_gateway_info: null } }, refusal],
  ["{}", "PUT", router, { router: { external_gateway_info: {} } }, refusal],
  ["false", "PUT", router, { router: { external_gateway_info: false } }, refusal],
  ["several", "PUT", router, { router: { external_gateways: [] } }, refusal],
  ["several, null", "PUT", router, { router: { external_gateways: null } }, refusal],
  ["trailing slash", "PUT", `${router}/`, { router: { external_gateway_info: null } }, refusal],
  ["at another word", "PUT", `${router}/index`, { router: { external_gateway_info: null } }, refusal],
  ["behind a prefix", "PUT", `/network/qos/routers/${anId}`, { router: { external_gateway_info: null } }, refusal],
  [
    "behind an action",
    "PUT",
    `${router}/add_router_interface/parent_controller`,
    { router: { external_gateway_info: info } },
    refusal
  ],
  ["rename", "PUT", router, { router: { name: "r" } }, "allowed"],
  ["an interface", "PUT", `${router}/add_router_interface`, { subnet_id: anId }, "allowed"],
  ["read", "GET", router, undefined, "allowed"],
  ["remove the router", "DELETE", router, undefined, "allowed"]
]

const actions: ReadonlyArray<Row> = ["add", "update", "remove"].flatMap((verb): ReadonlyArray<Row> => [
  [verb, "PUT", `${router}/${verb}_external_gateways`, { router: { external_gateways: [info] } }, refusal],
  [`${verb}, no body`, "PUT", `${router}/${verb}_external_gateways`, undefined, refusal],
  [`${verb}, prefix`, "PUT", `/network/qos/routers/${anId}/${verb}_external_gateways`, {}, refusal],
  [`${verb}, suffix`, "PUT", `${router}/${verb}_external_gateways.txt`, {}, refusal]
])

const topology: ReadonlyArray<Row> = [
  ["GET", "auto-allocated-topology/null"],
  ["GET", `auto-allocated-topology/${anId}`],
  ["GET", "auto-allocated-topology"],
  ["GET", "auto-allocated-topology/"],
  ["GET", "auto_allocated_topology/null"],
  ["GET", "auto-allocated_topology/null"],
  ["GET", "auto-allocated-topologies/null"],
  ["GET", "auto-allocated-topology.txt"],
  ["GET", "qos/auto-allocated-topology/null"],
  ["DELETE", "auto-allocated-topology/null"],
  ["POST", "auto-allocated-topology"],
  ["PUT", "auto-allocated-topology/null"]
].map(([method = "", path = ""]): Row => ["topology", method, `/network/${path}`, undefined, refusal])

const owner = (device_owner: unknown, expect: Spelling["expect"]): ReadonlyArray<Row> => [
  ["port", "POST", "/network/ports", { port: { network_id: anId, device_owner } }, expect],
  ["port changed", "PUT", `/network/ports/${anId}`, { port: { device_owner } }, expect],
  ["ports", "POST", "/network/ports", { ports: [{ network_id: anId }, { device_owner }] }, expect],
  ["both keys", "POST", "/network/ports", { port: {}, ports: [{ port: { device_owner } }] }, expect],
  ["port behind a prefix", "POST", "/network/qos/ports", { port: { device_owner } }, expect]
]

const ports: ReadonlyArray<Row> = [
  ...[
    "network:router_gateway",
    "network:router_interface",
    "network:dhcp",
    "network:",
    "Network:Router_Gateway",
    "n\u00e9twork:router_gateway",
    "NETWORK:DHCP",
    "network:dhcp ",
    "\u00f1etwork:dhcp",
    "net\u1e81ork:dhcp",
    "\uff4eetwork:dhcp"
  ].flatMap((_) => owner(_, refusal)),
  ...["", "compute:nova", "network", " network:x", "networks:x", "compute:network:x", "Octavia", null, 1].flatMap((_) =>
    owner(_, "allowed")
  ),
  ["device id alone", "POST", "/network/ports", { port: { device_id: "network:x" } }, "allowed"]
]

const servers: ReadonlyArray<Row> = [
  ["auto", "POST", "/compute/servers", { server: { name: "s", networks: "auto" } }, refusal],
  ["trailing slash", "POST", "/compute/servers/", { server: { networks: "auto" } }, refusal],
  ["Auto", "POST", "/compute/servers", { server: { networks: " Auto" } }, refusal],
  ["a list", "POST", "/compute/servers", { server: { networks: ["auto"] } }, refusal],
  ["a uuid", "POST", "/compute/servers", { server: { networks: [{ uuid: anId }, { uuid: "auto" }] } }, refusal],
  ["from a volume", "POST", "/compute/os-volumes_boot", { server: { networks: "auto" } }, refusal],
  ["none", "POST", "/compute/servers", { server: { networks: "none" } }, "allowed"],
  ["one", "POST", "/compute/servers", { server: { networks: [{ uuid: anId }] } }, "allowed"],
  ["no word", "POST", "/compute/servers", { server: { name: "auto", metadata: { networks: "auto" } } }, "allowed"],
  ["an action", "POST", `/compute/servers/${anId}/action`, { rescue: { networks: "auto" } }, "allowed"]
]

const rows = [...routers, ...actions, ...topology, ...ports, ...servers]

const spelled = (who: Spelling["who"], [what, method, path, body, expect]: Row): Spelling => ({
  what,
  who,
  method,
  path,
  ...(body === undefined ? {} : { body }),
  expect
})

export const externalGatewaySpellings: ReadonlyArray<Spelling> = [
  ...rows.map((_) => spelled(tenants, _)),
  // A platform administrator does all of it.
  ...rows.map(([what, method, path, body]) => spelled(["operator"], [what, method, path, body, "allowed"]))
]

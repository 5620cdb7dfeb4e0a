import * as fc from "fast-check"
import { open, ordinary } from "./openings.ts"
import { absent, bytes, ended, id, idText, list, member, mostly, object, oneOf, type Raw, text } from "./spelled.ts"
import type { Arriving } from "./verdict.ts"

const nothing = oneOf("null")

const gateway = fc.oneof(
  object(member("network_id", idText)),
  object(member("network_id", idText), member("enable_snat", oneOf("true", "false"))),
  oneOf("null", "{}", '""', "false", "[]", '"x"', '{"enable_snat":true}')
)
const router = (gatewayed: fc.Arbitrary<ReadonlyArray<string>>): Raw =>
  object(
    mostly(member("name", oneOf('"edge"', '"external_gateway_info"', '""')), absent),
    mostly(absent, member("admin_state_up", oneOf("true", "false")), 2),
    mostly(absent, member("External_gateway_info", gateway), 29),
    mostly(absent, member("external_gateways", list(gateway)), 29),
    gatewayed
  )
const routers = fc.oneof(
  router(absent),
  router(mostly(member("external_gateway_info", gateway), absent)),
  router(member("external_gateway_info", nothing, gateway))
)

const owners = oneOf(
  '"network:router_gateway"',
  '"network:router_interface"',
  '"network:dhcp"',
  '"network:"',
  '"network:x"',
  '"\\u006eetwork:floatingip"'
)
const noOwners = oneOf('"compute:nova"', '""', '"baremetal:none"', '"networks"', '"Octavia"')
const nearOwners = oneOf('"Network:router_gateway"', '" network:dhcp"', '"network"', "null", '["network:x"]')
const port = (owner: fc.Arbitrary<ReadonlyArray<string>>): Raw =>
  object(
    member("network_id", idText),
    mostly(absent, member("name", oneOf('"eth0"', '"network:x"')), 3),
    mostly(absent, member("fixed_ips", oneOf("[]", '[{"subnet_id":"s"}]')), 3),
    owner
  )
const ports = fc.oneof(
  port(absent),
  port(member("device_owner", mostly(owners, noOwners), fc.oneof(owners, noOwners))),
  port(member("device_owner", mostly(noOwners, nearOwners, 3), owners))
)

/** One resource, many, many wrapped again, or both at once; and what comes near it. */
const document = (single: string, collection: string, resource: Raw): Raw =>
  fc.oneof(
    { weight: 8, arbitrary: object(member(single, resource)) },
    { weight: 4, arbitrary: object(member(collection, list(resource))) },
    { weight: 2, arbitrary: object(member(collection, list(fc.oneof(resource, object(member(single, resource)))))) },
    { weight: 1, arbitrary: object(member(single, resource), member(collection, list(resource))) },
    { weight: 1, arbitrary: object(member(single, resource), member("also", resource)) },
    { weight: 1, arbitrary: resource },
    { weight: 1, arbitrary: list(resource) },
    { weight: 1, arbitrary: object(member(single, list(resource))) },
    { weight: 1, arbitrary: object(member(collection, object(member("0", resource)))) },
    { weight: 1, arbitrary: object(member(capitalized(single), resource)) },
    { weight: 1, arbitrary: fc.oneof(text(single), oneOf("null", "[]", "{}", "0", "")) }
  )

const capitalized = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)

const call = (
  method: string,
  segments: fc.Arbitrary<ReadonlyArray<string>>,
  body: fc.Arbitrary<Uint8Array | undefined>
): fc.Arbitrary<Arriving> =>
  fc.record({
    method: fc.constant(method),
    segments: fc
      .tuple(
        ended(segments),
        mostly(fc.constant(""), fc.constantFrom("qos", "log", "metering")),
        mostly(fc.constant(false), fc.constant(true))
      )
      .map(([[collection = "", ...rest], prefix, low]) => [
        ...(prefix === "" ? [] : [prefix]),
        low ? collection.replaceAll("-", "_") : collection,
        ...rest
      ]),
    headers: body.map((_): Arriving["headers"] => (_ === undefined ? {} : { "content-type": "application/json" })),
    body
  })

const none = fc.constant(undefined)
const path = (...segments: ReadonlyArray<string>) => id.map((id) => segments.map((_) => (_ === "ID" ? id : _)))

export const ruleCalls = call(
  "POST",
  path("security-group-rules"),
  bytes(document("security_group_rule", "security_group_rules", mostly(fc.oneof(open, ordinary), open, 4)))
)

export const routerCalls = fc.oneof(
  call("POST", path("routers"), bytes(document("router", "routers", routers))),
  call("PUT", path("routers", "ID"), bytes(document("router", "routers", routers)))
)

export const portCalls = fc.oneof(
  call("POST", path("ports"), bytes(document("port", "ports", ports))),
  call("PUT", path("ports", "ID"), bytes(document("port", "ports", ports)))
)

const gatewayBody = bytes(
  fc.oneof(object(member("router", object(member("external_gateways", list(gateway))))), oneOf('{"router":{}}', "{}"))
)
const interfaceBody = bytes(object(member("subnet_id", idText)))

/** Calls whose path decides, and calls that have nothing to do with the rules. */
export const pathCalls = fc.oneof(
  call("PUT", path("routers", "ID", "add_external_gateways"), gatewayBody),
  call("PUT", path("routers", "ID", "update_external_gateways"), gatewayBody),
  call("PUT", path("routers", "ID", "remove_external_gateways"), gatewayBody),
  call("PUT", path("routers", "ID", "add_router_interface"), interfaceBody),
  call("PUT", path("routers", "ID", "remove_router_interface"), interfaceBody),
  call("PUT", path("routers", "ID", "add_extraroutes"), interfaceBody),
  call("GET", path("auto-allocated-topology", "ID"), none),
  call("GET", path("auto-allocated-topology", "null"), none),
  call("DELETE", path("auto-allocated-topology", "ID"), none),
  call("GET", path("routers"), none),
  call("GET", path("routers", "ID"), none),
  call("DELETE", path("routers", "ID"), none),
  call("GET", path("ports", "ID"), none),
  call("GET", path("security-group-rules", "ID"), none),
  call("DELETE", path("security-group-rules", "ID"), none),
  call("POST", path("security-groups"), bytes(object(member("security_group", object(member("name", text("web"))))))),
  call("POST", path("floatingips"), bytes(object(member("floatingip", object(member("floating_network_id", idText)))))),
  call("POST", path("networks"), bytes(object(member("network", object(member("name", text("routers"))))))),
  call("PUT", path("networks", "ID"), bytes(object(member("network", object(member("name", text("ports")))))))
)

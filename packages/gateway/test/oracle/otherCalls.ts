import * as fc from "fast-check"
import { absent, bytes, ended, id, idText, list, member, mostly, object, oneOf, type Raw, text } from "./spelled.ts"
import type { Arriving } from "./verdict.ts"

const call = (
  method: string,
  segments: ReadonlyArray<string>,
  body: fc.Arbitrary<Uint8Array | undefined>,
  headers: fc.Arbitrary<Arriving["headers"]>
): fc.Arbitrary<Arriving> =>
  fc.record({
    method: fc.constant(method),
    segments: ended(id.map((id) => segments.map((_) => (_ === "ID" ? id : _)))),
    headers,
    body
  })

const none = fc.constant(undefined)

// Compute

const versions: fc.Arbitrary<Arriving["headers"]> = fc
  .tuple(
    fc.constantFrom(
      undefined,
      undefined,
      "2.1",
      "2.1",
      "2.35",
      "2.36",
      "2.37",
      "2.90",
      "2.90",
      "2.100",
      "latest",
      "2.3x",
      ""
    ),
    fc.constantFrom("openstack-api-version", "x-openstack-nova-api-version"),
    mostly(fc.constant(false), fc.constant(true))
  )
  .map(([version, name, listed]): Arriving["headers"] => {
    if (version === undefined) return { "content-type": "application/json" }
    const value = name === "openstack-api-version" ? `compute ${version}` : version
    return { "content-type": "application/json", [name]: listed ? `placement 1.9, ${value}` : value }
  })

const computeRule: Raw = object(
  mostly(member("parent_group_id", idText), absent, 29),
  mostly(
    member("ip_protocol", oneOf('"tcp"', '"tcp"', '"TCP"', '"Tcp"', '"udp"', '"icmp"', '"6"', "6", "null")),
    absent
  ),
  mostly(
    member("from_port", oneOf("22", "22", '"22"', "1", "21", "80", "22.0", '" 22"', "null", "0", '"\uff12\uff12"')),
    absent
  ),
  mostly(member("to_port", oneOf("22", "22", '"22"', "65535", "23", "443", "22.9", "null", "65536")), absent),
  mostly(
    member(
      "cidr",
      oneOf(
        '"0.0.0.0/0"',
        '"0.0.0.0/0"',
        "null",
        '""',
        "false",
        '"0.0.0.0%2F0"',
        '"0.0.0.0/%30"',
        '"%30.0.0.0/0"',
        '"0.0.0.0%252F0"',
        '"::/0"',
        '"203.0.113.7/0"',
        '"203.0.113.7/32"',
        '"10.0.0.0/8"',
        '"10.0.0.0/8"',
        '"198.51.100.0%2f24"',
        '"0.0.0.0"',
        "0"
      )
    ),
    absent
  ),
  mostly(absent, member("group_id", fc.oneof(idText, oneOf("null", '""'))), 3)
)

const networks = fc.oneof(
  text("auto"),
  text("auto"),
  text("none"),
  list(object(member("uuid", idText))),
  oneOf('"Auto"', '"auto "', '["auto"]', "null", '{"auto":true}')
)
const server: Raw = object(
  member("name", oneOf('"web"', '"auto"')),
  member("flavorRef", oneOf('"1"')),
  mostly(member("networks", networks, networks), absent)
)

export const computeCalls = fc.oneof(
  {
    weight: 4,
    arbitrary: call(
      "POST",
      ["os-security-group-rules"],
      bytes(mostly(object(member("security_group_rule", computeRule)), computeRule)),
      versions
    )
  },
  {
    weight: 4,
    arbitrary: call(
      "POST",
      ["servers"],
      bytes(
        mostly(
          object(member("server", server, server), mostly(absent, member("os:scheduler_hints", oneOf("{}")), 3)),
          fc.oneof(server, list(server), object(member("servers", list(server))))
        )
      ),
      versions
    )
  },
  { weight: 1, arbitrary: call("POST", ["servers", "ID", "action"], bytes(oneOf('{"os-start":null}')), versions) },
  { weight: 1, arbitrary: call("GET", ["servers", "detail"], none, versions) },
  { weight: 1, arbitrary: call("PUT", ["servers", "ID"], bytes(object(member("server", server))), versions) }
)

// Images

const roots = fc.constantFrom(
  "/locations",
  "/locations",
  "/locations/-",
  "/locations/0",
  "//locations",
  "///locations",
  "/ locations /-",
  "/locations ",
  "/\u0085locations",
  "/\u001clocations\u001f",
  "/\u00a0locations",
  "/\u3000locations",
  "/\u2028locations",
  "/\ufefflocations",
  "/\tlocations\n",
  "/\u0000locations",
  "/locations/",
  "/Locations",
  "/~1locations",
  "/locations~0",
  "/locations~1x",
  "/%6cocations",
  "locations",
  "/location",
  "/locationsx",
  "/ //locations",
  "",
  "/"
)
const properties = fc.constantFrom(
  "/name",
  "/tags",
  "/tags/0",
  "/min_disk",
  "/my~1property",
  "/x/locations",
  "/visibility"
)
const pointers: Raw = fc.oneof(roots, properties, properties).chain(text)
const values = fc.oneof(oneOf('"x"', "[]", "null", '[{"url":"http://h/x","metadata":{}}]'), pointers)

const newer: Raw = object(
  member("op", oneOf('"add"', '"replace"', '"remove"', '"add"', '"test"', '"ADD"')),
  mostly(member("path", pointers, pointers), absent),
  mostly(member("value", values), absent),
  mostly(absent, member("from", pointers), 9)
)
const older: Raw = fc
  .constantFrom("add", "replace", "remove")
  .chain((operation) =>
    object(
      member(operation, pointers, pointers),
      mostly(member("value", values), absent),
      mostly(absent, member("remove", pointers), 19),
      mostly(absent, member("path", pointers), 9)
    )
  )

const v21 = "application/openstack-images-v2.1-json-patch"
const v20 = "application/openstack-images-v2.0-json-patch"
const contentTypes: fc.Arbitrary<Arriving["headers"]> = fc
  .constantFrom(
    v21,
    v21,
    v21,
    v20,
    v20,
    v20,
    `${v21}; charset=utf-8`,
    `${v20};charset=utf-8`,
    v21.toUpperCase(),
    "application/openstack-images-v2.2-json-patch",
    "application/json",
    "application/json-patch+json",
    `${v20}, ${v21}`,
    "",
    undefined
  )
  .map((_): Arriving["headers"] => (_ === undefined ? {} : { "content-type": _ }))
const json = fc.constant<Arriving["headers"]>({ "content-type": "application/json" })

export const imageCalls = fc.oneof(
  {
    weight: 10,
    arbitrary: call(
      "PATCH",
      ["images", "ID"],
      bytes(mostly(list(newer, 2), fc.oneof(newer, oneOf("[]", "{}", "null", "[[]]")))),
      contentTypes
    )
  },
  { weight: 10, arbitrary: call("PATCH", ["images", "ID"], bytes(mostly(list(older, 2), older)), contentTypes) },
  {
    weight: 1,
    arbitrary: call("POST", ["images", "ID", "locations"], bytes(oneOf('{"url":"http://h/x"}', "{}")), json)
  },
  { weight: 1, arbitrary: call("GET", ["images", "ID", "locations"], none, fc.constant({})) },
  {
    weight: 1,
    arbitrary: call("POST", ["images"], bytes(oneOf('{"name":"x"}', '{"name":"x","locations":[]}')), json)
  },
  { weight: 1, arbitrary: call("GET", ["images", "ID"], none, fc.constant({})) },
  { weight: 1, arbitrary: call("PUT", ["images", "ID", "tags", "locations"], none, fc.constant({})) },
  {
    weight: 1,
    arbitrary: call(
      "PUT",
      ["images", "ID", "file"],
      bytes(oneOf("locations")),
      fc.constant({ "content-type": "application/octet-stream" })
    )
  }
)

// Secrets

const accepts = fc
  .constantFrom(
    undefined,
    undefined,
    "*/*",
    "*/*",
    "application/json",
    "application/json",
    "text/plain",
    "application/octet-stream",
    "application/json, text/plain",
    "application/json;q=1",
    "application/json; charset=utf-8",
    "Application/JSON",
    "*/*;q=0.8",
    "*/*, text/plain",
    "text/*",
    "application/*",
    "",
    "nonsense"
  )
  .map((_): Arriving["headers"] => (_ === undefined ? {} : { accept: _ }))

export const secretCalls = fc.oneof(
  { weight: 6, arbitrary: call("GET", ["v1", "secrets", "ID"], none, accepts) },
  { weight: 2, arbitrary: call("GET", ["v1", "secrets", "ID", "payload"], none, accepts) },
  { weight: 1, arbitrary: call("GET", ["v1", "secrets", "ID", "payload.json"], none, accepts) },
  { weight: 1, arbitrary: call("GET", ["v1", "secrets", "ID", "payload.txt"], none, accepts) },
  { weight: 1, arbitrary: id.chain((id) => call("GET", ["v1", "secrets", `${id}.txt`], none, accepts)) },
  { weight: 1, arbitrary: call("GET", ["v1", "secrets"], none, accepts) },
  { weight: 1, arbitrary: call("GET", ["v1", "secrets", "ID", "metadata"], none, accepts) },
  { weight: 1, arbitrary: call("GET", ["v1", "secrets", "ID", "metadata", "payload"], none, accepts) },
  { weight: 1, arbitrary: call("GET", ["v1", "secrets", "ID", "acl"], none, accepts) },
  { weight: 1, arbitrary: call("GET", ["v1", "containers", "ID"], none, accepts) },
  {
    weight: 1,
    arbitrary: call(
      "PUT",
      ["v1", "secrets", "ID"],
      bytes(oneOf("secret")),
      fc.constant({ "content-type": "text/plain" })
    )
  },
  { weight: 1, arbitrary: call("DELETE", ["v1", "secrets", "ID"], none, accepts) },
  {
    weight: 1,
    arbitrary: call(
      "POST",
      ["v1", "secrets"],
      bytes(oneOf('{"payload":"x"}')),
      fc.constant({ "content-type": "application/json" })
    )
  }
)

import * as fc from "fast-check"
import { absent, idText, member, mostly, object, oneOf, type Raw } from "./spelled.ts"

/** Address groups of the tenant, by id; what a rule names is one of them, or none. */
export const addressGroups: ReadonlyMap<string, ReadonlyArray<string>> = new Map([
  ["00000000-0000-4000-8000-0000000000a0", ["10.0.0.0/8", "192.0.2.7/32"]],
  ["00000000-0000-4000-8000-0000000000a1", ["10.0.0.0/8", "0.0.0.0/0"]],
  ["00000000-0000-4000-8000-0000000000a2", ["::/0"]],
  ["00000000-0000-4000-8000-0000000000a3", ["0.0.0.0/1", "128.0.0.0/1"]],
  ["00000000-0000-4000-8000-0000000000a4", []]
])

const world = oneOf(
  '"0.0.0.0/0"',
  '"0.0.0.0/0"',
  "null",
  '""',
  '"203.0.113.7/0"',
  '"0.0.0.0/0.0.0.0"',
  '"255.255.255.255/0"',
  '"0.0.0.0\\/0"',
  '"0.0.0.0\\u002f0"'
)
const worldOddly = oneOf(
  '"0.0.0.0/00"',
  '"0.0.0.0/ 0"',
  '"0.0.0.0/0 "',
  '"0.0.0.0/0\\n"',
  '"0.0.0.0/-0"',
  '"0.0.0.0/+0"',
  '"0.0.0.0/\uff10"',
  '"0.0.0.0/0_0"',
  '"0/0"',
  '"0.0/0"',
  '"10/0"',
  '"00.00.00.00/0"',
  '" 0.0.0.0/0"',
  "false",
  "0",
  "0.0",
  "-0",
  '"0.0.0.0/0\\u0085"',
  '"0.0.0.0/\\u001c0"',
  "[]",
  "{}"
)
const world6 = oneOf('"::/0"', '"0:0:0:0:0:0:0:0/0"', '"2001:db8::1/0"', '"::/::"', '"::ffff:0.0.0.0/0"', '"0::/0"')
const somebody = oneOf('"203.0.113.7/32"', '"198.51.100.0/24"', '"10.0.0.0/8"', '"192.0.2.7"', '"10.0.0.0/255.0.0.0"')
const somebody6 = oneOf('"2001:db8::/32"', '"fd00::1/128"', '"::1"', '"::ffff:0.0.0.0/96"')
const noPrefix = oneOf(
  '"0.0.0.0/33"',
  '"0.0.0.0/"',
  '"/0"',
  '"any"',
  '"0.0.0.0/0/0"',
  '"0.0.0.0-255.255.255.255"',
  '"::%eth0/0"',
  "true",
  "1",
  '["0.0.0.0/0"]',
  '"0.0.0.0/255.255.255.255"',
  '"0.0.0.0/0.0.0.255"',
  '"1.2.3/24"',
  '"0.0.0.0"'
)
const part = oneOf('"0.0.0.0/1"', '"128.0.0.0/1"', '"0.0.0.0/2"')
const anyPrefix = fc.oneof(world, worldOddly, world6, somebody, somebody6, noPrefix, part)

const tcp = oneOf('"tcp"', '"tcp"', '"TCP"', '"Tcp"', "6", '"6"')
const tcpOddly = oneOf("6.0", '"06"', '" 6"', '"\uff16"', '"+6"', '"\u0666"', "6.9")
const allProtocols = oneOf("null", '"any"', '"ANY"')
const others = oneOf('"udp"', "17", '"17"', '"icmp"', "1", '"vrrp"', '"sctp"')
const noProtocol = oneOf("256", '"ip"', '""', '"tcp "', '"0"', "0", "true", "[6]", '"0x6"', '"6.0"')
const anyProtocol = fc.oneof(tcp, tcpOddly, allProtocols, others, noProtocol)

const port22 = oneOf("22", "22", "22", '"22"')
const port22Oddly = oneOf(
  "22.0",
  "22.9",
  '" 22 "',
  '"0022"',
  '"+22"',
  '"2_2"',
  '"\uff12\uff12"',
  '"\u0662\u0662"',
  "2.2e1",
  '"22\\u0085"',
  '"22\\u001c"'
)
const below = oneOf("1", "21", '"1"', "true", '"01"')
const above = oneOf("65535", "23", '"65535"', "1024")
const noPort = oneOf("0", "-1", "65536", '""', '"0x16"', '"22.0"', '"ssh"', "[22]", "1e400", "false", "null", '"2__2"')
const ordinaryPort = fc.oneof(oneOf("80", "443", '"443"', "8080"), fc.integer({ min: 1, max: 65535 }).map(String))
const anyPort = fc.oneof(port22, port22Oddly, below, above, noPort, ordinaryPort)

const direction = (usual: Raw) => mostly(usual, oneOf('"egress"', '"ingress"', '"INGRESS"', '""', "null"), 19)
const ethertypes = ['"IPv4"', '"ipv4"', '"IPV4"', '"IPv6"', '"ipv6"', '"IPv5"', "null", "4"] as const
const groupId = '"00000000-0000-4000-8000-00000000000f"'

const rule = (parts: {
  readonly protocol: Raw
  readonly first: Raw
  readonly last: Raw
  readonly prefix: Raw
  readonly ethertype: Raw | undefined
  readonly direction: Raw
}): Raw =>
  object(
    member("security_group_id", fc.constant(groupId)),
    member("direction", direction(parts.direction)),
    parts.ethertype === undefined ? absent : member("ethertype", mostly(parts.ethertype, oneOf(...ethertypes))),
    mostly(member("protocol", mostly(parts.protocol, anyProtocol), anyProtocol), absent),
    mostly(member("port_range_min", mostly(parts.first, anyPort), anyPort), absent),
    mostly(member("port_range_max", mostly(parts.last, anyPort), anyPort), absent),
    mostly(member("remote_ip_prefix", mostly(parts.prefix, anyPrefix), anyPrefix), absent),
    mostly(absent, member("remote_group_id", fc.oneof(idText, oneOf("null", '""', "[]", "0"))), 6),
    mostly(absent, member("remote_address_group_id", fc.oneof(knownGroup, idText, oneOf("null", '""', "false"))), 9),
    mostly(absent, member("description", oneOf('""', '"ssh"', "NaN", '"0.0.0.0/0"')), 4),
    mostly(absent, member("Remote_ip_prefix", somebody), 49)
  )

const knownGroup = fc.constantFrom(...[...addressGroups.keys()].map((_) => JSON.stringify(_)))
const nothing = oneOf("null")

/** Rules that would let the world in, but for a field here and there. */
export const open = fc.oneof(
  rule({
    protocol: tcp,
    first: port22,
    last: port22,
    prefix: world,
    ethertype: undefined,
    direction: oneOf('"ingress"')
  }),
  rule({
    protocol: mostly(tcp, tcpOddly, 2),
    first: fc.oneof(port22, port22Oddly, below),
    last: fc.oneof(port22, port22Oddly, above),
    prefix: mostly(world, worldOddly, 1),
    ethertype: oneOf('"IPv4"', '"ipv4"', '"IPV4"'),
    direction: oneOf('"ingress"')
  }),
  rule({
    protocol: allProtocols,
    first: nothing,
    last: nothing,
    prefix: world6,
    ethertype: oneOf('"IPv6"', '"ipv6"'),
    direction: oneOf('"ingress"')
  }),
  object(
    member("security_group_id", fc.constant(groupId)),
    member("direction", oneOf('"ingress"')),
    member("remote_address_group_id", knownGroup)
  )
)

/** Rules as people write them. */
export const ordinary = fc.oneof(
  rule({
    protocol: fc.oneof(tcp, others),
    first: port22,
    last: port22,
    prefix: somebody,
    ethertype: oneOf('"IPv4"'),
    direction: oneOf('"ingress"')
  }),
  rule({
    protocol: fc.oneof(tcp, others),
    first: oneOf("80", "443", '"443"'),
    last: oneOf("443", "8443", '"443"'),
    prefix: fc.oneof(world, somebody),
    ethertype: oneOf('"IPv4"'),
    direction: oneOf('"ingress"')
  }),
  rule({
    protocol: others,
    first: nothing,
    last: nothing,
    prefix: world,
    ethertype: undefined,
    direction: oneOf('"ingress"')
  }),
  rule({
    protocol: tcp,
    first: port22,
    last: port22,
    prefix: world,
    ethertype: undefined,
    direction: oneOf('"egress"')
  }),
  rule({
    protocol: tcp,
    first: port22,
    last: port22,
    prefix: fc.oneof(somebody6, part),
    ethertype: oneOf('"IPv6"', '"IPv4"'),
    direction: oneOf('"ingress"')
  }),
  object(
    member("security_group_id", fc.constant(groupId)),
    member("direction", oneOf('"ingress"')),
    member("protocol", tcp),
    member("port_range_min", port22),
    member("port_range_max", port22),
    member("remote_group_id", idText)
  )
)

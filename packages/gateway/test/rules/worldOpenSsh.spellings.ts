import { anId, everybody, type Spelling } from "./Spelling.ts"

/** A rule of Neutron that opens SSH to everybody; the tables below say what is changed in it. */
export const openRule: Readonly<Record<string, unknown>> = {
  security_group_id: anId,
  direction: "ingress",
  ethertype: "IPv4",
  protocol: "tcp",
  port_range_min: 22,
  port_range_max: 22,
  remote_ip_prefix: "0.0.0.0/0"
}

const without = (...keys: ReadonlyArray<string>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(openRule).filter(([key]) => !keys.includes(key)))

const harmless = { ...openRule, port_range_min: 443, port_range_max: 443 }
const ports = (port_range_min: unknown, port_range_max: unknown) => ({ ...openRule, port_range_min, port_range_max })

/** Text after the slash, all of which netaddr takes for 0, and some that no release is known to. */
const zeroLengths: ReadonlyArray<string> = [
  "0",
  "00",
  "000",
  "+0",
  "-0",
  " 0",
  "0 ",
  "0\n",
  "\t0",
  "0_0",
  "0.0.0.0",
  "\u00a00",
  "\u0660",
  "\uff10",
  "\u{1d7ce}",
  "0x0",
  "0.0",
  ""
]

const worldPrefixes: ReadonlyArray<readonly [prefix: unknown, ethertype: string]> = [
  ...zeroLengths.map((_) => [`0.0.0.0/${_}`, "IPv4"] as const),
  ["203.0.113.7/0", "IPv4"],
  ["203.0.113.7/0.0.0.0", "IPv4"],
  ["255.255.255.255/0", "IPv4"],
  ["0/0", "IPv4"],
  ["0.0/0", "IPv4"],
  ["10/0", "IPv4"],
  [" 0.0.0.0/0", "IPv4"],
  ["0.0.0.0 /0", "IPv4"],
  ["00.0.0.0/0", "IPv4"],
  ["010.0.0.0/0", "IPv4"],
  ["+10/0", "IPv4"],
  ["1_0/0", "IPv4"],
  ["\uff10.0.0.0/0", "IPv4"],
  ["0.0.0.0/\u0660\u0660", "IPv4"],
  ["::/0", "IPv6"],
  ["::/00", "IPv6"],
  ["0::0/0", "IPv6"],
  ["2001:db8::1/0", "IPv6"],
  ["::ffff:0.0.0.0/0", "IPv6"],
  ["::/::", "IPv6"],
  ["::1/0:0:0:0:0:0:0:0", "IPv6"],
  ["::/::0.0.0.0", "IPv6"],
  ["::/-0", "IPv6"],
  ["::0.0.0.0/0", "IPv6"],
  ["64:ff9b::/0", "IPv6"],
  // What is empty to Python is no prefix at all.
  [null, "IPv4"],
  [null, "IPv6"],
  ["", "IPv4"],
  [0, "IPv4"],
  [false, "IPv4"],
  [[], "IPv4"],
  [{}, "IPv4"]
]

const narrowPrefixes: ReadonlyArray<string> = [
  "0.0.0.0/1",
  "128.0.0.0/1",
  "10.0.0.0/8",
  "10/8",
  "203.0.113.7",
  "203.0.113.7/32",
  "203.0.113.0/255.255.255.0",
  "203.0.113.0/0.0.0.255",
  "0.0.0.0/128.0.0.0",
  "0.0.0.0/01",
  "0.0.0.0",
  "0",
  "2001:db8::/32",
  "::/1",
  "::/8000::",
  "::/ffff::",
  "::ffff:0:0/96",
  "0.0.0.0/255.255.255.255",
  "0.0.0.0/0.0.0.1",
  "0.0.0.0/\uff101",
  "::",
  // Neutron refuses these.
  "not-a-prefix",
  "0.0.0.0/33"
]

const tcp: ReadonlyArray<unknown> = ["tcp", "TCP", "Tcp", "any", "ANY", 6, "6", "06", " 6 ", "+6", 6.5, "\u0666", null]
/** A firewall of iptables takes protocol 0 for all of them. */
const zeroProtocols: ReadonlyArray<unknown> = [0, "0", "hopopt", "ip", "IP"]
const notTcp: ReadonlyArray<unknown> = ["udp", "UDP", 17, "17", "icmp", 1, "sctp", 132, 60, "60", "66", 255, "tcpx", ""]

const coveringPorts: ReadonlyArray<readonly [unknown, unknown]> = [
  [22, 22],
  [1, 65535],
  [22, 80],
  [1, 22],
  [0, 65535],
  ["22", "22"],
  ["022", " 22 "],
  ["2_2", "+22"],
  ["\t22\n", "22"],
  ["\u0662\u0662", "\u0662\u0662"],
  ["\uff11", "65535"],
  [22.9, 22.1],
  [1.5, 65535.5],
  ["22\u0085", "22\u3000"],
  [true, 65535],
  [null, null],
  [null, 22],
  [22, null]
]

const otherPorts: ReadonlyArray<readonly [unknown, unknown]> = [
  [23, 65535],
  [1, 21],
  [2222, 2222],
  [80, 443],
  ["220", "220"],
  ["2", "2"],
  [30, 10],
  [443, null],
  // Neutron refuses these.
  ["ssh", "ssh"],
  ["0x16", "0x16"],
  ["2__2", "22"],
  ["22.0", "22.0"],
  [[22], [22]],
  ["", ""]
]

const bounded: ReadonlyArray<readonly [what: string, rule: Readonly<Record<string, unknown>>]> = [
  ["a remote group", { ...without("remote_ip_prefix"), remote_group_id: anId }],
  ["a remote group and an empty prefix", { ...openRule, remote_ip_prefix: "", remote_group_id: anId }],
  ["egress", { ...openRule, direction: "egress" }],
  ["no direction, which Neutron refuses", without("direction")],
  ["a direction in capitals, which Neutron refuses", { ...openRule, direction: "INGRESS" }]
]

const unbounded: ReadonlyArray<readonly [what: string, rule: Readonly<Record<string, unknown>>]> = [
  ["no prefix", without("remote_ip_prefix")],
  ["no protocol and no ports", without("protocol", "port_range_min", "port_range_max")],
  ["nothing but a direction", { security_group_id: anId, direction: "ingress" }],
  ["no ports", without("port_range_min", "port_range_max")],
  ["an empty remote group", { ...openRule, remote_group_id: "" }],
  ["a remote group of null", { ...openRule, remote_group_id: null }],
  ...[0, false, [], {}].map(
    (_) => [`a remote group of ${JSON.stringify(_)}`, { ...without("remote_ip_prefix"), remote_group_id: _ }] as const
  ),
  ["an empty address group", { ...without("remote_ip_prefix"), remote_address_group_id: "" }],
  ["a malformed address group", { ...without("remote_ip_prefix"), remote_address_group_id: "x/../y" }],
  ["an address group in a list", { ...without("remote_ip_prefix"), remote_address_group_id: [anId] }],
  ["an address group with a blank behind", { ...without("remote_ip_prefix"), remote_address_group_id: `${anId} ` }]
]

const rulesPath = "/network/security-group-rules"

const single = (what: string, rule: unknown, expect: Spelling["expect"]): Spelling => ({
  what,
  who: everybody,
  method: "POST",
  path: rulesPath,
  body: { security_group_rule: rule },
  expect
})

const shown = (value: unknown): string => JSON.stringify(value)

const neutronRules: ReadonlyArray<Spelling> = [
  ...worldPrefixes.map(([remote_ip_prefix, ethertype]) =>
    single(
      `from ${shown(remote_ip_prefix)} (${ethertype})`,
      { ...openRule, remote_ip_prefix, ethertype },
      "world_open_ssh"
    )
  ),
  ...narrowPrefixes.map((remote_ip_prefix) =>
    single(`from ${shown(remote_ip_prefix)}`, { ...openRule, remote_ip_prefix }, "allowed")
  ),
  ...[...tcp, ...zeroProtocols].map((protocol) =>
    single(`protocol ${shown(protocol)}`, { ...openRule, protocol }, "world_open_ssh")
  ),
  ...notTcp.map((protocol) => single(`protocol ${shown(protocol)}`, { ...openRule, protocol }, "allowed")),
  ...coveringPorts.map(([min, max]) => single(`ports ${shown([min, max])}`, ports(min, max), "world_open_ssh")),
  ...otherPorts.map(([min, max]) => single(`ports ${shown([min, max])}`, ports(min, max), "allowed")),
  ...unbounded.map(([what, rule]) => single(what, rule, "world_open_ssh")),
  ...bounded.map(([what, rule]) => single(what, rule, "allowed"))
]

const shapes: ReadonlyArray<readonly [what: string, body: unknown, expect: Spelling["expect"]]> = [
  ["bulk", { security_group_rules: [openRule] }, "world_open_ssh"],
  ["bulk, each in its own object", { security_group_rules: [{ security_group_rule: openRule }] }, "world_open_ssh"],
  ["the last of many", { security_group_rules: [harmless, harmless, openRule] }, "world_open_ssh"],
  [
    "harmless alone, open in bulk",
    { security_group_rule: harmless, security_group_rules: [openRule] },
    "world_open_ssh"
  ],
  [
    "open alone, harmless in bulk",
    { security_group_rules: [harmless], security_group_rule: openRule },
    "world_open_ssh"
  ],
  ["a list where one rule belongs", { security_group_rule: [openRule] }, "world_open_ssh"],
  ["one rule where a list belongs", { security_group_rules: openRule }, "world_open_ssh"],
  ["bulk in bulk", { security_group_rules: [{ security_group_rules: [openRule] }] }, "world_open_ssh"],
  ["under another name", { security_group_rule: harmless, also: openRule }, "allowed"],
  ["harmless in bulk", { security_group_rules: [harmless, harmless] }, "allowed"],
  ["an empty list", { security_group_rules: [] }, "allowed"],
  ["null", { security_group_rule: null }, "allowed"],
  ["a text", "security_group_rule", "allowed"],
  ["a list", [], "allowed"],
  ["no body", undefined, "allowed"]
]

const elsewhere: ReadonlyArray<readonly [method: string, path: string, expect: Spelling["expect"]]> = [
  ["POST", "/network/security-group-rules/", "world_open_ssh"],
  ["POST", "/network/security_group_rules", "world_open_ssh"],
  ["POST", "/network/security-group_rules", "world_open_ssh"],
  ["POST", "/network/security-group-rules.txt", "world_open_ssh"],
  ["POST", "/network/security-group-rules/index", "world_open_ssh"],
  ["POST", "/network/qos/security-group-rules", "world_open_ssh"],
  ["POST", "/network/log/security_group_rules", "world_open_ssh"],
  ["PUT", `/network/security-group-rules/${anId}`, "world_open_ssh"],
  ["POST", "/network/security-groups", "allowed"],
  ["POST", "/network/networks", "allowed"],
  ["DELETE", `/network/security-group-rules/${anId}`, "allowed"]
]

const overrides: ReadonlyArray<readonly [query: string, expect: Spelling["expect"]]> = [
  ["allow_ssh_from_anywhere=true", "allowed"],
  ["x=1&allow_ssh_from_anywhere=true&y=2", "allowed"],
  ["allow_ssh_from_anywhere=true&allow_ssh_from_anywhere=true", "allowed"],
  ["allow_ssh_from_anywhere=%74rue", "allowed"],
  ["allow_ssh_from_anywhere=false", "world_open_ssh"],
  ["allow_ssh_from_anywhere", "world_open_ssh"],
  ["allow_ssh_from_anywhere=", "world_open_ssh"],
  ["allow_ssh_from_anywhere=1", "allowed"],
  ["allow_ssh_from_anywhere=True", "allowed"],
  ["allow_ssh_from_anywhere=TRUE", "allowed"],
  ["allow_ssh_from_anywhere=0", "world_open_ssh"],
  ["allow_ssh_from_anywhere=False", "world_open_ssh"],
  ["allow_ssh_from_anywhere=yes", "world_open_ssh"],
  ["allow_ssh_from_anywhere=2", "world_open_ssh"],
  ["allow_ssh_from_anywhere=True&allow_ssh_from_anywhere=False", "world_open_ssh"],
  ["allow_ssh_from_anywhere=true+", "world_open_ssh"],
  ["allow_ssh_from_anywhere=true&allow_ssh_from_anywhere=false", "world_open_ssh"],
  ["allow_ssh_from_anywhere=false&allow_ssh_from_anywhere=true", "world_open_ssh"],
  ["Allow_SSH_From_Anywhere=true", "world_open_ssh"],
  ["allow-ssh-from-anywhere=true", "world_open_ssh"],
  ["allow_ssh_from_anywhere[]=true", "world_open_ssh"],
  ["", "world_open_ssh"]
]

const addressGroups: ReadonlyArray<
  readonly [what: string, method: string, path: string, body: unknown, expect: Spelling["expect"]]
> = [
  [
    "a new group",
    "POST",
    "",
    { address_group: { name: "x", addresses: ["10.0.0.0/8", "0.0.0.0/0"] } },
    "world_open_ssh"
  ],
  ["of IPv6", "POST", "", { address_group: { addresses: ["::/0"] } }, "world_open_ssh"],
  ["host bits", "POST", "", { address_group: { addresses: ["203.0.113.7/0"] } }, "world_open_ssh"],
  ["bulk", "POST", "", { address_groups: [{ addresses: [] }, { addresses: ["0/0"] }] }, "world_open_ssh"],
  ["at another word", "POST", "/index/remove_addresses", { address_group: { addresses: ["0/0"] } }, "world_open_ssh"],
  ["changed", "PUT", `/${anId}`, { address_group: { addresses: ["0.0.0.0/0"] } }, "world_open_ssh"],
  ["added", "PUT", `/${anId}/add_addresses`, { addresses: ["0.0.0.0/0"] }, "world_open_ssh"],
  ["added as names", "PUT", `/${anId}/add_addresses`, { addresses: { "0.0.0.0/0": 1 } }, "world_open_ssh"],
  ["narrow", "POST", "", { address_group: { addresses: ["10.0.0.0/8", "2001:db8::/32"] } }, "allowed"],
  ["none", "POST", "", { address_group: { name: "x" } }, "allowed"],
  ["narrow added", "PUT", `/${anId}/add_addresses`, { addresses: ["0.0.0.0/1"] }, "allowed"],
  ["removed", "PUT", `/${anId}/remove_addresses`, { addresses: ["0.0.0.0/0"] }, "allowed"],
  ["renamed", "PUT", `/${anId}`, { address_group: { name: "0.0.0.0/0" } }, "allowed"]
]

const openInCompute = {
  parent_group_id: anId,
  ip_protocol: "tcp",
  from_port: 22,
  to_port: 22,
  cidr: "0.0.0.0/0"
}

const computeRules: ReadonlyArray<
  readonly [what: string, change: Readonly<Record<string, unknown>>, expect: Spelling["expect"]]
> = [
  ["as it is", {}, "world_open_ssh"],
  ["no cidr", { cidr: undefined }, "world_open_ssh"],
  ["cidr null", { cidr: null }, "world_open_ssh"],
  ["cidr empty", { cidr: "" }, "world_open_ssh"],
  ["cidr false", { cidr: false }, "world_open_ssh"],
  ["cidr of IPv6", { cidr: "::/0" }, "world_open_ssh"],
  ["cidr with host bits", { cidr: "203.0.113.7/00" }, "world_open_ssh"],
  ["cidr encoded", { cidr: "0.0.0.0%2F0" }, "world_open_ssh"],
  ["length encoded", { cidr: "0.0.0.0/%30" }, "world_open_ssh"],
  ["length in another script, encoded", { cidr: "0.0.0.0/%EF%BC%90" }, "world_open_ssh"],
  ["sign encoded", { cidr: "0.0.0.0%2F%2B0" }, "world_open_ssh"],
  ["address encoded", { cidr: "%30.0.0.0/0" }, "world_open_ssh"],
  ["blank encoded", { cidr: "0.0.0.0/0%20" }, "world_open_ssh"],
  ["mask encoded", { cidr: "0.0.0.0%2f0%2E0.0.0" }, "world_open_ssh"],
  ["protocol in capitals", { ip_protocol: "TCP" }, "world_open_ssh"],
  ["ports as text", { from_port: "22", to_port: "022" }, "world_open_ssh"],
  ["all ports", { from_port: 1, to_port: 65535 }, "world_open_ssh"],
  ["ports -1", { from_port: -1, to_port: "-1" }, "world_open_ssh"],
  ["group null", { group_id: null }, "world_open_ssh"],
  ["a group", { group_id: anId }, "allowed"],
  ["narrow", { cidr: "203.0.113.0/24" }, "allowed"],
  ["a digit that is encoded", { cidr: "0.0.0.0/%31" }, "allowed"],
  ["udp", { ip_protocol: "udp" }, "allowed"],
  ["another port", { from_port: 443, to_port: 443 }, "allowed"]
]

export const worldOpenSshSpellings: ReadonlyArray<Spelling> = [
  ...neutronRules,
  ...shapes.map(([what, body, expect]) => ({ what, who: everybody, method: "POST", path: rulesPath, body, expect })),
  ...elsewhere.map(([method, path, expect]) => ({
    what: "an open rule",
    who: everybody,
    method,
    path,
    ...(method === "DELETE" ? {} : { body: { security_group_rule: openRule } }),
    expect
  })),
  ...overrides.map(([query, expect]) => ({
    what: `?${query}`,
    who: everybody,
    method: "POST",
    path: rulesPath,
    query,
    body: { security_group_rule: openRule },
    expect
  })),
  ...["/network/default-security-group-rules", "/network/default_security_group_rules"].map(
    (path) =>
      ({
        what: "the template of new groups",
        who: everybody,
        method: "POST",
        path,
        body: { default_security_group_rule: openRule },
        expect: "world_open_ssh"
      }) as const
  ),
  ...addressGroups.map(([what, method, rest, body, expect]) => ({
    what: `addresses: ${what}`,
    who: everybody,
    method,
    path: `/network/address-groups${rest}`,
    body,
    expect
  })),
  {
    what: "addresses, with the override",
    who: everybody,
    method: "POST",
    path: "/network/address-groups",
    query: "allow_ssh_from_anywhere=true",
    body: { address_group: { addresses: ["0.0.0.0/0"] } },
    expect: "allowed"
  },
  ...computeRules.map(([what, change, expect]) => ({
    what: `Nova: ${what}`,
    who: everybody,
    method: "POST",
    path: "/compute/os-security-group-rules",
    body: { security_group_rule: { ...openInCompute, ...change } },
    expect
  })),
  {
    what: "Nova: with the override",
    who: everybody,
    method: "POST",
    path: "/compute/os-security-group-rules",
    query: "allow_ssh_from_anywhere=true",
    body: { security_group_rule: openInCompute },
    expect: "allowed"
  }
]

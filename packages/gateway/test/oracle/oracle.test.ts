import { assert, describe, it } from "@effect/vitest"
import { rootOf } from "./glance.ts"
import { loads } from "./json.ts"
import { networkOf } from "./netaddr.ts"
import { networkVerdict } from "./neutron.ts"
import { microversion } from "./nova.ts"
import { int, type PyValue, strip, unquote } from "./python.ts"
import type { Verdict } from "./verdict.ts"

const bytes = (text: string) => Buffer.from(text)

describe("the oracle parses as the platform does", () => {
  const numbers: ReadonlyArray<readonly [value: PyValue, int: bigint | undefined]> = [
    ["22", 22n],
    [" 22\n", 22n],
    ["22\u0085", 22n],
    ["22\u001c", undefined],
    ["+22", 22n],
    ["-0", 0n],
    ["0022", 22n],
    ["2_2", 22n],
    ["2__2", undefined],
    ["_22", undefined],
    ["+ 22", undefined],
    ["\uff12\uff12", 22n],
    ["\u0662\u0662", 22n],
    ["\u096d", 7n],
    ["\u{1d7d0}\u{1d7da}", 22n],
    ["22.0", undefined],
    ["0x16", undefined],
    ["1e1", undefined],
    ["", undefined],
    [22.9, 22n],
    [-1.5, -1n],
    [Number.POSITIVE_INFINITY, undefined],
    [true, 1n],
    [null, undefined],
    [[22n], undefined]
  ]
  for (const [value, expected] of numbers) {
    it(`int of ${typeof value === "string" ? JSON.stringify(value) : String(value)}`, () => {
      assert.strictEqual(int(value), expected)
    })
  }

  it("strips like Python", () => {
    assert.strictEqual(strip("\u001c\u0085\u3000 x y\u2028\t"), "x y")
    assert.strictEqual(strip("\ufeffx\u0000"), "\ufeffx\u0000")
  })

  it("unquotes once, with anything encoded", () => {
    assert.strictEqual(unquote("0.0.0.0%2F0%252F%zz%C3%A9+"), "0.0.0.0/0%2F%zz\u00e9+")
  })

  const documents: ReadonlyArray<readonly [text: string, value: PyValue | undefined]> = [
    ["1", 1n],
    ["1.0", 1],
    ["1e2", 100],
    ["-0", 0n],
    ["NaN", Number.NaN],
    ["[-Infinity]", [Number.NEGATIVE_INFINITY]],
    [
      ' {"a" : [ ] , "b":{}} ',
      new Map<string, PyValue>([
        ["a", []],
        ["b", new Map()]
      ])
    ],
    ['{"a":1,"\\u0061":2}', new Map([["a", 2n]])],
    ['"\\ud83d\\ude00\\/"', "\u{1f600}/"],
    ['"\u007f"', "\u007f"],
    ['"\u001f"', undefined],
    ["01", undefined],
    ["1.", undefined],
    ["[1,]", undefined],
    ["{}x", undefined],
    ["", undefined],
    ["\ufeff{}", undefined]
  ]
  for (const [text, value] of documents) {
    it(`the document ${JSON.stringify(text)}`, () => {
      assert.deepStrictEqual(loads(bytes(text)), value)
    })
  }

  it("refuses bytes that are not UTF-8", () => {
    assert.isUndefined(loads(Buffer.from([0x22, 0xff, 0x22])))
    assert.isUndefined(loads(Buffer.from("{}", "utf16le")))
  })

  const networks: ReadonlyArray<readonly [text: string, old: string | undefined, latest: string | undefined]> = [
    ["0.0.0.0/0", "v4/0", "v4/0"],
    ["203.0.113.7", "v4/32", "v4/32"],
    ["203.0.113.7/ 0", "v4/0", "v4/0"],
    ["0.0.0.0/0.0.0.0", "v4/0", "v4/0"],
    ["10.0.0.0/255.0.0.0", "v4/8", "v4/8"],
    ["10.0.0.0/0.255.255.255", "v4/8", "v4/8"],
    ["10.0.0.0/255.255.255.255", "v4/32", "v4/32"],
    ["10.0.0.0/255.0.255.0", undefined, undefined],
    ["0/0", "v4/0", undefined],
    ["00.0.0.0/0", "v4/0", undefined],
    ["1.2.3/24", "v4/24", undefined],
    ["0.0.0.0/33", undefined, undefined],
    ["0.0.0.0/-1", undefined, undefined],
    ["0.0.0.0/", undefined, undefined],
    ["::/0", "v6/0", "v6/0"],
    ["::/::", "v6/0", "v6/0"],
    ["::/ffff::", "v6/16", "v6/16"],
    ["2001:db8::1", "v6/128", "v6/128"],
    ["::%eth0/0", undefined, undefined],
    ["256.0.0.0/0", undefined, undefined]
  ]
  for (const [text, old, latest] of networks) {
    it(`the network ${text}`, () => {
      const spelled = (release: "old" | "new") => {
        const network = networkOf(text, release)
        return network === undefined ? undefined : `v${network.version}/${network.prefixLength}`
      }
      assert.deepStrictEqual([spelled("old"), spelled("new")], [old, latest])
    })
  }

  const pointers: ReadonlyArray<readonly [pointer: string, root: string | undefined]> = [
    ["/locations", "locations"],
    ["//locations/-", "locations"],
    ["///locations", undefined],
    ["/ locations /0", "locations"],
    ["/\u0085locations\u001f", "locations"],
    ["/\ufefflocations", "\ufefflocations"],
    ["/~1locations", "/locations"],
    ["/~01", "~1"],
    ["/a~2", undefined],
    ["/a/", undefined],
    ["locations", undefined]
  ]
  for (const [pointer, root] of pointers) {
    it(`the pointer ${JSON.stringify(pointer)}`, () => {
      assert.strictEqual(rootOf(pointer), root)
    })
  }

  it("microversions", () => {
    assert.strictEqual(microversion({}), 1)
    assert.strictEqual(microversion({ "openstack-api-version": "placement 1.9, compute 2.37" }), 37)
    assert.strictEqual(microversion({ "openstack-api-version": "volume 3.59" }), 1)
    assert.strictEqual(microversion({ "x-openstack-nova-api-version": "latest" }), 999)
    assert.isUndefined(microversion({ "x-openstack-nova-api-version": "2.x" }))
  })
})

describe("the oracle judges as the contract does", () => {
  const group = '"security_group_id":"g","direction":"ingress"'
  const rules: ReadonlyArray<readonly [rule: string, verdict: Verdict]> = [
    [`${group},"protocol":"tcp","port_range_min":22,"port_range_max":22,"remote_ip_prefix":"0.0.0.0/0"`, "dangerous"],
    [`${group},"protocol":"tcp","port_range_min":1,"port_range_max":65535`, "dangerous"],
    [`${group}`, "dangerous"],
    [`${group},"protocol":"udp"`, "harmless"],
    [`${group},"protocol":"tcp","port_range_min":23,"port_range_max":80`, "harmless"],
    [`${group},"remote_ip_prefix":"0.0.0.0/1"`, "harmless"],
    [`${group},"remote_ip_prefix":"0.0.0.0"`, "harmless"],
    [`${group},"remote_ip_prefix":"::/0"`, "either"],
    [`${group},"ethertype":"ipv6","remote_ip_prefix":"::/0"`, "dangerous"],
    [`${group},"remote_group_id":"h"`, "harmless"],
    [`${group},"remote_group_id":"h","remote_ip_prefix":"0.0.0.0/0"`, "either"],
    [`${group},"remote_address_group_id":"open"`, "dangerous"],
    [`${group},"remote_address_group_id":"narrow"`, "harmless"],
    [`${group},"remote_address_group_id":"halves"`, "either"],
    [`${group},"remote_ip_prefix":false`, "dangerous"],
    [`${group},"port_range_min":22,"port_range_max":22`, "either"],
    [`${group},"unknown":1`, "either"],
    ['"security_group_id":"g","direction":"egress"', "harmless"]
  ]
  const groups = new Map([
    ["open", ["192.0.2.0/24", "0.0.0.0/0"]],
    ["narrow", ["192.0.2.0/24"]],
    ["halves", ["0.0.0.0/1", "128.0.0.0/1"]]
  ])
  const verdict = (method: string, path: string, body: string) =>
    networkVerdict({ method, segments: path.split("/"), headers: {}, body: bytes(body) }, (id) =>
      groups.get(String(id))
    )

  for (const [rule, expected] of rules) {
    it(`the rule {${rule}} is ${expected}, alone, among others, and wrapped`, () => {
      const harmless = '{"security_group_id":"g","direction":"egress"}'
      for (const body of [
        `{"security_group_rule":{${rule}}}`,
        `{"security_group_rules":[${harmless},{${rule}}]}`,
        `{"security_group_rules":[{"security_group_rule":{${rule}}}]}`
      ]) {
        assert.strictEqual(verdict("POST", "security-group-rules", body), expected, body)
      }
    })
  }

  const calls: ReadonlyArray<readonly [call: string, body: string, verdict: Verdict]> = [
    ["POST routers", '{"router":{"external_gateway_info":{"network_id":"n"}}}', "dangerous"],
    ["POST routers", '{"router":{"external_gateway_info":null}}', "harmless"],
    ["POST routers", '{"routers":[{},{"external_gateway_info":{"network_id":"n"}}]}', "dangerous"],
    ["PUT routers/r", '{"router":{"external_gateway_info":null}}', "dangerous"],
    ["PUT routers/r", '{"routers":[{"external_gateway_info":{}}]}', "either"],
    ["PUT routers/r", '{"router":{"name":"edge"}}', "harmless"],
    ["PUT qos/routers/r.json", '{"router":{"external_gateway_info":null}}', "dangerous"],
    ["PUT routers/r/remove_external_gateways", "{}", "dangerous"],
    ["PUT routers/r/add_router_interface", '{"subnet_id":"s"}', "harmless"],
    ["GET auto-allocated-topology/null", "", "dangerous"],
    ["GET auto_allocated_topology/p", "", "dangerous"],
    ["POST ports", '{"port":{"device_owner":"network:dhcp"}}', "dangerous"],
    ["PUT ports/p", '{"port":{"device_owner":"compute:nova"}}', "harmless"],
    ["POST ports", '{"device_owner":"network:dhcp"}', "either"]
  ]
  for (const [call, body, expected] of calls) {
    it(`${call} ${body} is ${expected}`, () => {
      const [method = "", path = ""] = call.split(" ")
      assert.strictEqual(verdict(method, path, body), expected)
    })
  }
})

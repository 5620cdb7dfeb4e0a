import { anId } from "../../rules/Spelling.ts"
import { openRule, worldOpenSshSpellings } from "../../rules/worldOpenSsh.spellings.ts"
import { attempt, attemptsOf } from "./Attempt.ts"
import type { Family } from "./examined.ts"

const all = attemptsOf(worldOpenSshSpellings)
const path = "/network/security-group-rules"
const open = { security_group_rule: openRule }
const text = JSON.stringify(open)
const harmless = JSON.stringify({ ...openRule, port_range_min: 443, port_range_max: 443 })
const post = (what: string, body: string | Uint8Array, headers?: Readonly<Record<string, string>>) =>
  attempt(what, "POST", path, headers === undefined ? { body } : { body, headers })

/** Bodies that only some readers of JSON take, or take differently. */
const bytes = [
  post(
    "a key twice, the last open",
    `{"security_group_rule":${harmless},"security_group_rule":${JSON.stringify(openRule)}}`
  ),
  post(
    "a key twice, the last harmless",
    `{"security_group_rule":${JSON.stringify(openRule)},"security_group_rule":${harmless}}`
  ),
  post("a port twice", `{"security_group_rule":${harmless.slice(0, -1)},"port_range_min":22,"port_range_max":22}}`),
  post("a key with an escape", text.replace("security_group_rule", "security_group_rul\\u0065")),
  post("a number with an exponent", text.replaceAll(":22", ":2.2e1")),
  post("a number with a long fraction", text.replaceAll(":22", ":22.00000000000000000001")),
  post("NaN beside it", `${text.slice(0, -1)},"x":NaN}`),
  post("Infinity beside it", `${text.slice(0, -1)},"x":-Infinity}`),
  post("a byte order mark", `\ufeff${text}`),
  post("UTF-16", Buffer.from(text, "utf16le")),
  post("a comment", `// \n${text}`),
  post("a comma at the end", `${text.slice(0, -1)},}`),
  post("two documents", `${text}${text}`),
  post("NUL at the end", `${text}\0`),
  post("white space around", `\n\t ${text} \r\n`),
  post("a lone surrogate", text.replace('"ingress"', '"ingress","description":"\\ud800"')),
  post("a member that is much too long", `${text.slice(0, -1)},"x":"${"y".repeat(70_000)}"}`),
  post("much depth", `${text.slice(0, -1)},"x":${"[".repeat(600)}${"]".repeat(600)}}`)
]

const types = [
  "text/plain",
  "application/xml",
  "application/octet-stream",
  "APPLICATION/JSON",
  "application/json; charset=utf-16",
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=x",
  "nonsense"
].map((type) => post(`as ${type}`, text, { "content-type": type }))

const encodings = ["gzip", "identity", "x"].map((encoding) =>
  post(`said to be ${encoding}`, text, { "content-type": "application/json", "content-encoding": encoding })
)

const paths = [
  "security-group-rules//",
  "/security-group-rules",
  "security-group-rules%2F",
  "security%2Dgroup-rules",
  "%73ecurity-group-rules",
  "security-group-rules.json",
  "security-group-rules.JSON",
  "security-group-rules.xml",
  "security-group-rules/index.json",
  "security-group-rules/.",
  "x/../security-group-rules",
  "x/%2e%2e/security-group-rules",
  "security-group-rules;x=1",
  "security-group-rules%00",
  "security-group-rules%20",
  "security-group-rules%09",
  "Security-Group-Rules",
  "security--group-rules",
  "qos/qos/security-group-rules",
  "qos/security-group-rules/index",
  "foo/security-group-rules",
  "security-groups/security-group-rules"
].map((_) => attempt("an odd path", "POST", `/network/${_}`, { body: text }))

/** The method is not the one of the request line. */
const methods = [
  "_method=POST",
  "_method=post",
  "x=_method&%5Fmethod=POST",
  "a;_method=POST",
  "_method=GET&_method=POST"
].flatMap((query, i) =>
  (i === 0 ? ["GET", "PUT", "DELETE"] : ["GET"]).map((method) =>
    attempt("another method", method, path, { query, body: text })
  )
)

/** Rules of Neutron that let everybody in over SSH. */
export const openings: Family = {
  attempts: [
    ...all.filter(({ path }) => path.startsWith("/network/") && !path.startsWith("/network/address-groups")),
    ...bytes,
    ...types,
    ...encodings,
    post("no media type", text, {}),
    ...paths,
    ...methods
  ],
  comeOff: 100,
  stricter: { "open alone, harmless in bulk": "two rules at once, of which Neutron takes the second" }
}

/** Address groups that hold everybody. */
export const addressGroups: Family = {
  attempts: [
    ...all.filter(({ path }) => path.startsWith("/network/address-groups")),
    ...["0/0", "0.0.0.0/ 0", "0.0.0.0/\uff10", "0.0.0.0 /0", "203.0.113.7/0.0.0.0", "::/::", "1_0/0"].map((_) =>
      attempt(`of ${JSON.stringify(_)}`, "PUT", `/network/address-groups/${anId}/add_addresses`, {
        body: JSON.stringify({ addresses: [_] })
      })
    )
  ],
  comeOff: 5
}

const compute = "/compute/os-security-group-rules"
const old = { parent_group_id: anId, ip_protocol: "tcp", from_port: 22, to_port: 22, cidr: "0.0.0.0/0" }
const inCompute = (what: string, change: object) =>
  attempt(what, "POST", compute, { body: JSON.stringify({ security_group_rule: { ...old, ...change } }) })

/** Rules by Nova's old interface. */
export const oldOpenings: Family = {
  attempts: [
    ...all.filter(({ path }) => path.startsWith("/compute/")),
    ...[
      "0.0.0.0%2F%30",
      "%30.0.0.0/0",
      "0.0.0.0/0%20",
      "0.0.0.0/%EF%BC%90",
      "0.0.0.0%2F%2B0",
      "+0.0.0.0/0",
      "0.0.0.0/0%0a"
    ].map((cidr) => inCompute(`cidr ${cidr}`, { cidr })),
    inCompute("a port that is true", { from_port: true, to_port: 65535 }),
    inCompute("ports with fractions", { from_port: 22.9, to_port: 22.1 }),
    inCompute("one member more", { x: 1 }),
    attempt("its project in front", "POST", `/compute/${"PROJECT"}/os-security-group-rules`, {
      body: JSON.stringify({ security_group_rule: old })
    }),
    attempt("without a media type", "POST", compute, {
      body: JSON.stringify({ security_group_rule: old }),
      headers: {}
    }),
    attempt("as text", "POST", compute, {
      body: JSON.stringify({ security_group_rule: old }),
      headers: { "content-type": "text/plain" }
    }),
    ...[
      "/compute//os-security-group-rules",
      "/compute/x/../os-security-group-rules",
      "/compute/os%2Dsecurity-group-rules"
    ].map((path) => attempt("an odd path", "POST", path, { body: JSON.stringify({ security_group_rule: old }) }))
  ],
  comeOff: 20
}

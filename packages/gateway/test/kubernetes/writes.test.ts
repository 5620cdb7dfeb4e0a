import { assert, describe, it as plain, layer } from "@effect/vitest"
import { clusterRoles } from "@portico/simulator/kubernetes/clusterRoles"
import { customResourceDefinitions } from "@portico/simulator/kubernetes/customResourceDefinitions"
import { builtIns, resourceOf } from "@portico/simulator/kubernetes/kinds"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect } from "effect"
import { gzipSync } from "node:zlib"
import { Cast, operator } from "../harness/Cast.ts"
import { cluster, Clustered, clusteredWith, ClusterTap, home } from "./ClusterTap.ts"
import { jsonOf } from "../harness/TestGateway.ts"

const live = { excludeTestServices: true }

type Decision = "free" | "read" | "refused" | "limits" | "namespace" | "token"

/**
 * What becomes of a tenant's write to each kind: it goes on; its body is read;
 * tenants do not write it; it is among the platform's limits. A kind that the
 * cluster serves or that `edit` allows, and that is not here, fails the test.
 */
const decisions: Readonly<Record<string, Decision>> = {
  configmaps: "free",
  events: "refused",
  persistentvolumeclaims: "free",
  pods: "free",
  replicationcontrollers: "free",
  serviceaccounts: "free",
  "daemonsets.apps": "free",
  "deployments.apps": "free",
  "replicasets.apps": "free",
  "statefulsets.apps": "free",
  "cronjobs.batch": "free",
  "jobs.batch": "free",
  "leases.coordination.k8s.io": "free",
  "events.events.k8s.io": "refused",
  "poddisruptionbudgets.policy": "free",
  // Opened by the default of KUBERNETES_TENANT_RESOURCES.
  "backups.postgresql.cnpg.io": "free",
  secrets: "read",
  services: "read",
  "horizontalpodautoscalers.autoscaling": "read",
  "networkpolicies.networking.k8s.io": "read",
  endpoints: "refused",
  "endpointslices.discovery.k8s.io": "refused",
  "ingresses.networking.k8s.io": "refused",
  "daemonsets.extensions": "refused",
  "deployments.extensions": "refused",
  "ingresses.extensions": "refused",
  "networkpolicies.extensions": "refused",
  "replicasets.extensions": "refused",
  "resourceclaims.resource.k8s.io": "refused",
  "resourceclaimtemplates.resource.k8s.io": "refused",
  "clusters.postgresql.cnpg.io": "refused",
  "scheduledbackups.postgresql.cnpg.io": "refused",
  "kafkas.kafka.strimzi.io": "refused",
  "kafkanodepools.kafka.strimzi.io": "refused",
  "kafkatopics.kafka.strimzi.io": "refused",
  "kafkausers.kafka.strimzi.io": "refused",
  "gateways.gateway.networking.k8s.io": "refused",
  "httproutes.gateway.networking.k8s.io": "refused",
  "referencegrants.gateway.networking.k8s.io": "refused",
  resourcequotas: "limits",
  limitranges: "limits",
  "roles.rbac.authorization.k8s.io": "limits",
  "rolebindings.rbac.authorization.k8s.io": "limits"
}

const codes = { refused: "cluster_kind_refused", limits: "cluster_limits_refused" } as const

const verbs = ["create", "update", "patch"]

describe("the table of kinds", () => {
  plain("has a decision for every namespaced kind, and for all that 'edit' lets tenants write", () => {
    const served = builtIns.filter((_) => _.namespaced && _.stored).map(resourceOf)
    const brought = customResourceDefinitions
      .map(([definition]) => Object(definition["spec"]))
      .filter((_) => _.scope === "Namespaced")
      .map((_) => `${_.names.plural}.${_.group}`)
    const written = clusterRoles
      .filter((_) => _.name === "edit")
      .flatMap((_) => _.rules)
      .filter((_) => _.verbs.some((verb) => verbs.includes(verb)))
      .flatMap(({ apiGroups = [], resources = [] }) =>
        apiGroups.flatMap((group) => resources.map((plural) => resourceOf({ group, plural })))
      )
      .filter((_) => !_.includes("/"))
    const all = new Set([...served, ...brought, ...written])
    assert.deepStrictEqual([...all].filter((_) => !Object.hasOwn(decisions, _)).toSorted(), [])
  })
})

const at = (namespace: string, resource: string, name = "x") => {
  const [plural = "", ...group] = resource.split(".")
  const root = group.length === 0 ? "/api/v1" : `/apis/${group.join(".")}/v1`
  return { all: `${root}/namespaces/${namespace}/${plural}`, one: `${root}/namespaces/${namespace}/${plural}/${name}` }
}

const merge = { "content-type": "application/merge-patch+json" }

layer(Clustered, live)("each kind", (it) => {
  for (const [resource, decision] of Object.entries(decisions)) {
    it.effect(`${resource} is ${decision}`, () =>
      Effect.gen(function* () {
        const { acme } = yield* Cast
        const tap = yield* ClusterTap
        yield* tap.script((from, to) => void from.resume().once("end", () => to.end("arrived")))
        const { all, one } = at(`db-${acme.projectId}`, resource)
        for (const [method, path, headers] of [
          ["POST", all, {}],
          ["PUT", one, {}],
          ["PATCH", one, merge]
        ] as const) {
          yield* tap.forget
          const answer = yield* cluster(method, path, { body: {}, headers, token: acme.tokens[1] })
          const arrived = (yield* tap.seen).length
          if (decision === "free" || decision === "read") {
            assert.deepStrictEqual([answer.status, arrived], [200, 1], `${method}: ${answer.text}`)
            continue
          }
          assert.deepStrictEqual([answer.status, arrived], [403, 0], answer.text)
          assert.strictEqual(
            jsonOf(answer).details.causes[0].reason,
            codes[decision === "refused" ? decision : "limits"]
          )
        }
        // Reading is as it was, and so is deleting what is there from before.
        assert.strictEqual((yield* cluster("GET", all, { token: acme.tokens[1] })).status, 200)
        assert.strictEqual((yield* cluster("DELETE", one)).status, decision === "limits" ? 403 : 200)
      })
    )
  }
})

layer(
  clusteredWith({ KUBERNETES_TENANT_RESOURCES: "certificates.cert-manager.io, kafkatopics.kafka.strimzi.io" }),
  live
)("kinds that an operator permits", (it) => {
  it.effect("are forwarded, and no others", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const tap = yield* ClusterTap
      yield* tap.script((from, to) => void from.resume().once("end", () => to.end("arrived")))
      const statuses = yield* Effect.forEach(
        [
          "certificates.cert-manager.io",
          "kafkatopics.kafka.strimzi.io",
          "issuers.cert-manager.io",
          "backups.postgresql.cnpg.io"
        ],
        (_) => Effect.map(cluster("POST", at(`db-${acme.projectId}`, _).all, { body: {} }), (_) => _.status)
      )
      assert.deepStrictEqual(statuses, [200, 200, 403, 403])
    })
  )

  it.effect("name their cluster in its operator's label at tier 1", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const tap = yield* ClusterTap
      yield* tap.script((from, to) => void from.resume().once("end", () => to.end("arrived")))
      const { one } = at(`db-${acme.projectId}`, "kafkatopics.kafka.strimzi.io")
      const body = { metadata: { labels: { "strimzi.io/cluster": "events" } } }
      const answer = yield* cluster("PATCH", one, { token: acme.tokens[1], body, headers: merge })
      assert.strictEqual(answer.status, 200, answer.text)
      yield* tap.script()
    })
  )
})

// The binary encoding, as far as it is needed here.

const varint = (value: number): Array<number> => (value < 128 ? [value] : [(value & 127) | 128, ...varint(value >>> 7)])

const bytesField = (number: number, content: Uint8Array | string): Buffer => {
  const bytes = Buffer.from(content)
  return Buffer.concat([Buffer.from(varint(number * 8 + 2)), Buffer.from(varint(bytes.length)), bytes])
}

const numberField = (number: number, value: number): Buffer => Buffer.from([...varint(number * 8), ...varint(value)])

const envelope = (kind: string, ...fields: ReadonlyArray<Uint8Array>): Buffer =>
  Buffer.concat([
    Buffer.from("k8s\0"),
    bytesField(1, Buffer.concat([bytesField(1, "v1"), bytesField(2, kind)])),
    bytesField(2, Buffer.concat(fields))
  ])

const named = bytesField(1, bytesField(1, "web"))
const plainPort = bytesField(1, Buffer.concat([numberField(3, 80)]))

interface Write {
  readonly method: "POST" | "PUT" | "PATCH"
  readonly type: string
  readonly body: string | Buffer
}

const write = (method: Write["method"], type: string, body: unknown): Write => ({
  method,
  type,
  body: typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body)
})

const applyType = "application/apply-patch+yaml"
const binary = "application/vnd.kubernetes.protobuf"
const jsonPatch = "application/json-patch+json"
const json = "application/json"

const ports = [{ port: 80 }]

/** Every way to write a Service whose specification has such fields. */
const writesOf = (fields: Readonly<Record<string, unknown>>): ReadonlyArray<Write> => {
  const object = { apiVersion: "v1", kind: "Service", metadata: { name: "web" }, spec: { ports, ...fields } }
  const patch = { spec: fields }
  return [
    write("POST", json, object),
    write("POST", "application/json; charset=utf-8", object),
    write("POST", "", object),
    write("POST", "application/yaml", object),
    write("POST", "application/yaml", `metadata: {name: web}\nspec:\n${yamlOf({ ports, ...fields })}`),
    write("PUT", json, object),
    write("PUT", "application/yaml", object),
    write("PATCH", "application/merge-patch+json", patch),
    write("PATCH", "application/strategic-merge-patch+json", { spec: { $patch: "replace", ports, ...fields } }),
    write("PATCH", applyType, object),
    write("PATCH", applyType, `metadata:\n  name: web\nspec:\n${yamlOf(fields)}`),
    write("PATCH", jsonPatch, [{ op: "replace", path: "", value: object }]),
    write("PATCH", jsonPatch, [{ op: "add", path: "/spec", value: object.spec }]),
    ...Object.entries(fields).flatMap(([name, value]) => [
      write("PATCH", jsonPatch, [
        { op: "test", path: "/kind", value: "x" },
        { op: "add", path: `/spec/${name}`, value }
      ]),
      write("PATCH", jsonPatch, [{ op: "replace", path: `whatever/spec/${name}`, value }]),
      write("PATCH", jsonPatch, [{ op: "copy", from: "/metadata/annotations/a", path: `/spec/${name}` }]),
      write("PATCH", jsonPatch, [{ op: "move", from: "/metadata/annotations/a", path: "/spec" }])
    ])
  ]
}

const yamlOf = (fields: Readonly<Record<string, unknown>>): string =>
  Object.entries(fields)
    .map(([name, value]) => `  ${name}: ${JSON.stringify(value)}\n`)
    .join("")

/** What no tenant's Service has, in JSON and in the binary encoding, with the words of its refusal. */
const harmful: ReadonlyArray<readonly [what: string, fields: Readonly<Record<string, unknown>>, spec: Buffer]> = [
  ["type LoadBalancer", { type: "LoadBalancer" }, bytesField(4, "LoadBalancer")],
  ["type NodePort", { type: "NodePort" }, bytesField(4, "NodePort")],
  ["type ExternalName", { type: "ExternalName" }, bytesField(4, "ExternalName")],
  ["spec.externalIPs", { externalIPs: ["192.0.2.1"] }, bytesField(5, "192.0.2.1")],
  ["spec.externalName", { externalName: "metadata.internal" }, bytesField(10, "metadata.internal")],
  ["spec.loadBalancerIP", { loadBalancerIP: "192.0.2.1" }, bytesField(8, "192.0.2.1")],
  ["spec.loadBalancerClass", { loadBalancerClass: "x/y" }, bytesField(21, "x/y")],
  ["spec.loadBalancerSourceRanges", { loadBalancerSourceRanges: ["0.0.0.0/0"] }, bytesField(9, "0.0.0.0/0")],
  ["spec.healthCheckNodePort", { healthCheckNodePort: 30000 }, numberField(12, 30000)],
  [
    "spec.ports[].nodePort",
    { ports: [{ port: 81 }, { port: 80, nodePort: 30000 }] },
    bytesField(1, Buffer.concat([numberField(3, 80), numberField(5, 30000)]))
  ]
]

const send = Effect.fnUntraced(function* (resource: string, { body, method, type }: Write, name = "web", query = "") {
  const { acme } = yield* Cast
  const { all, one } = at(`db-${acme.projectId}`, resource, name)
  const path = (method === "POST" ? all : one) + query
  return yield* cluster(method, path, {
    body,
    headers: type === "" ? {} : { "content-type": type },
    token: acme.tokens[1]
  })
})

/** Refused with the code, and nothing arrived. */
const refused = Effect.fnUntraced(function* (resource: string, attempt: Write, code: string, name?: string) {
  const tap = yield* ClusterTap
  yield* tap.forget
  const answer = yield* send(resource, attempt, name)
  const told = `${attempt.method} ${attempt.type} ${String(attempt.body).slice(0, 200)}: ${answer.text}`
  assert.deepStrictEqual(yield* tap.seen, [], told)
  assert.strictEqual(jsonOf(answer).details.causes[0].reason, code, told)
  return answer
})

layer(Clustered, live)("a Service", (it) => {
  for (const [what, fields, spec] of harmful) {
    it.effect(`with ${what} is refused in every encoding, and changes nothing`, () =>
      Effect.gen(function* () {
        for (const attempt of writesOf(fields)) {
          const answer = yield* refused("services", attempt, "cluster_service_refused")
          assert.strictEqual(answer.status, 403)
        }
        for (const method of ["POST", "PUT"] as const) {
          // A message may come in pieces: all of them count.
          const pieces = [named, bytesField(2, plainPort), bytesField(2, spec), bytesField(2, plainPort)]
          const twice = Buffer.concat([
            envelope("Service", ...pieces),
            bytesField(2, Buffer.concat([named, bytesField(2, plainPort)]))
          ])
          const harmless = envelope(
            "Service",
            named,
            bytesField(2, Buffer.concat([plainPort, bytesField(4, "ClusterIP")]))
          )
          const afterwards = Buffer.concat([harmless, bytesField(2, bytesField(2, spec))])
          for (const body of [
            envelope("Service", named, bytesField(2, Buffer.concat([plainPort, spec]))),
            envelope("Service", ...pieces),
            twice,
            afterwards
          ]) {
            yield* refused("services", write(method, binary, body), "cluster_service_refused")
          }
        }
        const { world } = yield* SimulatedCloud
        const names = Object.keys(world.kubernetes.objects["services"] ?? {})
        assert.deepStrictEqual(
          names.filter((_) => _.endsWith("/web")),
          []
        )
      })
    )
  }

  it.effect("is refused with its names in any case, as a case-insensitive parser might read them", () =>
    Effect.gen(function* () {
      for (const [method, type] of [
        ["POST", json],
        ["PATCH", "application/merge-patch+json"],
        ["PATCH", applyType]
      ] as const) {
        for (const [, fields] of harmful) {
          const spec = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name.toUpperCase(), value]))
          for (const body of [{ spec }, { Spec: fields }]) {
            yield* refused("services", write(method, type, body), "cluster_service_refused")
          }
        }
      }
    })
  )

  it.effect("is refused with the rule's message", () =>
    Effect.gen(function* () {
      const answer = yield* send("services", write("POST", json, { spec: { externalIPs: ["192.0.2.1"] } }))
      assert.strictEqual(
        jsonOf(answer).message,
        "A Service with spec.externalIPs is refused: it would lead traffic that is not the tenant's. Leave it of type ClusterIP, and make it public with POST /v1/edge/exposures"
      )
    })
  )

  it.effect("of type ClusterIP is created, replaced and patched in every encoding", () =>
    Effect.gen(function* () {
      const body = (name: string) => ({
        apiVersion: "v1",
        kind: "Service",
        metadata: { name, annotations: { note: "type: LoadBalancer" } },
        spec: { type: "ClusterIP", ports, selector: { app: "web" }, externalIPs: [], clusterIP: "None" }
      })
      const made = [
        ["a", json, body("a")],
        ["b", "", body("b")],
        ["c", "application/yaml", "metadata:\n  name: c\nspec:\n  ports:\n  - port: 80\n  selector: {app: 'yes'}\n"],
        ["d", binary, envelope("Service", bytesField(1, bytesField(1, "d")), bytesField(2, plainPort))]
      ] as const
      for (const [name, type, content] of made) {
        const answer = yield* send("services", write("POST", type, content), name)
        assert.deepStrictEqual([answer.status, jsonOf(answer).metadata.name], [201, name], answer.text)
      }
      const changes = [
        ["PUT", json, body("a")],
        ["PATCH", "application/merge-patch+json", { spec: { selector: { app: "b" }, externalIPs: null } }],
        ["PATCH", "application/strategic-merge-patch+json", { spec: { ports: [{ port: 80, name: "http" }] } }],
        ["PATCH", jsonPatch, [{ op: "add", path: "/metadata/labels", value: { type: "NodePort" } }]],
        ["PATCH", jsonPatch, [{ op: "copy", from: "/metadata/name", path: "/metadata/labels/copied" }]],
        ["PATCH", jsonPatch, [{ op: "remove", path: "/spec/selector" }]]
      ] as const
      for (const [method, type, content] of changes) {
        const answer = yield* send("services", write(method, type, content), "a")
        assert.strictEqual(answer.status, 200, `${type}: ${answer.text}`)
      }
      const named = "apiVersion: v1\nkind: Service\nmetadata: {name: e}\n"
      for (const content of [JSON.stringify(body("e")), `${named}spec:\n  ports:\n  - port: 80\n`]) {
        const answer = yield* send("services", write("PATCH", applyType, content), "e", "?fieldManager=t&force=true")
        assert.include([200, 201], answer.status, answer.text)
      }
    })
  )

  it.effect("with null or a text in place of an object is left for the cluster to refuse", () =>
    Effect.gen(function* () {
      const tap = yield* ClusterTap
      for (const spec of [null, "x", { ports: null }, { ports: [null] }, { ports: "x" }]) {
        yield* tap.forget
        const answer = yield* send("services", write("PATCH", "application/merge-patch+json", { spec }), "unknown")
        const told = `${JSON.stringify(spec)}: ${answer.text}`
        assert.isNotEmpty(yield* tap.seen, told)
        assert.isBelow(answer.status, 500, told)
      }
    })
  )

  it.effect("can be created by a platform administrator without the rule", () =>
    Effect.gen(function* () {
      const body = { metadata: { name: "public" }, spec: { type: "LoadBalancer", ports } }
      const answer = yield* cluster("POST", "/api/v1/namespaces/default/services", { body, token: operator })
      assert.strictEqual(answer.status, 201, answer.text)
    })
  )

  it.effect("refused by the rule does not create the namespace", () =>
    Effect.gen(function* () {
      const { globex } = yield* Cast
      const { world } = yield* SimulatedCloud
      const body = { metadata: { name: "web" }, spec: { type: "NodePort", ports } }
      const path = `/api/v1/namespaces/db-${globex.projectId}/services`
      assert.strictEqual((yield* cluster("POST", path, { body, token: globex.tokens[2] })).status, 403)
      assert.notProperty(world.kubernetes.objects["namespaces"], `/db-${globex.projectId}`)
    })
  )

  it.effect("is read in a chunked body too, and refused in a compressed one", () =>
    Effect.gen(function* () {
      const own = `${yield* home}/services`
      const text = JSON.stringify({ metadata: { name: "web" }, spec: { type: "NodePort", ports } })
      const headers = { "content-type": json }
      assert.strictEqual((yield* cluster("POST", own, { body: text, chunked: true, headers })).status, 403)
      const good = JSON.stringify({ metadata: { name: "chunked" }, spec: { ports } })
      assert.strictEqual((yield* cluster("POST", own, { body: good, chunked: true, headers })).status, 201)
      const tap = yield* ClusterTap
      yield* tap.forget
      for (const encoding of ["gzip", "GZIP", "deflate", "br", "zstd", "identity, gzip", "x"]) {
        const packed = yield* cluster("POST", own, {
          body: gzipSync(text),
          headers: { ...headers, "content-encoding": encoding }
        })
        assert.deepStrictEqual(
          [packed.status, jsonOf(packed).details.causes[0].reason],
          [415, "encoded_body"],
          encoding
        )
      }
      assert.deepStrictEqual(yield* tap.seen, [])
      const plainly = JSON.stringify({ metadata: { name: "identity" }, spec: { ports } })
      const as = { ...headers, "content-encoding": "Identity" }
      assert.strictEqual((yield* cluster("POST", own, { body: plainly, headers: as })).status, 201)
    })
  )

  it.effect("above the API server's size is a 413", () =>
    Effect.gen(function* () {
      const answer = yield* send("services", write("POST", json, `{"metadata":{"name":"${"x".repeat(3 << 20)}"}}`))
      assert.deepStrictEqual([answer.status, jsonOf(answer).details.causes[0].reason], [413, "body_too_large"])
    })
  )

  it.effect("with too many values is a 413 in every form of JSON", () =>
    Effect.gen(function* () {
      const names = Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`x${n}`, "0"]))
      const many = { metadata: { name: "web", annotations: names }, spec: { ports } }
      for (const [method, type, body] of [
        ["POST", json, many],
        ["POST", "application/yaml", many],
        ["PUT", json, many],
        ["PATCH", "application/merge-patch+json", many],
        ["PATCH", applyType, many],
        ["PATCH", jsonPatch, [{ op: "add", path: "/metadata/annotations", value: names }]]
      ] as const) {
        yield* refused("services", write(method, type, body), "too_many_values")
      }
      const fewer = { ...many, metadata: { name: "many", annotations: { text: "[,".repeat(20_000) } } }
      assert.strictEqual((yield* send("services", write("POST", json, fewer))).status, 201)
    })
  )
})

/** Bodies that two readers read differently, or none. */
const ambiguous: Readonly<Record<string, Write>> = {
  "a name twice": write("POST", json, '{"spec":{"externalIPs":["192.0.2.1"]},"spec":{"ports":[{"port":80}]}}'),
  "a name twice, once with an escape": write("POST", json, '{"spec":{"type":"NodePort","typ\\u0065":"ClusterIP"}}'),
  "a name twice in a merge patch": write(
    "PATCH",
    "application/merge-patch+json",
    '{"spec":{"type":"NodePort"},"spec":{}}'
  ),
  "a name twice in an operation": write(
    "PATCH",
    jsonPatch,
    '[{"op":"add","path":"/spec/type","path":"/x","value":"NodePort"}]'
  ),
  "a name twice in an apply": write("PATCH", applyType, '{"spec":{"type":"NodePort","type":"ClusterIP"}}'),
  "a name twice in YAML": write("POST", "application/yaml", "spec:\n  type: NodePort\nspec:\n  ports: []\n"),
  "an anchor": write("POST", "application/yaml", "a: &x NodePort\nspec: {type: *x}\n"),
  "a merge key": write("POST", "application/yaml", "spec:\n  <<: {type: NodePort}\n"),
  "a tag": write("POST", "application/yaml", "spec: {type: !!str NodePort}\n"),
  "a local tag": write("POST", "application/yaml", "spec: {type: !x NodePort}\n"),
  "two documents": write("POST", "application/yaml", "spec: {}\n---\nspec: {type: NodePort}\n"),
  "a directive": write("POST", "application/yaml", "%YAML 1.1\n---\nspec: {}\n"),
  "a word of YAML 1.1": write("PATCH", applyType, "spec:\n  publishNotReadyAddresses: yes\n"),
  "an octal number": write("PATCH", applyType, "spec:\n  ports:\n  - port: 0120\n"),
  "a number with an underscore": write("PATCH", applyType, "spec:\n  ports:\n  - port: 1_000\n"),
  "a date": write("PATCH", applyType, "metadata:\n  annotations:\n    at: 2026-01-01\n"),
  "a number that is not exact": write("PATCH", applyType, "spec:\n  ports:\n  - port: 9007199254740993\n"),
  "a number that is infinite": write("PATCH", applyType, '{"spec":{"ports":[{"port":1e400}]}}'),
  "a name that is not text": write("POST", "application/yaml", "spec: {1: x}\n"),
  "no YAML": write("POST", "application/yaml", "spec: {type: [\n"),
  "nesting in JSON": write("POST", json, "[".repeat(300_000)),
  "nesting in JSON, one level too many": write("POST", json, `{"spec":${"[".repeat(100)}${"]".repeat(100)}}`),
  "nesting in YAML": write("POST", "application/yaml", "- ".repeat(4_000)),
  "nesting of brackets in YAML": write("POST", "application/yaml", `a: ${"{".repeat(7_000)}`),
  "nesting in a path": write("PATCH", jsonPatch, [{ op: "add", path: "/a".repeat(100_000), value: 1 }]),
  "a path of slashes": write("PATCH", jsonPatch, [{ op: "add", path: "/".repeat(1_000_000), value: 1 }]),
  "many long paths": write(
    "PATCH",
    jsonPatch,
    Array.from({ length: 400 }, () => ({ op: "copy", from: "/a", path: "/a".repeat(60) }))
  ),
  "a binary body of many empty messages": write(
    "POST",
    binary,
    envelope("Service", Buffer.from("1200".repeat(100_001), "hex"))
  ),
  "a binary body of many numbers": write(
    "POST",
    binary,
    Buffer.concat([envelope("Service"), Buffer.from("1800".repeat(100_001), "hex")])
  ),
  "a binary body with an annotation of many keys": write(
    "PUT",
    binary,
    envelope("Service", bytesField(1, bytesField(12, Buffer.from("0a00".repeat(100_001), "hex"))))
  ),
  "a patch that is not a list": write("PATCH", jsonPatch, { op: "add", path: "/spec/type", value: "NodePort" }),
  "an unknown operation": write("PATCH", jsonPatch, [{ op: "Add", path: "/spec/type", value: "NodePort" }]),
  "an operation without a path": write("PATCH", jsonPatch, [{ op: "add", value: {} }]),
  "a binary body without its beginning": write("POST", binary, envelope("Service").subarray(4)),
  "a binary body that breaks off": write(
    "POST",
    binary,
    envelope("Service", named, bytesField(2, plainPort)).subarray(0, -1)
  ),
  "a binary body whose field number another reader would cut to that of the specification": write(
    "POST",
    binary,
    envelope("Service", named, Buffer.concat([Buffer.from([0x92, 0x80, 0x80, 0x80, 0x10, 2]), bytesField(4, "")]))
  ),
  "a binary body with a group": write("POST", binary, envelope("Service", Buffer.from([0x13, 0x14])))
}

layer(Clustered, live)("a body", (it) => {
  for (const [what, attempt] of Object.entries(ambiguous)) {
    it.effect(`with ${what} is refused with the reason`, () =>
      Effect.gen(function* () {
        const answer = yield* refused("services", attempt, "cluster_body_ambiguous")
        assert.strictEqual(answer.status, 400)
      })
    )
  }

  for (const text of ["", "{", '{"a":01}', '\ufeff{"spec":{}}', "\u0000"]) {
    it.effect(`of ${JSON.stringify(text)} is refused as malformed JSON`, () =>
      Effect.gen(function* () {
        // No body is the API server's to refuse.
        if (text === "") return assert.notStrictEqual((yield* send("services", write("POST", json, text))).status, 201)
        yield* refused("services", write("POST", json, text), "body_not_json")
      })
    )
  }

  const types = [
    ["POST", "application/cbor"],
    ["POST", "text/plain"],
    ["POST", "application/x-www-form-urlencoded"],
    ["POST", "application/merge-patch+json"],
    ["PUT", applyType],
    ["PATCH", ""],
    ["PATCH", json],
    ["PATCH", "application/yaml"],
    ["PATCH", binary],
    ["PATCH", "application/apply-patch+cbor"]
  ] as const
  for (const [method, type] of types) {
    it.effect(`of a ${method} declared as '${type}' is a 415 with the supported types`, () =>
      Effect.gen(function* () {
        const answer = yield* refused("services", write(method, type, "{}"), "cluster_media_type")
        const right =
          method === "PATCH"
            ? "application/json-patch+json, application/merge-patch+json, application/strategic-merge-patch+json, application/apply-patch+yaml"
            : "application/json, application/yaml, application/vnd.kubernetes.protobuf"
        assert.deepStrictEqual(
          [answer.status, jsonOf(answer).message],
          [415, `The body of this request must have one of these as its Content-Type: ${right}`]
        )
      })
    )
  }

  it.effect("of YAML is passed on as the parsed JSON", () =>
    Effect.gen(function* () {
      const tap = yield* ClusterTap
      let came = ""
      yield* tap.script((from, to) => {
        came = ""
        from.on("data", (_: Buffer) => (came += _.toString())).once("end", () => to.end("arrived"))
      })
      const read = { metadata: { name: "web", annotations: { note: "\u0085\u2028 #" } }, spec: { ports } }
      const yaml = 'metadata: {name: web, annotations: {note: "\\N\\L #"}} # a note\nspec:\n  ports: [{port: 80}]\n'
      for (const [method, type, sentAs] of [
        ["POST", "application/yaml", "application/json"],
        ["PUT", "application/yaml; charset=utf-8", "application/json"],
        ["PATCH", applyType, applyType]
      ] as const) {
        yield* tap.forget
        assert.strictEqual((yield* send("services", write(method, type, yaml))).text, "arrived")
        const [seen] = yield* tap.seen
        assert.deepStrictEqual([seen?.headers["content-type"], JSON.parse(came)], [sentAs, read], type)
        // To a reader of YAML these end a line.
        assert.notMatch(came, /[\u0085\u2028]/)
      }
      yield* tap.script()
    })
  )

  it.effect("of a harmless kind is passed on unread, with any content", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const tap = yield* ClusterTap
      const came: Array<string> = []
      yield* tap.script((from, to) => {
        from.on("data", (_: Buffer) => came.push(_.toString("latin1"))).once("end", () => to.end("arrived"))
      })
      const path = at(`db-${acme.projectId}`, "deployments.apps").all
      const body = '{"spec":{},"spec":{}} \u0000'
      const answer = yield* cluster("POST", path, { body, headers: { "content-type": "application/cbor" } })
      assert.deepStrictEqual([answer.status, came.join("")], [200, body])
      yield* tap.script()
    })
  )
})

/** Every way to write an object with such values, but for the binary encoding. */
const changesWith = (object: Readonly<Record<string, unknown>>, pointer: string, value: unknown) => [
  write("PUT", json, object),
  write("PUT", "application/yaml", object),
  write("PATCH", "application/merge-patch+json", object),
  write("PATCH", "application/strategic-merge-patch+json", object),
  write("PATCH", applyType, object),
  write("PATCH", jsonPatch, [{ op: "add", path: pointer, value }]),
  write("PATCH", jsonPatch, [{ op: "replace", path: "", value: object }]),
  write("PATCH", jsonPatch, [{ op: "copy", from: "/metadata/annotations/a", path: pointer }])
]

layer(Clustered, live)("a write that makes the cluster delete", (it) => {
  const owners = [{ apiVersion: "v1", kind: "ConfigMap", name: "gone", uid: "b3a1c6f0-0000-4000-8000-000000000000" }]
  const owned = { metadata: { name: "web", ownerReferences: owners } }
  const claims = { persistentVolumeClaimRetentionPolicy: { whenDeleted: "Retain", whenScaled: "Delete" } }
  const scaled = { metadata: { name: "web" }, spec: { replicas: 0, ...claims } }
  const scaledPointer = "/spec/persistentVolumeClaimRetentionPolicy/whenScaled"
  const free = Object.keys(decisions).filter((_) => decisions[_] === "free" || decisions[_] === "read")

  const ownedInBinary = envelope(
    "Pod",
    bytesField(1, bytesField(1, "web")),
    bytesField(1, bytesField(13, bytesField(3, "gone")))
  )
  const scaledInBinary = envelope("StatefulSet", named, bytesField(2, bytesField(10, bytesField(2, "Delete"))))

  /** That it arrives, whatever becomes of it there. */
  const arrives = Effect.fnUntraced(function* (resource: string, attempt: Write, token?: string) {
    const tap = yield* ClusterTap
    yield* tap.script((from, to) => void from.resume().once("end", () => to.end("arrived")))
    const { acme } = yield* Cast
    const { all, one } = at(`db-${acme.projectId}`, resource, "web")
    const { body, method, type } = attempt
    const headers = { "content-type": type }
    const asked = { body, headers, token: token ?? acme.tokens[1] }
    const answer = yield* cluster(method, method === "POST" ? all : one, asked)
    assert.strictEqual(answer.status, 200, `${method} ${type} ${String(body).slice(0, 200)}: ${answer.text}`)
    yield* tap.script()
  })

  for (const resource of free) {
    it.effect(`for a missing owner is tier 2, of ${resource} in every encoding`, () =>
      Effect.gen(function* () {
        const { acme } = yield* Cast
        const attempts = [
          ...changesWith(owned, "/metadata/ownerReferences", owners),
          write("PATCH", jsonPatch, [{ op: "add", path: "/metadata/ownerReferences/-", value: owners[0] }]),
          write("PUT", binary, ownedInBinary)
        ]
        for (const attempt of attempts) yield* refused(resource, attempt, "tier_too_low")
        yield* arrives(resource, write("PATCH", "application/merge-patch+json", owned), acme.tokens[2])
        // `kubectl create job --from=cronjob/x` does that, and what is made now was not there before; but the claims
        // may have been that a StatefulSet takes along.
        if (resource !== "statefulsets.apps") yield* arrives(resource, write("POST", json, owned))
        // Nothing is deleted for an owner less, and a body without owners says nothing of them.
        yield* arrives(resource, write("PATCH", jsonPatch, [{ op: "remove", path: "/metadata/ownerReferences" }]))
        yield* arrives(
          resource,
          write("PATCH", "application/merge-patch+json", { metadata: { ownerReferences: null } })
        )
        yield* arrives(resource, write("PUT", json, { metadata: { name: "web", ownerReferences: [] } }))
        yield* arrives(resource, write("PUT", binary, envelope("Pod", named)))
      })
    )
  }

  for (const [resource, field, key] of [
    ["pods", "annotations", "strimzi.io/delete-pod-and-pvc"],
    ["pods", "annotations", "alpha.cnpg.io/unrecoverable"],
    ["persistentvolumeclaims", "annotations", "strimzi.io/delete-claim"],
    ["pods", "labels", "strimzi.io/cluster"],
    ["jobs.batch", "labels", "cnpg.io/jobRole"],
    ["configmaps", "labels", "strimzi.io/cluster"]
  ] as const) {
    it.effect(`by a database operator's field is tier 2, of ${resource} with ${key}, in every encoding`, () =>
      Effect.gen(function* () {
        const { acme } = yield* Cast
        const asking = { metadata: { name: "web", [field]: { [key]: "true" } } }
        const empty = { metadata: { [field]: { [key]: "" } } }
        const pointer = `/metadata/${field}/${key.replace("/", "~1")}`
        const number = field === "labels" ? 11 : 12
        const entry = bytesField(number, Buffer.concat([bytesField(1, key), bytesField(2, "true")]))
        const inBinary = envelope("Pod", bytesField(1, Buffer.concat([bytesField(1, "web"), entry])))
        const attempts = [
          ...(resource === "configmaps" ? [] : [write("POST", json, asking), write("POST", binary, inBinary)]),
          write("PUT", binary, inBinary),
          write("PATCH", "application/merge-patch+json", empty),
          write("PATCH", jsonPatch, [{ op: "copy", from: "/metadata/finalizers", path: `/metadata/${field}` }]),
          ...changesWith(asking, pointer, "true")
        ]
        for (const attempt of attempts) {
          const answer = yield* refused(resource, attempt, "tier_too_low")
          assert.include(jsonOf(answer).message, `metadata.${field}`)
        }
        yield* arrives(resource, write("PATCH", "application/merge-patch+json", asking), acme.tokens[2])
        const other = { "strimzi.io.example/cluster": "true", "app.kubernetes.io/name": "strimzi.io", [key]: null }
        yield* arrives(resource, write("PATCH", "application/merge-patch+json", { metadata: { [field]: other } }))
        yield* arrives(resource, write("PATCH", jsonPatch, [{ op: "remove", path: pointer }]))
      })
    )
  }

  it.effect("by a database operator's owner reference is tier 2; a restart of its pod is not", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const madeBy = (apiVersion: string, kind: string) => ({
        metadata: { name: "web", ownerReferences: [{ apiVersion, kind, name: "orders", uid: owners[0]?.uid }] }
      })
      for (const resource of ["jobs.batch", "pods", "persistentvolumeclaims"]) {
        for (const [apiVersion, kind] of [
          ["postgresql.cnpg.io/v1", "Cluster"],
          ["core.strimzi.io/v1beta2", "StrimziPodSet"]
        ] as const) {
          const object = madeBy(apiVersion, kind)
          const owner = bytesField(13, Buffer.concat([bytesField(1, kind), bytesField(5, apiVersion)]))
          for (const attempt of [
            write("POST", json, object),
            write("POST", "application/yaml", object),
            write("POST", binary, envelope("Job", bytesField(1, owner)))
          ]) {
            yield* refused(resource, attempt, "tier_too_low")
          }
          yield* arrives(resource, write("POST", json, object), acme.tokens[2])
        }
        yield* arrives(resource, write("POST", json, madeBy("batch/v1", "CronJob")))
      }
      const restart = { metadata: { annotations: { "strimzi.io/manual-rolling-update": "true" } } }
      yield* arrives("pods", write("PATCH", "application/merge-patch+json", restart))
    })
  )

  const templated = [
    ["statefulsets.apps", "/spec/volumeClaimTemplates/0", 4, "spec.volumeClaimTemplates[]"],
    ["cronjobs.batch", "/spec/jobTemplate", 5, "spec.jobTemplate"]
  ] as const
  for (const [resource, pointer, number, told] of templated) {
    const templates = (metadata: object) =>
      resource === "cronjobs.batch"
        ? { metadata: { name: "web" }, spec: { jobTemplate: { metadata } } }
        : { metadata: { name: "web" }, spec: { volumeClaimTemplates: [{ metadata: { name: "logs" } }, { metadata }] } }
    const inBinary = (metadata: Buffer) =>
      envelope("Any", named, bytesField(2, bytesField(number, bytesField(1, metadata))))
    const entryOf = (key: string) => Buffer.concat([bytesField(1, key), bytesField(2, "true")])

    for (const [field, key, fieldNumber] of [
      ["labels", "cnpg.io/cluster", 11],
      ["annotations", "strimzi.io/delete-claim", 12]
    ] as const) {
      it.effect(`by a database's operator is tier 2 where a template of ${resource} has its ${field}`, () =>
        Effect.gen(function* () {
          const { acme } = yield* Cast
          const asking = templates({ name: "data", [field]: { [key]: "true" } })
          const escaped = `${pointer}/metadata/${field}/${key.replace("/", "~1")}`
          const attempts = [
            write("POST", json, asking),
            write("POST", "application/yaml", asking),
            write("POST", binary, inBinary(bytesField(fieldNumber, entryOf(key)))),
            write("PUT", binary, inBinary(bytesField(fieldNumber, entryOf(key)))),
            write("PATCH", jsonPatch, [{ op: "copy", from: "/metadata/labels", path: `${pointer}/metadata/${field}` }]),
            ...changesWith(asking, escaped, "true")
          ]
          for (const attempt of attempts) {
            const answer = yield* refused(resource, attempt, "tier_too_low")
            assert.include(jsonOf(answer).message, `${told}.metadata.${field}`)
          }
          yield* arrives(resource, write("POST", json, asking), acme.tokens[2])
          const plain = templates({ name: "data", labels: { app: "web" }, annotations: { note: key } })
          for (const method of ["POST", "PUT"] as const) {
            yield* arrives(resource, write(method, json, plain))
            yield* arrives(resource, write(method, binary, inBinary(bytesField(fieldNumber, entryOf("app")))))
          }
          yield* arrives(resource, write("PATCH", "application/merge-patch+json", plain))
          yield* arrives(resource, write("PATCH", jsonPatch, [{ op: "remove", path: escaped }]))
        })
      )
    }
  }

  it.effect("for a missing owner is tier 2 in a template of claims; a Job's template may name some", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const sets = "statefulsets.apps"
      const orphans = {
        metadata: { name: "web" },
        spec: { volumeClaimTemplates: [{ metadata: { ownerReferences: owners } }] }
      }
      const owner = bytesField(13, bytesField(3, "gone"))
      for (const attempt of [
        write("POST", json, orphans),
        write("POST", binary, envelope("StatefulSet", named, bytesField(2, bytesField(4, bytesField(1, owner))))),
        ...changesWith(orphans, "/spec/volumeClaimTemplates/0/metadata/ownerReferences", owners)
      ]) {
        const answer = yield* refused(sets, attempt, "tier_too_low")
        assert.include(jsonOf(answer).message, "spec.volumeClaimTemplates[].metadata.ownerReferences")
      }
      yield* arrives(sets, write("POST", json, orphans), acme.tokens[2])
      const unowned = { spec: { volumeClaimTemplates: [{ metadata: { ownerReferences: [] } }] } }
      yield* arrives(sets, write("POST", json, unowned))
      // The controller takes labels and annotations of a Job's template, and is the only owner itself.
      const job = { spec: { jobTemplate: { metadata: { ownerReferences: owners } } } }
      yield* arrives("cronjobs.batch", write("POST", json, job))
    })
  )

  it.effect("existing volume claims, by a StatefulSet without an owner, is tier 2", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const sets = "statefulsets.apps"
      const spec = { persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete", whenScaled: "Retain" } }
      const orphan = { ...owned, spec }
      for (const attempt of [
        write("POST", json, orphan),
        write("POST", "application/yaml", orphan),
        // The policy may follow with a patch, before the collector comes.
        write("POST", json, owned),
        write("POST", binary, ownedInBinary)
      ]) {
        yield* refused(sets, attempt, "tier_too_low")
      }
      yield* arrives(sets, write("POST", json, orphan), acme.tokens[2])
      // Whoever deletes it needs tier 2 then.
      yield* arrives(sets, write("POST", json, { metadata: { name: "web" }, spec }))
      yield* arrives(sets, write("PATCH", "application/merge-patch+json", { spec }))
    })
  )

  it.effect("volume claims, when a StatefulSet is scaled down, is tier 2, in every encoding", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const sets = "statefulsets.apps"
      const attempts = [
        write("POST", json, scaled),
        write("POST", binary, scaledInBinary),
        write("PUT", binary, scaledInBinary),
        ...changesWith(scaled, scaledPointer, "Delete")
      ]
      for (const attempt of attempts) yield* refused(sets, attempt, "tier_too_low")
      yield* arrives(sets, write("POST", json, scaled), acme.tokens[2])
      const kept = { persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete", whenScaled: "Retain" } }
      yield* arrives(sets, write("POST", json, { metadata: { name: "web" }, spec: kept }))
      yield* arrives(sets, write("PATCH", "application/merge-patch+json", { spec: { replicas: 0 } }))
      yield* arrives(sets, write("PATCH", jsonPatch, [{ op: "replace", path: "/spec/replicas", value: 0 }]))
      // The same number is the name of a node, and no message, in other kinds.
      const pod = envelope("Pod", named, bytesField(2, bytesField(10, "node-1")))
      yield* arrives("pods", write("PUT", binary, pod))
    })
  )

  it.effect("is refused with the needed tier and the field", () =>
    Effect.gen(function* () {
      const tiers = "Tiers: 0 read-only, 1 operate (writes), 2 destructive (deletes)."
      const told = (what: string) =>
        `Insufficient credential tier: ${what} requires tier 2, the caller's credential is tier 1. ${tiers}`
      const one = yield* send("pods", write("PATCH", "application/merge-patch+json", owned))
      assert.strictEqual(jsonOf(one).message, told("PATCH of pods with metadata.ownerReferences"))
      const other = yield* send("statefulsets.apps", write("POST", json, scaled))
      const field = "spec.persistentVolumeClaimRetentionPolicy.whenScaled"
      assert.strictEqual(jsonOf(other).message, told(`POST of statefulsets with ${field}`))
    })
  )
})

layer(Clustered, live)("an autoscaler", (it) => {
  const scalers = "horizontalpodautoscalers.autoscaling"
  const scaler = (scaleTargetRef: object) => ({
    metadata: { name: "web" },
    spec: { minReplicas: 1, maxReplicas: 1, scaleTargetRef }
  })
  const target = (kind: string, apiVersion: string) => ({ apiVersion, kind, name: "db" })
  const inBinary = (kind: string, apiVersion: string) =>
    envelope(
      "HorizontalPodAutoscaler",
      named,
      bytesField(2, bytesField(1, Buffer.concat([bytesField(1, kind), bytesField(3, apiVersion)])))
    )
  const foreign = [
    ["Cluster", "postgresql.cnpg.io/v1"],
    ["KafkaNodePool", "kafka.strimzi.io/v1"],
    ["Deployment", "kafka.strimzi.io/v1"],
    ["Cluster", "apps/v1"]
  ] as const
  const own = [
    ["Deployment", "apps/v1"],
    ["StatefulSet", "apps/v1"],
    ["ReplicaSet", "apps/v1"],
    ["ReplicationController", "v1"]
  ] as const

  it.effect("of a managed database, or of a kind closed to tenants, is refused in every encoding", () =>
    Effect.gen(function* () {
      for (const [kind, apiVersion] of foreign) {
        const reference = target(kind, apiVersion)
        const object = scaler(reference)
        for (const attempt of [
          write("POST", json, object),
          ...changesWith(object, "/spec/scaleTargetRef", reference),
          write("POST", binary, inBinary(kind, apiVersion)),
          write("PUT", binary, inBinary(kind, apiVersion))
        ]) {
          yield* refused(scalers, attempt, "cluster_kind_refused")
        }
      }
      const fields = [
        write("PATCH", "application/merge-patch+json", { spec: { scaleTargetRef: { kind: "Cluster" } } }),
        write("PATCH", jsonPatch, [{ op: "replace", path: "/spec/scaleTargetRef/apiVersion", value: "a.b/v1" }]),
        write("PATCH", jsonPatch, [{ op: "copy", from: "/metadata/name", path: "/spec/scaleTargetRef/kind" }])
      ]
      for (const attempt of fields) {
        const answer = yield* refused(scalers, attempt, "cluster_kind_refused")
        assert.strictEqual(
          jsonOf(answer).message,
          "Writing horizontalpodautoscalers.autoscaling is refused: an autoscaler scales a Deployment, ReplicaSet, " +
            "StatefulSet or ReplicationController; managed databases are made and changed under /v1/databases"
        )
      }
    })
  )

  it.effect("of the tenant's own workloads is created and changed in every encoding", () =>
    Effect.gen(function* () {
      const tap = yield* ClusterTap
      yield* tap.script((from, to) => void from.resume().once("end", () => to.end("arrived")))
      for (const [kind, apiVersion] of own) {
        const object = scaler(target(kind, apiVersion))
        for (const attempt of [
          write("POST", json, object),
          write("PUT", json, object),
          write("PATCH", applyType, object),
          write("PATCH", "application/merge-patch+json", { spec: { maxReplicas: 4 } }),
          write("PATCH", jsonPatch, [{ op: "replace", path: "/spec/maxReplicas", value: 4 }]),
          write("POST", binary, inBinary(kind, apiVersion))
        ]) {
          const answer = yield* send(scalers, attempt)
          assert.strictEqual(answer.status, 200, answer.text)
        }
      }
      yield* tap.script()
    })
  )
})

layer(Clustered, live)("a NetworkPolicy", (it) => {
  const policies = "networkpolicies.networking.k8s.io"
  const policy = (spec: object) => ({ metadata: { name: "mine" }, spec: { podSelector: {}, ...spec } })
  const out = [{}]

  it.effect("with egress is refused in every encoding", () =>
    Effect.gen(function* () {
      for (const attempt of [
        write("POST", json, policy({ egress: out })),
        write("PUT", json, policy({ policyTypes: ["Egress"], egress: out })),
        write("PATCH", "application/merge-patch+json", { spec: { egress: out } }),
        write("PATCH", "application/strategic-merge-patch+json", { spec: { egress: out } }),
        write("PATCH", jsonPatch, [{ op: "add", path: "/spec/egress", value: out }]),
        write("PATCH", jsonPatch, [{ op: "add", path: "/spec/egress/0", value: {} }]),
        write("PATCH", jsonPatch, [{ op: "copy", from: "/spec/ingress", path: "/spec/egress" }]),
        write("PATCH", applyType, policy({ egress: out })),
        write("POST", binary, envelope("NetworkPolicy", bytesField(2, bytesField(3, ""))))
      ]) {
        yield* refused(policies, attempt, "cluster_egress_refused", "mine")
      }
    })
  )

  it.effect("for ingress can be created, changed and deleted by the tenant", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { all, one } = at(`db-${acme.projectId}`, policies, "mine")
      const from = [{ namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "partner" } } }]
      const made = yield* cluster("POST", all, { body: policy({ policyTypes: ["Ingress"], ingress: [{ from }] }) })
      assert.strictEqual(made.status, 201, made.text)
      assert.strictEqual(
        (yield* cluster("PATCH", one, { body: { spec: { ingress: [] } }, headers: merge })).status,
        200
      )
      assert.strictEqual((yield* cluster("DELETE", one)).status, 200)
    })
  )

  it.effect("of the platform can be read, and not changed or deleted, alone or with all", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const tap = yield* ClusterTap
      const { all, one } = at(`db-${acme.projectId}`, policies, "tenant-default")
      yield* cluster("POST", `${yield* home}/configmaps`, { body: { metadata: { name: "first" } } })
      assert.strictEqual((yield* cluster("GET", one)).status, 200)
      yield* tap.forget
      for (const [method, path] of [
        ["PUT", one],
        ["PATCH", one],
        ["DELETE", one],
        ["DELETE", all],
        ["DELETE", `${all}?fieldSelector=metadata.name%3Dmine`]
      ] as const) {
        const body = method === "DELETE" ? undefined : {}
        const answer = yield* cluster(method, path, { body, ...(method === "PATCH" ? { headers: merge } : {}) })
        assert.deepStrictEqual(
          [answer.status, jsonOf(answer).details.causes[0].reason],
          [403, "cluster_limits_refused"]
        )
      }
      assert.deepStrictEqual(yield* tap.seen, [])
    })
  )
})

layer(Clustered, live)("a Secret that the cluster would fill with a token", (it) => {
  const type = "kubernetes.io/service-account-token"
  const note = "kubernetes.io/service-account.name"
  const meta = { name: "mine", annotations: { [note]: "default" } }

  it.effect("is refused in every way of creation", () =>
    Effect.gen(function* () {
      const metadata = bytesField(
        1,
        Buffer.concat([bytesField(1, "mine"), bytesField(12, Buffer.concat([bytesField(1, note), bytesField(2, "x")]))])
      )
      for (const attempt of [
        write("POST", json, { metadata: { generateName: "x-" }, type }),
        write("POST", json, { metadata: meta }),
        write("POST", "application/yaml", `metadata: {name: mine}\ntype: ${type}\n`),
        write("POST", binary, envelope("Secret", bytesField(1, bytesField(1, "mine")), bytesField(3, type))),
        write("POST", binary, envelope("Secret", metadata)),
        write("PUT", json, { metadata: meta, type: "Opaque" }),
        write("PATCH", applyType, { metadata: meta, type }),
        write("PATCH", applyType, { metadata: { name: "mine" }, type }),
        write("PATCH", "application/merge-patch+json", { metadata: { annotations: { [note]: "default" } } }),
        write("PATCH", jsonPatch, [
          { op: "add", path: "/metadata/annotations/kubernetes.io~1service-account.name", value: "default" }
        ]),
        write("PATCH", jsonPatch, [{ op: "add", path: "/type", value: type }]),
        write("PATCH", jsonPatch, [{ op: "copy", from: "/data/x", path: "/type" }])
      ]) {
        yield* refused("secrets", attempt, "cluster_token_refused", "mine")
      }
    })
  )

  it.effect("is the only refused type: others are created, changed and deleted", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { all, one } = at(`db-${acme.projectId}`, "secrets", "mine")
      const body = { metadata: { name: "mine", annotations: { a: type } }, type: "Opaque", stringData: { a: type } }
      assert.strictEqual((yield* cluster("POST", all, { body })).status, 201)
      const tls = { metadata: { name: "tls" }, type: "kubernetes.io/tls", data: { "tls.crt": "", "tls.key": "" } }
      assert.strictEqual((yield* cluster("POST", all, { body: tls })).status, 201)
      const changed = yield* cluster("PATCH", one, { body: { stringData: { b: "c" } }, headers: merge })
      assert.strictEqual(changed.status, 200, changed.text)
      assert.strictEqual((yield* cluster("DELETE", one)).status, 200)
    })
  )
})

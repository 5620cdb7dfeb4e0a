import { assert, layer } from "@effect/vitest"
import type { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { knownOperations } from "@portico/agent/answers/operations"
import { codes } from "@portico/agent/answers/advice"
import { applyTool } from "@portico/agent/plans/answers"
import { nameOf } from "@portico/agent/tools/operations"
import { areas } from "@portico/contract/areas"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { isEverything, sampled } from "@portico/testing/sample/sampled"
import { Memory } from "@portico/testing/store/Memory"
import { Context, Effect, Layer } from "effect"
import { connected } from "../harness/agents.ts"
import { Cast, mint, operator } from "../harness/Cast.ts"
import { jsonOf, TestGateway } from "../harness/TestGateway.ts"
import { successes } from "../routes/successes.ts"
import { foundIn, secretsOf } from "./secretsOf.ts"

/** What the tenant has that nobody but people and scripts may read. */
class Seeded extends Context.Service<
  Seeded,
  {
    /** Grows with every secret that a call mints. */
    readonly secrets: Set<string>
    /** Below the services: where a tool for a catch-all looks. */
    readonly paths: ReadonlyArray<string>
    readonly password: string
  }
>()("portico/gateway/test/agent/Seeded") {
  static readonly layer = Layer.effect(
    Seeded,
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { call } = yield* TestGateway
      const secrets = new Set<string>()
      const made = Effect.fnUntraced(function* (path: string, body: object) {
        const answer = yield* call("customer", "POST", path, { token: acme.tokens[2], body })
        if (answer.status >= 300) return yield* Effect.die(`${path}: ${answer.text}`)
        const value = jsonOf(answer)
        for (const secret of secretsOf(value)) secrets.add(secret)
        return value
      })
      yield* call("operator", "POST", `/v1/tenants/${acme.projectId}/tier`, {
        token: operator,
        body: { tier: "extension" }
      })
      const namespace = `db-${acme.projectId}`
      const password = "a-password-that-only-the-application-knows"
      const payload = "payload of the key manager"
      yield* made("/v1/databases", { engine: "postgres", name: "seeded", version: "17", size_gb: 1 })
      yield* made(`/v1/kubernetes/api/v1/namespaces/${namespace}/secrets`, {
        metadata: { name: "seeded" },
        data: { password: Buffer.from(password).toString("base64") }
      })
      const kept = { name: "seeded", payload, payload_content_type: "text/plain" }
      const { secret_ref } = yield* made("/v1/iaas/key-manager/v1/secrets", kept)
      yield* made("/v1/object-storage/buckets", { name: "seeded" })
      yield* made("/v1/object-storage/credentials/rotate", {})
      yield* made("/v1/webhooks", { url: "http://127.0.0.1:1/" })
      yield* made("/v1/integrations", { kind: "slack", name: "seeded", url: "http://127.0.0.1:1/services/slack-path" })
      yield* made("/v1/integrations", {
        kind: "generic",
        name: "headed",
        url: "http://127.0.0.1:1/generic-path",
        headers: [{ name: "x-key", value: "value-of-a-header" }]
      })
      yield* made("/v1/credentials", { kind: "api-key", tier: 2, label: "seeded" })
      const image = { name: "seeded", container_format: "bare", disk_format: "raw" }
      const { id: imageRef } = yield* made("/v1/iaas/image/images", image)
      yield* call("customer", "PUT", `/v1/iaas/image/images/${imageRef}/file`, {
        token: acme.tokens[2],
        body: "disk",
        headers: { "content-type": "application/octet-stream" }
      })
      const flavorRef = yield* first("compute/flavors", "flavors")
      const { server } = yield* made("/v1/iaas/compute/servers", {
        server: { name: "seeded", imageRef, flavorRef, networks: [{ uuid: acme.networkId }] }
      })
      for (const one of [password, payload, "slack-path", "generic-path", "value-of-a-header"]) secrets.add(one)
      const secret = String(secret_ref).split("/").at(-1)
      const paths = [
        `v1/secrets`,
        `v1/secrets/${secret}`,
        ...[
          "payload",
          "payload/",
          "payload?x=1",
          "Payload",
          "%70ayload",
          "payload.json",
          "payload?accept=text/plain"
        ].map((_) => `v1/secrets/${secret}/${_}`),
        `v1/secrets/${secret}?payload`,
        `v1/secrets/${secret}/`,
        `v1/secrets/${secret}/metadata`,
        `v1/orders`,
        `v1/containers`,
        `api/v1/secrets`,
        `api/v1/namespaces/${namespace}/secrets`,
        `api/v1/namespaces/${namespace}/secrets/`,
        `api/v1/namespaces/${namespace}/secrets?limit=1`,
        `api/v1/namespaces/${namespace}/secrets/seeded`,
        `api/v1/namespaces/${namespace}/secrets/seeded?fieldManager=x`,
        `api/v1/namespaces/${namespace}/secrets/seeded/status`,
        `api/v1/namespaces/${namespace}/configmaps`,
        `api/v1/namespaces/${namespace}/events`,
        `apis/postgresql.cnpg.io/v1/namespaces/${namespace}/clusters`,
        `servers/detail`,
        `servers/${server.id}`,
        `servers/${server.id}/os-server-password`,
        `servers/${server.id}/remote-consoles`,
        `servers/${server.id}/action`,
        `os-keypairs`,
        `users`,
        `credentials`,
        `auth/tokens`,
        `projects/${acme.projectId}`,
        `networks`,
        `volumes/detail`,
        `images`,
        `zones`,
        `tsigkeys`
      ]
      return Seeded.of({ secrets, paths, password })
    })
  )
}

const first = Effect.fnUntraced(function* (path: string, field: string) {
  const { acme } = yield* Cast
  const answer = yield* (yield* TestGateway).call("customer", "GET", `/v1/iaas/${path}`, { token: acme.tokens[2] })
  return String(jsonOf(answer)[field][0].id)
})

/** Every secret that exists by now: of the tenant, of others, of the platform and of the gateway. */
const existing = Effect.gen(function* () {
  const { world } = yield* SimulatedCloud
  const { secrets } = yield* Seeded
  // The log is long, and what is written there of a secret stands in another table so far: a run of everything sees to it.
  const { events, ...tables } = yield* Memory
  const searched = isEverything ? { ...tables, events } : tables
  const all = new Set([...secrets, ...Object.keys(world.keystone.tokens), ...secretsOf(searched)])
  return secretsOf(world, all)
})

type Given = Readonly<Record<string, unknown>>

/** The arguments of a tool that make a route succeed: its path parameters, its query and its body. */
const argumentsFor = (template: string, { body, path }: { readonly path: string; readonly body?: unknown }): Given => {
  const [pathname = "", search = ""] = path.split("?")
  const segments = pathname.split("/")
  const parameters = template
    .split("/")
    .flatMap((_, at) => (_.startsWith(":") ? [[_.slice(1), decodeURIComponent(segments[at] ?? "")]] : []))
  const fields = typeof body === "object" && body !== null && !Array.isArray(body) ? body : {}
  return { ...Object.fromEntries(parameters), ...Object.fromEntries(new URLSearchParams(search)), ...fields }
}

const answerTo = (client: Client, name: string, given: Given) =>
  Effect.promise(() => client.callTool({ name, arguments: { ...given } }))

/** What a tool that writes sends to a path: to servers, acts that ask for an address or the output of a console. */
const writesTo = (path: string): ReadonlyArray<Given> => [
  { method: "POST", body: {} },
  ...(path.endsWith("/action")
    ? [
        { method: "POST", body: { "os-getVNCConsole": { type: "novnc" } } },
        { method: "POST", body: { "os-getConsoleOutput": {} } }
      ]
    : []),
  ...(path.endsWith("/remote-consoles")
    ? [{ method: "POST", body: { remote_console: { protocol: "vnc", type: "novnc" } } }]
    : [])
]

/** How the paths begin below which a service has secrets, by the name of its tools. */
const roots: Readonly<Record<string, string>> = { key_manager: "v1/", kubernetes: "api", compute: "servers" }

/** Calls every tool in every plausible way: what was found where, and how many calls succeeded. */
const scanned = Effect.fnUntraced(function* (client: Client, who: string) {
  const { paths, secrets } = yield* Seeded
  // A stream has no end; what it sends is what the list of events has.
  const tools = (yield* Effect.promise(() => client.listTools())).tools.filter((_) => _.name !== "events_tail")
  const operations = new Map([...knownOperations.values()].map((_) => [nameOf(_.id), _]))
  const leaks: Array<string> = []
  let succeeded = 0
  const look: (name: string, given: Given) => Effect.Effect<void, never, Seeded | SimulatedCloud | Memory> =
    Effect.fnUntraced(function* (name, given) {
      // What this very call mints is not among them.
      const before = yield* existing
      const answer = yield* answerTo(client, name, given)
      const found = foundIn(JSON.stringify(answer), before)
      // A call may be answered with what it was given.
      const sent = JSON.stringify(given)
      for (const secret of found) if (!sent.includes(secret)) leaks.push(`${name} ${sent}: ${secret}`)
      if (answer.isError !== true) succeeded += 1
      for (const secret of secretsOf(answer.structuredContent)) secrets.add(secret)
      // A call that a person confirms is confirmed.
      const { plan_id }: { readonly plan_id?: unknown } = Object(answer.structuredContent)
      if (plan_id !== undefined) yield* look(applyTool, { plan_id })
    })
  for (const { inputSchema, name } of tools) {
    const operation = operations.get(name)
    const row = operation === undefined ? undefined : successes[`${operation.method} ${operation.path}`]
    if (operation !== undefined && row !== undefined) {
      yield* look(name, argumentsFor(operation.path, yield* row.prepare))
      if (row.after !== undefined) yield* row.after
    }
    if ((inputSchema.required ?? []).length === 0) yield* look(name, {})
    if (operation === undefined && "path" in (inputSchema.properties ?? {})) {
      const writes = "method" in (inputSchema.properties ?? {})
      // All of those below which the service has secrets, and some that are another service's.
      const isOwn = (path: string) => path.startsWith(roots[name.replace(/_(read|write)$/, "")] ?? "nothing")
      const others = paths.filter((_) => !isOwn(_))
      for (const path of [...paths.filter(isOwn), ...sampled(`${who} ${name}`, 1, others)]) {
        for (const write of writes ? writesTo(path) : [{}]) yield* look(name, { path, ...write })
      }
    }
  }
  return { leaks, succeeded, tools: tools.map((_) => _.name) }
})

const tokens = Effect.map(
  Cast,
  ({ acme, customerOwner }) =>
    new Map([
      ["an agent of tier 0", acme.tokens[0]],
      ["an agent of tier 1", acme.tokens[1]],
      ["an owner's token", customerOwner]
    ])
)

const Everything = Seeded.layer.pipe(Layer.provideMerge(Cast.layer), Layer.provideMerge(TestGateway.layer))

layer(Everything, { excludeTestServices: true })("answers never contain an existing secret", (it) => {
  it.effect.each([
    { who: "an agent of tier 0", least: 30 },
    { who: "an agent of tier 1", least: 60 },
    { who: "an owner's token", least: 60 }
  ])("of any tool, to $who", ({ least, who }) =>
    Effect.gen(function* () {
      const client = yield* connected((yield* tokens).get(who) ?? "", {}, "?areas=all")
      const { leaks, succeeded } = yield* scanned(client, who)
      assert.deepStrictEqual(leaks, [])
      assert.isAtLeast(succeeded, least)
    }).pipe(Effect.scoped)
  )

  it.effect.each(["an agent of tier 0", "an agent of tier 1", "an owner's token"])(
    "of any resource or prompt, to %s",
    (who) =>
      Effect.gen(function* () {
        const client = yield* connected((yield* tokens).get(who) ?? "")
        const { resources } = yield* Effect.promise(() => client.listResources())
        const { prompts } = yield* Effect.promise(() => client.listPrompts())
        const uris = [
          ...resources.map((_) => _.uri),
          ...areas.map((_) => `portico://areas/${_}`),
          ...codes.map((_) => `portico://errors/${_}`)
        ]
        const secrets = yield* existing
        assert.isAbove(secrets.size, 30)
        for (const uri of uris) {
          const answer = yield* Effect.promise(() => client.readResource({ uri }))
          assert.deepStrictEqual(foundIn(JSON.stringify(answer), secrets), [], uri)
        }
        for (const { arguments: named = [], name } of prompts) {
          const given = Object.fromEntries(named.map((_) => [_.name, "x"]))
          const answer = yield* Effect.promise(() => client.getPrompt({ name, arguments: given }))
          assert.deepStrictEqual(foundIn(JSON.stringify(answer), secrets), [], name)
        }
      }).pipe(Effect.scoped)
  )

  it.effect("and a planted secret is found", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { password } = yield* Seeded
      yield* mint(acme.tokens[2], 0, `label with ${password}`)
      const client = yield* connected(acme.tokens[0])
      const answer = yield* answerTo(client, "credentials_list", {})
      assert.include(foundIn(JSON.stringify(answer), yield* existing), password)
    }).pipe(Effect.scoped)
  )
})

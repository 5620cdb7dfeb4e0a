import type { Whoami } from "@portico/contract/Identity"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import type { DevFile } from "../../src/start/DevFile.ts"
import { ask } from "./harness.ts"

/** The file of the design with every text emptied: its keys, in their order. */
const tenant = { slug: "", project_id: "", tokens: { tier0: "", tier1: "", tier2: "", owner: "" } }
const shape = {
  customer_url: "",
  operator_url: "",
  agent_url: "",
  auth_url: "",
  cloud_url: "",
  s3_url: "",
  cli_client_id: "",
  operator: { token: "" },
  tenants: [tenant, tenant]
}

/** Of the agent plane, for everybody. */
export const metadataOf = (mcpUrl: string) => mcpUrl.replace(/\/mcp$/, "/.well-known/oauth-protected-resource/mcp")

/** The file has the keys of the design and no others, and what it names answers. */
export const isWhole = Effect.fnUntraced(function* (dev: DevFile) {
  const emptied = JSON.stringify(dev, (_, value) => (typeof value === "string" ? "" : value))
  assert.strictEqual(emptied, JSON.stringify(shape))
  assert.deepStrictEqual(
    dev.tenants.map((_) => _.slug),
    ["acme", "globex"]
  )
  for (const url of [
    `${dev.customer_url}/docs`,
    `${dev.operator_url}/docs`,
    metadataOf(dev.agent_url ?? ""),
    `${dev.auth_url}/.well-known/openid-configuration`,
    `${dev.cloud_url}/state`
  ]) {
    const { status } = yield* Effect.promise(() => fetch(url))
    assert.strictEqual(status, 200, url)
  }
})

const whoami = (dev: DevFile, token: string) => ask<Whoami>("GET", `${dev.customer_url}/v1/whoami`, { token })

/** Every token of the file is whose it says it is, and holds its tier. */
export const tokensWork = Effect.fnUntraced(function* (dev: DevFile) {
  for (const { project_id, tokens } of dev.tenants) {
    const held = [
      ["tier0", 0, "customer"],
      ["tier1", 1, "customer"],
      ["tier2", 2, "customer"],
      ["owner", 2, "customer-owner"]
    ] as const
    for (const [name, tier, role] of held) {
      const { body } = yield* whoami(dev, tokens[name])
      assert.deepStrictEqual([name, body.tier, body.roles, body.tenant?.id], [name, tier, [role], project_id])
    }
  }
  const operator = yield* ask<Whoami>("GET", `${dev.operator_url}/v1/whoami`, { token: dev.operator.token })
  assert.isTrue(operator.body.all_projects)
})

/** A deed per tier, tried with each: reading, writing, deleting. */
export const tiersAreHeld = Effect.fnUntraced(function* (dev: DevFile) {
  const tokens = dev.tenants[0]?.tokens
  assert.isDefined(tokens)
  const deeds = [
    ["GET", 0],
    ["POST", 1],
    ["DELETE", 2]
  ] as const
  for (const [method, needed] of deeds) {
    for (const tier of [0, 1, 2] as const) {
      const url = `${dev.customer_url}/v1/iaas/compute/servers/no-such-server/no-such-thing`
      const { body, status } = yield* ask(method, url, { token: tokens![`tier${tier}`] })
      assert.strictEqual(status === 403, tier < needed, `${method} with tier ${tier}: ${status} ${body.detail}`)
    }
  }
})

/** The lines to paste, each with the status that it ends in. */
export const pasted = (banner: string): ReadonlyArray<readonly [string, number]> =>
  banner
    .replaceAll("\\\n", " ")
    .split("\n")
    .filter((_) => _.trim().startsWith("curl "))
    .map((line) => {
      const run = execFileSync("sh", ["-c", `${line} -o /dev/null -w '%{http_code}'`], { encoding: "utf8" })
      return [line, Number(run)] as const
    })

type Things = Readonly<Record<string, ReadonlyArray<{ readonly id: string }>>>

const iaas = <A>(dev: DevFile, method: string, path: string, body?: unknown) =>
  ask<A>(method, `${dev.customer_url}/v1/iaas/${path}`, {
    token: dev.tenants[0]?.tokens.tier1 ?? "",
    ...(body === undefined ? {} : { body })
  })

/** A server of the first tenant, made over the gateway; its id. */
export const createServer = Effect.fnUntraced(function* (dev: DevFile) {
  const images = yield* iaas<Things>(dev, "GET", "image/images")
  const networks = yield* iaas<Things>(dev, "GET", "network/networks?name=acme-net")
  const created = yield* iaas<{ readonly server: { readonly id: string } }>(dev, "POST", "compute/servers", {
    server: {
      name: "web",
      flavorRef: "2",
      imageRef: images.body["images"]?.[0]?.id,
      networks: [{ uuid: networks.body["networks"]?.[0]?.id }]
    }
  })
  assert.strictEqual(created.status, 202, JSON.stringify(created.body))
  return created.body.server?.id ?? ""
})

export const serversOf = (dev: DevFile) =>
  Effect.map(iaas<Things>(dev, "GET", "compute/servers"), (_) => _.body["servers"]?.map((server) => server.id))

interface Person {
  readonly user_id: string
  readonly email: string
}

const asOwner = <A>(dev: DevFile, method: string, path: string) =>
  ask<A>(method, `${dev.customer_url}/v1/org/users${path}`, { token: dev.tenants[0]?.tokens.owner ?? "" })

/** The people of the first tenant. */
export const peopleOf = (dev: DevFile) =>
  Effect.map(asOwner<{ readonly users: ReadonlyArray<Person> }>(dev, "GET", "?limit=200"), ({ body }) =>
    (body.users ?? []).map(({ email, user_id }): Person => ({ email, user_id }))
  )

export const removePerson = Effect.fnUntraced(function* (dev: DevFile, userId: string) {
  const { status } = yield* asOwner(dev, "DELETE", `/${userId}`)
  assert.strictEqual(status, 200)
})

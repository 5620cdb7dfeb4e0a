import { assert, it, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import type { Tenant } from "../harness/Cast.ts"
import { jsonOf, TestGateway } from "../harness/TestGateway.ts"
import { polled } from "../real/Administrator.ts"
import { guest, unique } from "../real/Guests.ts"
import { type Ended, isInstalled, type Key, OpenstackClient } from "./OpenstackClient.ts"
import { realCloudWith } from "../real/RealGateway.ts"
import { told } from "../real/told.ts"

/** A tenant with a key of each tier. */
class Acme extends Context.Service<Acme, { readonly tenant: Tenant; readonly keys: readonly [Key, Key, Key] }>()(
  "portico/gateway/test/real/openstack/Acme"
) {
  static readonly layer = Layer.effect(
    Acme,
    Effect.gen(function* () {
      const tenant = yield* guest("stock")
      const { call } = yield* TestGateway
      const mint = Effect.fnUntraced(function* (tier: number) {
        const body = { kind: "api-key", tier, label: `stock ${tier}` }
        const { client_id, client_secret, pat } = jsonOf(
          yield* call("customer", "POST", "/v1/credentials", { token: tenant.tokens[2], body })
        )
        return { client_id, client_secret, pat } satisfies Key
      })
      return { tenant, keys: [yield* mint(0), yield* mint(1), yield* mint(2)] }
    })
  )
}

const Stage = Layer.merge(Acme.layer, OpenstackClient.layer).pipe(
  Layer.provideMerge(realCloudWith(Effect.succeed({ OPENSTACK_COMPATIBILITY: "true" })))
)

/** Something that a tenant has, and how `openstack` makes it. */
interface Kind {
  /** Its command: `server`. */
  readonly command: string
  /** How the tier-2 key logs in. */
  readonly cloud: "by-key" | "by-token"
  /** What follows `create`, but for the name. */
  readonly create: (tenant: Tenant) => ReadonlyArray<string>
  /** Without a name it is known by its id alone. */
  readonly nameless?: true
  /** Before it is that, it cannot be removed. */
  readonly rests?: string
}

const kinds: ReadonlyArray<Kind> = [
  { command: "network", cloud: "by-token", create: () => [] },
  { command: "security group", cloud: "by-key", create: () => ["--description", "of a stock client"] },
  {
    command: "floating ip",
    cloud: "by-token",
    create: () => [told("REAL_CLOUD_EXTERNAL_NETWORK")],
    nameless: true
  },
  { command: "volume", cloud: "by-key", create: () => ["--size", "1"], rests: "available" },
  {
    command: "image",
    cloud: "by-token",
    // Any file is an image to Glance.
    create: () => ["--disk-format", "raw", "--container-format", "bare", "--file", import.meta.filename]
  },
  {
    command: "server",
    cloud: "by-key",
    create: ({ networkId }) => [
      "--flavor",
      told("REAL_CLOUD_FLAVOR"),
      "--image",
      told("REAL_CLOUD_IMAGE"),
      "--network",
      networkId,
      "--wait"
    ]
  }
]

const tooLow = (method: string, needed: number, held: number): string =>
  `Insufficient credential tier: ${method} requires tier ${needed}, the caller's credential is tier ${held}. ` +
  "Tiers: 0 read-only, 1 operate (writes), 2 destructive (deletes)."

/** It ended badly, and said so in these words. */
const refusedWith = ({ code, stderr, stdout }: Ended, words: string): void => {
  assert.notStrictEqual(code, 0, stdout)
  assert.include(stderr, words)
}

/** Keys of its output are spelled `ID` in lists and `id` elsewhere. */
interface Row {
  readonly ID: string
}

if (isInstalled) {
  layer(Stage, { excludeTestServices: true })(
    "the program openstack, with the clouds.yaml of the documentation",
    (it) => {
      for (const { cloud, command, create, nameless, rests } of kinds) {
        it.effect(`${command}: created, listed, shown and removed at tier 2, and refused below`, () =>
          Effect.gen(function* () {
            const { keys, tenant } = yield* Acme
            const client = yield* OpenstackClient
            const words = command.split(" ")
            const name = unique("stock")
            const making = [...words, "create", ...create(tenant), ...(nameless === true ? [] : [name])]

            const made = yield* client.read(keys[2], cloud, ...making)
            const id = String(made.id)
            const [listed, shown, unmade, unremoved] = yield* Effect.all(
              [
                client.read(keys[2], cloud, ...words, "list"),
                client.read(keys[0], cloud, ...words, "show", id),
                client.run(keys[0], cloud, ...making),
                client.run(keys[1], cloud, ...words, "delete", id)
              ],
              { concurrency: 3 }
            )
            assert.include(
              listed.map((_: Row) => _.ID),
              id
            )
            assert.strictEqual(shown.id, id)
            if (nameless !== true) assert.strictEqual(shown.name, name)
            refusedWith(unmade, tooLow("POST", 1, 0))
            refusedWith(unremoved, tooLow("DELETE", 2, 1))

            if (rests !== undefined) {
              const state = client.read(keys[2], cloud, ...words, "show", id)
              yield* polled(state, ({ status }) => status === rests)
            }
            const removed = yield* client.run(keys[2], cloud, ...words, "delete", id)
            assert.deepStrictEqual([removed.code, removed.stdout, removed.stderr], [0, "", ""])
          })
        )
      }

      it.effect("every service of the catalog is reached through the gateway, with its own microversions", () =>
        Effect.gen(function* () {
          const { keys } = yield* Acme
          const { url } = yield* TestGateway
          const rows: ReadonlyArray<Readonly<Record<string, string | null>>> = yield* (yield* OpenstackClient).read(
            keys[0],
            "by-key",
            "versions",
            "show"
          )
          for (const { Endpoint } of rows)
            assert.isTrue(Endpoint?.startsWith(`${url.customer}/openstack/`), `${Endpoint}`)
          assert.sameMembers(
            [...new Set(rows.map((_) => _["Service Type"]))],
            ["identity", "compute", "network", "block-storage", "image", "dns", "load-balancer", "key-manager"]
          )
          const highest = (service: string) =>
            rows.find((_) => _["Service Type"] === service && _["Status"] === "CURRENT")?.["Max Microversion"] ?? ""
          assert.match(highest("compute"), /^2\.\d\d$/)
          assert.match(highest("block-storage"), /^3\.\d\d$/)
        })
      )

      it.effect("the client prints the contract's detail of a refusal", () =>
        Effect.gen(function* () {
          const { keys } = yield* Acme
          const client = yield* OpenstackClient
          const [, , all] = keys
          const rows: ReadonlyArray<readonly [key: Key, cloud: string, args: string, words: string]> = [
            [{ ...all, client_secret: "guess" }, "by-key", "token issue", "The application credential is not accepted"],
            [{ ...all, client_id: "other", pat: "guess" }, "by-token", "token issue", "Token is not active (HTTP 401)"],
            [all, "by-key", "user list", "Of the identity service, tenants can read their own project"],
            [
              all,
              "by-token",
              "--os-project-id 00000000000000000000000000000000 network list",
              "A token is scoped to the credential's own project"
            ],
            [
              all,
              "by-key",
              "security group rule create --protocol tcp --dst-port 22 default",
              "The rule opens SSH (port 22) to every address"
            ]
          ]
          yield* Effect.forEach(
            rows,
            ([key, cloud, args, words]) =>
              Effect.map(client.run(key, cloud, ...args.split(" ")), ({ code, stderr, stdout }) => {
                assert.include(stderr, words, `${args}: ${code} ${stdout}`)
              }),
            { concurrency: 3, discard: true }
          )
        })
      )
    }
  )
} else {
  it.skip("NOTHING RAN: openstack is not installed here; apt-get install python3-openstackclient", () => {})
}

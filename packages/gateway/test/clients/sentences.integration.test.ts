import { assert, it as plain, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Cast } from "../harness/Cast.ts"
import { TestGateway } from "../harness/TestGateway.ts"
import { folder } from "../parts/parts.ts"
import { ran, title, isHere } from "./clients.ts"
import { Stage, tooLow } from "./stage.ts"

/** Of each service a command of the stock client, which a credential of tier 0 may not do, and what it is told. */
const commands: Readonly<Record<string, readonly [command: string, sentence: string]>> = {
  identity: ["user list", "Of the identity service, tenants can read their own project, its tags, and the regions"],
  compute: ["keypair create sentences", tooLow("POST", 1, 0)],
  network: ["network create sentences", tooLow("POST", 1, 0)],
  volume: ["volume create --size 1 sentences", tooLow("POST", 1, 0)],
  image: ["image create sentences", tooLow("POST", 1, 0)],
  "key-manager": ["secret store --name sentences --payload x", tooLow("POST", 1, 0)],
  dns: ["zone create --email admin@sentences.example sentences.example.", tooLow("POST", 1, 0)],
  "load-balancer": ["loadbalancer create --name sentences --vip-network-id NETWORK", tooLow("POST", 1, 0)]
}

if (isHere) {
  layer(Stage, { excludeTestServices: true })("openstack, with its plugins", (it) => {
    for (const [service, [command, sentence]] of Object.entries(commands)) {
      it.effect(`prints the gateway's sentence of a refusal below ${service}`, () =>
        Effect.gen(function* () {
          const { acme } = yield* Cast
          const { url } = yield* TestGateway
          const { path } = yield* folder
          const { code, stderr } = yield* ran(
            path,
            ["openstack", ...command.replace("NETWORK", acme.networkId).split(" ")],
            {
              OS_AUTH_TYPE: "v3token",
              OS_AUTH_URL: `${url.customer}/openstack/identity`,
              OS_TOKEN: acme.tokens[0],
              OS_REGION_NAME: "RegionOne"
            }
          )
          assert.strictEqual(code, 1, stderr)
          assert.include(stderr.replaceAll(/\s+/g, " "), sentence)
        }).pipe(Effect.scoped)
      )
    }
  })
} else {
  plain.skip(title("openstack and its plugins print the gateway's sentences"), () => {})
}

import { assert, it as plain, layer } from "@effect/vitest"
import { Effect } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { machine } from "../../../cli/test/setup/Machine.ts"
import { Cast, tenant } from "../harness/Cast.ts"
import { jsonOf, TestGateway } from "../harness/TestGateway.ts"
import { named } from "../parts/parts.ts"
import { ranAlone } from "./clients.ts"
import { hasOpentofu, opentofu } from "./goClients.ts"
import { blockIn, Stage, storyOf, tooLow, versionsOnPage } from "./stage.ts"

/** A home in which `portico setup terraform` has run, and the configuration of the page; no registry is asked. */
const workplace = Effect.fnUntraced(function* (token: string, routerId: string, configuration: string) {
  const { url } = yield* TestGateway
  const made = yield* machine({
    PORTICO_URL: url.customer,
    PORTICO_TOKEN: token,
    TF_CLI_CONFIG_FILE: "tofu.rc",
    TF_IN_AUTOMATION: "true",
    TF_VAR_router_id: routerId,
    CHECKPOINT_DISABLE: "true"
  })
  made.write(
    "tofu.rc",
    `provider_installation {\n  filesystem_mirror {\n    path = "${join(opentofu, "mirror")}"\n  }\n}\n`
  )
  made.write("main.tf", configuration)
  // The provider looks in the home that the system knows of its user, whatever HOME says.
  const clouds = { OS_CLIENT_CONFIG_FILE: made.at(".config/openstack/clouds.yaml") }
  const { exit, stderr } = yield* made.portico(`setup terraform --file ${made.at("portico.tf")}`, clouds)
  assert.strictEqual(exit, 0, stderr)
  /** As readers run it: the token is in the environment of `portico exec`, and in no file. */
  const tofu = Effect.fnUntraced(function* (line: string, ...codes: ReadonlyArray<number>) {
    const command = [join(made.home, "programs/portico"), "exec", "--", join(opentofu, "bin/tofu"), ...line.split(" ")]
    const { code, stderr, stdout } = yield* ranAlone(made.home, command, { ...made.env, ...clouds })
    assert.include(codes.length === 0 ? [0] : codes, code, stdout + stderr)
    // It breaks and frames its lines to fit a terminal.
    return { stdout, words: stderr.replaceAll(/[│╷╵\s]+/g, " ") }
  })
  yield* tofu("init -no-color")
  return {
    tofu,
    /** A reader changes the configuration in place. */
    edit: (from: string, to: string) => {
      assert.include(configuration, from)
      writeFileSync(made.at("main.tf"), configuration.replace(from, to))
    }
  }
})

const page = blockIn("OpenTofu and Terraform", "hcl")

const title = (told: string): string => named(told, "scripts/parts/opentofu.sh", hasOpentofu)

const lifeOfAConfiguration = title("a configuration is applied, changed in place, and destroyed")

if (!hasOpentofu) plain.skip(lifeOfAConfiguration, () => {})
else {
  layer(Stage, { excludeTestServices: true })(
    "OpenTofu with the OpenStack provider, after portico setup terraform",
    (it) => {
      it.effect(lifeOfAConfiguration, () =>
        Effect.gen(function* () {
          // The smaller tier has no balancer.
          const own = yield* tenant("Initech", "standard")
          const { call } = yield* TestGateway
          const { edit, tofu } = yield* workplace(own.tokens[2], own.routerId, page + storyOf("more.tf"))
          const versions = JSON.parse((yield* tofu("version -json")).stdout)
          assert.deepStrictEqual(
            [versions.terraform_version, Object.values(versions.provider_selections)],
            [versionsOnPage.get("opentofu"), [versionsOnPage.get("terraform-provider-openstack")]]
          )
          const kept = (path: string) =>
            Effect.map(call("customer", "GET", `/v1/iaas/${path}`, { token: own.tokens[0] }), jsonOf)
          const all = Effect.gen(function* () {
            return {
              networks: (yield* kept("network/networks")).networks,
              ports: (yield* kept("network/ports")).ports,
              groups: (yield* kept("network/security-groups")).security_groups,
              addresses: (yield* kept("network/floatingips")).floatingips,
              servers: (yield* kept("compute/servers/detail")).servers,
              keypairs: (yield* kept("compute/os-keypairs")).keypairs,
              volumes: (yield* kept("volume/volumes")).volumes,
              balancers: (yield* kept("load-balancer/lbaas/loadbalancers")).loadbalancers,
              zones: (yield* kept("dns/zones")).zones
            }
          })
          const before = yield* all

          yield* tofu("apply -auto-approve -no-color")
          yield* tofu("plan -detailed-exitcode -no-color")
          edit("ttl     = 300", "ttl     = 600")
          yield* tofu("plan -detailed-exitcode -no-color", 2)
          assert.include((yield* tofu("apply -auto-approve -no-color")).stdout, "0 added, 1 changed, 0 destroyed")
          yield* tofu("destroy -auto-approve -no-color")
          assert.deepStrictEqual(yield* all, before)
        }).pipe(Effect.scoped)
      )

      it.effect(title("another tenant's router is a 404"), () =>
        Effect.gen(function* () {
          const { acme, globex } = yield* Cast
          const { call } = yield* TestGateway
          const { tofu } = yield* workplace(acme.tokens[2], globex.routerId, page)
          const { words } = yield* tofu("apply -auto-approve -no-color", 1)
          assert.include(words, "but got 404 instead")
          assert.include(words, `Router ${globex.routerId} could not be found`)
          // What was made before goes again: nobody is left with a configuration that cannot be destroyed.
          yield* tofu("destroy -auto-approve -no-color")
          const asked = { token: acme.tokens[0] }
          const { networks } = jsonOf(yield* call("customer", "GET", "/v1/iaas/network/networks?name=web", asked))
          assert.deepStrictEqual(networks, [])
        }).pipe(Effect.scoped)
      )

      it.effect(title("a refusal at tier 0 has the gateway's message"), () =>
        Effect.gen(function* () {
          const { acme } = yield* Cast
          const { tofu } = yield* workplace(acme.tokens[0], acme.routerId, page)
          const { words } = yield* tofu("apply -auto-approve -no-color", 1)
          assert.include(words, tooLow("POST", 1, 0))
        }).pipe(Effect.scoped)
      )
    }
  )
}

import { assert, layer } from "@effect/vitest"
import { Effect, Predicate } from "effect"
import { join } from "node:path"
import { isHere, ran, title } from "../clients/clients.ts"
import { TestGateway } from "../harness/TestGateway.ts"
import { folder } from "../parts/parts.ts"
import { Administrator } from "./Administrator.ts"
import { guest, unique } from "./Guests.ts"
import { person, roles } from "./Person.ts"
import { realCloudWith } from "./RealGateway.ts"
import { told } from "./told.ts"

type Outcomes = Readonly<Record<string, unknown>>

const refused = (status: number, details: string) => ({ error: "ForbiddenException", status, details })

/** Steps that end otherwise through the gateway, by rules of docs/tenants/proxy.md, "What is refused". */
const ruled: Outcomes = {
  "a zone is imported": refused(
    403,
    "Making a zone out of a zone file is refused here: make it with POST /v1/dns/zones, and read the file into it with " +
      "POST /v1/dns/zones/{zone_id}/import"
  ),
  // openstacksdk reads no more than the title of what the key manager states.
  "the payload of a secret": refused(403, "Forbidden")
}

/** The steps that end in an error. */
const failed = (all: Outcomes) =>
  Object.entries(all).flatMap(([name, outcome]) => (Predicate.hasProperty(outcome, "error") ? [name] : []))

/** The outcomes of sdk/, by its steps. */
const outcomes = Effect.fnUntraced(function* (login: Readonly<Record<string, string>>) {
  const { path } = yield* folder
  const { flavor, image } = yield* Administrator
  const { code, stderr, stdout } = yield* ran(
    path,
    ["python", "-W", "ignore", join(import.meta.dirname, "sdk/run.py")],
    {
      ...login,
      OS_REGION_NAME: "RegionOne",
      ZONE: `${unique("sdk")}.example.`,
      IMAGE: image,
      FLAVOR: flavor
    }
  )
  assert.strictEqual(code, 0, stderr)
  const all: Outcomes = JSON.parse(stdout)
  return all
}, Effect.scoped)

const directly = Effect.gen(function* () {
  const { name, projectId } = yield* guest("sdk-direct", "extension")
  const member = yield* person(projectId, `${name}-member`, roles.member)
  return yield* outcomes({
    OS_AUTH_TYPE: "v3password",
    OS_AUTH_URL: told("OS_AUTH_URL"),
    OS_USERNAME: member.name,
    OS_PASSWORD: member.password,
    OS_USER_DOMAIN_NAME: "Default",
    OS_PROJECT_ID: projectId
  })
})

const throughTheGateway = Effect.gen(function* () {
  const { tokens } = yield* guest("sdk-gateway", "extension")
  const { url } = yield* TestGateway
  return yield* outcomes({
    OS_AUTH_TYPE: "v3token",
    OS_AUTH_URL: `${url.customer}/openstack/identity`,
    OS_TOKEN: tokens[2]
  })
})

const stage = realCloudWith(Effect.succeed({ OPENSTACK_COMPATIBILITY: "true" }))

layer(stage, { excludeTestServices: true })("openstacksdk on the real systems", (it) => {
  it.effect.skipIf(!isHere)(title("every step ends as without the gateway, except for documented rules"), () =>
    Effect.gen(function* () {
      const [direct, gateway] = yield* Effect.all([directly, throughTheGateway], { concurrency: 2 })
      assert.strictEqual(Object.keys(direct).length, 79)
      assert.deepStrictEqual(failed(direct), ["a network does not change at an old revision"])
      assert.deepStrictEqual(gateway, { ...direct, ...ruled })
    }).pipe(Effect.scoped)
  )
})

import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { Cast } from "../../../gateway/test/harness/Cast.ts"
import { jsonOf, TestGateway } from "../../../gateway/test/harness/TestGateway.ts"
import type { Ended } from "../harness/commandLine.ts"
import { machine } from "../setup/Machine.ts"

/** Acme's machine: the addresses and a token stand in the environment. */
export const acme = Effect.gen(function* () {
  const { acme, customerOwner } = yield* Cast
  const { agentUrl, call, url } = yield* TestGateway
  const token = acme.tokens[2]
  const made = yield* machine({ PORTICO_URL: url.customer, PORTICO_TOKEN: token, PORTICO_AGENT_URL: agentUrl })
  /** As a person who owns the tenant: a machine ends no agents. */
  const owner = (line: string) => made.portico(line, { PORTICO_TOKEN: customerOwner })
  // A tenant has so many credentials and no more.
  yield* Effect.addFinalizer(() => owner("agents end --yes"))
  const stateOf = (id: string) =>
    Effect.map(call("customer", "GET", "/v1/credentials", { token }), (answer) => {
      const { credentials } = jsonOf(answer)
      return credentials.find((_: { credential_id: string }) => _.credential_id === id)?.state
    })
  const agents = () => JSON.parse(made.read(".config/portico/config.json")).profiles
  const secretOf = (profile: string) =>
    JSON.parse(made.read(`.local/state/portico/tokens/${profile}.json`)).access_token
  /** Every file of the home directory but the store of the command line. */
  const files = () =>
    readdirSync(made.home, { recursive: true, withFileTypes: true })
      .filter((_) => _.isFile() && !_.parentPath.includes(".local/state"))
      .map((_) => readFileSync(`${_.parentPath}/${_.name}`, "utf8"))
  return { ...made, owner, agentUrl, url: url.customer, token, stateOf, agents, secretOf, files }
})

export const succeeded = ({ exit, stderr }: Ended) => assert.strictEqual(exit, 0, stderr)

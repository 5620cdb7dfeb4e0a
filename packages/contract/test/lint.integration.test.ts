import { assert, it } from "@effect/vitest"
import { documents } from "@portico/contract/openapi/documents"
import { isHere, named, redocly } from "../../../scripts/parts/npm/packages.ts"

/** Problems that the documents have on purpose: the rule and the place, with the reason. */
const exempt: Readonly<Record<string, string>> = {
  "operation-4xx-response #/paths/~1health/get/responses": "takes nothing that could be wrong",
  "operation-4xx-response #/paths/~1health~1live/get/responses": "takes nothing that could be wrong",
  "operation-4xx-response #/paths/~1health~1ready/get/responses": "takes nothing that could be wrong",
  "operation-4xx-response #/paths/~1v1~1registry~1jwks/get/responses": "takes nothing that could be wrong"
}

/** The problems, by the recommended rules of Redocly, errors and warnings alike. */
const problemsOf = async (source: string): Promise<ReadonlyArray<string>> => {
  const { createConfig, lintFromString } = await redocly()
  const config = await createConfig({ extends: ["recommended"] })
  const problems = await lintFromString({ source, config })
  return problems.map(({ location, message, ruleId }) => `${ruleId} ${location[0]?.pointer ?? ""}: ${message}`)
}

const placeOf = (problem: string): string => problem.split(": ", 1).join()

for (const [plane, document] of Object.entries(documents)) {
  it.skipIf(!isHere)(named(`${plane}: the linter finds only exempt problems`), async () => {
    const problems = await problemsOf(JSON.stringify(document))
    assert.deepStrictEqual(
      problems.filter((_) => exempt[placeOf(_)] === undefined),
      []
    )
    assert.sameMembers([...new Set(problems.map(placeOf))], Object.keys(exempt))
  })
}

it.skipIf(!isHere)(
  named("the linter finds an operation without a summary and a response without a description"),
  async () => {
    const operation = { operationId: "one", security: [], responses: { 200: {}, 404: { description: "None." } } }
    const broken = { ...documents.customer, paths: { "/one": { get: operation } }, components: {} }
    const problems = (await problemsOf(JSON.stringify(broken))).map(placeOf)
    assert.includeMembers(problems, [
      "operation-summary #/paths/~1one/get/summary",
      "struct #/paths/~1one/get/responses/200"
    ])
  }
)

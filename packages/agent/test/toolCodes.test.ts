import { assert, it } from "@effect/vitest"
import { failureTable } from "@portico/contract/Failures"
import { readFileSync } from "node:fs"
import { toolCodes } from "../src/answers/toolCodes.ts"

const page = readFileSync(new URL("../../../docs/tenants/agents.md", import.meta.url), "utf8")

it("docs/tenants/agents.md explains every code of tools, and no other", () => {
  const [, section = ""] = page.split("### Codes of tools\n")
  const [table = ""] = section.split("\n#")
  const explained = [...table.matchAll(/^\| `(\w+)` +\| [^|]+\w[^|]+\| [^|]+\w[^|]+\|$/gm)].map(([, code]) => code)
  assert.deepStrictEqual<unknown>(explained, [...toolCodes])
})

it("no code of tools is a code of the API", () => {
  const ofApi = failureTable.map((_) => _.code)
  assert.deepStrictEqual(
    toolCodes.filter((code) => ofApi.some((_) => _ === code)),
    []
  )
})

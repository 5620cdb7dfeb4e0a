import { assert, it } from "@effect/vitest"
import { CustomerApi } from "@portico/contract/Api"
import { areaOf, areas } from "@portico/contract/areas"
import { HttpApi } from "effect/http-api"
import { areaNamed } from "../src/resources/areas.ts"
import { allTools } from "../src/tools/all.ts"
import { agentOf } from "./plans/fakes.ts"

const tools = allTools({ permits: () => true, permitsArea: () => true })

const routes: Array<readonly [area: string, route: string]> = []
HttpApi.reflect(CustomerApi, {
  onGroup: () => {},
  onEndpoint: ({ endpoint: { method, path } }) =>
    void routes.push([areaOf(path), `${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}`])
})

it("not_for_agents lists routes of the area, none of which is a tool", () => {
  for (const area of areas) {
    const { not_for_agents: none = [] } = areaNamed(area, tools, agentOf()) ?? assert.fail(area)
    const inArea = routes.filter(([_]) => _ === area).map(([, route]) => route)
    for (const { route } of none) assert.include(inArea, route, area)
    const covered = tools.filter((_) => _.area === area && _.operation !== undefined)
    assert.isAtMost(none.length + covered.length, inArea.length, area)
  }
  assert.isUndefined(areaNamed("nowhere", tools, agentOf()))
})

import { Invalid } from "@portico/contract/Failures"
import { Effect, Option, Predicate } from "effect"
import { HttpServerRequest } from "effect/http"
import { Areas } from "../Areas.ts"
import type { Agent } from "../CurrentAgent.ts"
import { refused } from "./answers.ts"
import type { Arguments, Tool } from "./Tool.ts"

/**
 * The areas whose tools are in every list. A list has all tools that read, and the tools that write in areas that are
 * on. These areas are always on. A client switches others on in the endpoint's address (`?areas=dns,edge` or
 * `?areas=all`), and an agent does with the tool `areas`. A short list saves tokens. It grants and denies nothing: an
 * agent can call a tool that is not in its list.
 */
export const usual: ReadonlySet<string> = new Set([
  "compute",
  "network",
  "volume",
  "image",
  "kubernetes",
  "databases",
  "object-storage",
  "credentials",
  "agents",
  "areas",
  "plans"
])

const all = "all"

/** Whether a tool is in the list of an agent that may use it. */
export const isListed = (tool: Pick<Tool, "area" | "writes">, on: ReadonlySet<string>): boolean =>
  !tool.writes || usual.has(tool.area) || on.has(tool.area) || on.has(all)

/** The areas that an agent has switched on. They are read once for each request. */
const known = new WeakMap<Agent, ReadonlySet<string>>()

/** The areas that are on for the current request, beside the usual ones. */
export const switchedOn = (agent: Agent): Effect.Effect<ReadonlySet<string>, never, Areas> =>
  Effect.suspend(() => {
    const before = known.get(agent)
    return before === undefined ? read(agent) : Effect.succeed(before)
  })

const read = Effect.fnUntraced(function* (agent: Agent) {
  const stored = yield* (yield* Areas).of(agent)
  const on: ReadonlySet<string> = new Set([...stored, ...(yield* asked)])
  known.set(agent, on)
  return on
})

/** `?areas=dns,edge` of the endpoint's address. */
const asked: Effect.Effect<ReadonlyArray<string>> = Effect.map(
  Effect.serviceOption(HttpServerRequest.HttpServerRequest),
  Option.match({
    onNone: () => [],
    onSome: ({ url }) => {
      const mark = url.indexOf("?")
      const values = mark < 0 ? [] : new URLSearchParams(url.slice(mark + 1)).getAll("areas")
      return values.flatMap((_) => _.split(",")).filter((_) => _ !== "")
    }
  })
)

/** The tool that shows the areas of other tools, and switches them on and off. */
export const areasTool = (tools: ReadonlyArray<Tool>): Tool => {
  const byArea = Map.groupBy(
    tools.filter((_) => _.writes),
    (_) => _.area
  )
  const names = [...byArea.keys()].toSorted()
  return {
    name: "areas",
    title: "Show and switch areas of tools",
    description:
      "Tools that change something are listed for usual areas only. Shows all areas with such tools; on and off " +
      "switch some for this agent. Every tool can be called by its name, listed or not.",
    input: {
      type: "object",
      properties: {
        on: { type: "array", items: { type: "string" } },
        off: { type: "array", items: { type: "string" } }
      },
      additionalProperties: false
    },
    area: "areas",
    // It stores the switches of the agent.
    writes: true,
    weight: [],
    idempotent: true,
    visibleTo: (agent) => tools.some((_) => _.writes && !usual.has(_.area) && _.visibleTo(agent)),
    run: Effect.fnUntraced(function* (agent, given) {
      const issues = issuesOf(given, names)
      if (issues.length > 0) return refused(Invalid.issues(issues))
      const areas = yield* Areas
      const before = yield* areas.of(agent)
      const off = new Set(listOf(given["off"]))
      const after = [...new Set([...before, ...listOf(given["on"])])].filter((_) => !off.has(_)).toSorted()
      if (after.join() !== before.join()) {
        yield* areas.put(agent, after)
        known.delete(agent)
      }
      const on = yield* switchedOn(agent)
      return {
        status: null,
        failed: false,
        body: { areas: names.flatMap((_) => shown(_, byArea.get(_) ?? [], agent, on)) }
      }
    })
  }
}

const listOf = (value: unknown): ReadonlyArray<string> => (Array.isArray(value) ? value.map(String) : [])

const shown = (area: string, tools: ReadonlyArray<Tool>, agent: Agent, on: ReadonlySet<string>) => {
  const visible = tools.filter((_) => _.visibleTo(agent))
  return visible.length === 0
    ? []
    : [{ area, on: isListed({ area, writes: true }, on), tools: visible.map((_) => _.name) }]
}

const issuesOf = (given: Arguments, names: ReadonlyArray<string>) =>
  Object.entries(given).flatMap(([name, value]) => {
    const issue = (msg: string, type: string) => [{ loc: ["arguments", name], msg, type }]
    if (name !== "on" && name !== "off") {
      return issue("Extra inputs are not permitted: the arguments are on, off", "extra_forbidden")
    }
    const isKnown = Array.isArray(value) && value.every((_) => Predicate.isString(_) && names.includes(_))
    return isKnown ? [] : issue(`Input should be a list of areas: ${names.join(", ")}`, "value_error")
  })

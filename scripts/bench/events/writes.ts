import { lifecycleTopic } from "@portico/contract/Events"
import { Effect } from "effect"
import { Pool } from "undici"
import { summaryOf } from "../numbers.ts"
import { server } from "../proxy/names.ts"
import { inRounds, seriesOf } from "../proxy/rounds.ts"
import { cell, type Part, ratio } from "../results.ts"
import { taking, webhook } from "./endpoints.ts"
import { callsAs, type Gateway, type Stage } from "./stage.ts"

const rounds = 9
const seconds = 4
const warming = 8
const goal = 0.9

const servers = "/v1/iaas/compute/servers"
const kibibyte = "A".repeat(1_000)
const metadata = { path: `${servers}/${server}/metadata`, body: JSON.stringify({ metadata: { note: kibibyte } }) }

/** What is written in turn: of ten calls, two that change billable life, and so are an event too. */
const writes = [
  ...Array.from({ length: 8 }, () => metadata),
  { path: `${servers}/${server}/action`, body: JSON.stringify({ "os-stop": null }) },
  { path: servers, body: JSON.stringify({ server: { name: "web-1", flavorRef: "2", user_data: kibibyte } }) }
]

const isSuccess = (status: number): boolean => status >= 200 && status < 300

/** Writes over and over on so many connections; answers how many calls a second. */
const loaded = (gateway: Gateway, connections: number, forSeconds: number) =>
  Effect.acquireUseRelease(
    Effect.sync(() => new Pool(new URL(gateway.url("/")).origin, { connections })),
    (pool) =>
      Effect.promise(async () => {
        const headers = { ...callsAs(0), "content-type": "application/json" }
        const begun = performance.now()
        const until = begun + forSeconds * 1000
        let calls = 0
        const worker = async () => {
          while (performance.now() < until) {
            const { body, path } = writes[calls++ % writes.length] ?? metadata
            const answer = await pool.request({ method: "POST", path, headers, body })
            const text = await answer.body.text()
            if (!isSuccess(answer.statusCode)) throw new Error(`${path} answered ${answer.statusCode}: ${text}`)
          }
        }
        await Promise.all(Array.from({ length: connections }, worker))
        return calls / ((performance.now() - begun) / 1000)
      }),
    (pool) => Effect.promise(() => pool.destroy())
  )

const names = { with: "with", without: "without" }

/** What it costs that every write is recorded, and what is billable told to a webhook. */
export const writing = Effect.fnUntraced(function* ({ gateway }: Stage, connections: number, platform: string) {
  const recorded = yield* gateway(names.with)
  const silent = yield* gateway(names.without, "scripts/bench/events/programs/silent.ts")
  const delivered = new Set<string>()
  const endpoint = yield* taking((id) => void delivered.add(id))
  yield* webhook(recorded, 0, endpoint, lifecycleTopic)

  const measured = yield* inRounds([recorded, silent], rounds, (contender, warmUp) =>
    loaded(contender, connections, warmUp ? warming : seconds)
  )
  if (delivered.size === 0) return yield* Effect.die(new Error("nothing was delivered"))
  const [ones, others] = [seriesOf(measured, names.with), seriesOf(measured, names.without)]
  const compared = summaryOf(ratio(ones, others))
  return {
    title: `Writes a second to a platform that answers ${platform}, ${connections} connections, ${rounds} rounds of ${seconds} s`,
    rows: [
      ["", "writes/s"],
      ["with audit, events and webhooks", cell(summaryOf(ones), 0)],
      ["without", cell(summaryOf(others), 0)]
    ],
    notes: [
      "PostgreSQL, the platform and the generator share the machine with the gateway.",
      `${delivered.size} events were delivered meanwhile.`
    ],
    goals: [{ what: `writes with by without, answered ${platform}`, measured: compared, wanted: { atLeast: goal } }],
    numbers: { with: summaryOf(ones), without: summaryOf(others), with_by_without: compared, delivered: delivered.size }
  } satisfies Part
})

import { planOf } from "@portico/testing/histories/plan"
import { isRight, makeScenes, play, report } from "@portico/testing/histories/play"
import { outliveOutputs } from "@portico/simulator/outputs"
import { Effect } from "effect"
import { randomInt } from "node:crypto"
import { parseArgs } from "node:util"

outliveOutputs()

const usage = "Usage: npm run histories -- [--count N] [--seed N]"

const { values } = parseArgs({ options: { count: { type: "string" }, seed: { type: "string" } } })
const count = Number(values.count ?? "20000")
const seed = Number(values.seed ?? randomInt(2 ** 30))
if (!Number.isSafeInteger(count) || !Number.isSafeInteger(seed) || count < 1) {
  console.error(usage)
  process.exit(2)
}

console.log(`${count} histories, from seed ${seed}`)
const scenes = await makeScenes()
let failed = 0
const began = performance.now()
for (let index = 0; index < count; index++) {
  const played = await Effect.runPromise(play(scenes, planOf(seed + index)))
  if (!isRight(played)) {
    failed += 1
    console.log(`\n${report(played)}`)
    if (failed === 5) break
  }
  if ((index + 1) % 1000 === 0) console.log(`${index + 1} of ${count}, ${Math.round(performance.now() - began)} ms`)
}
const seconds = Math.round((performance.now() - began) / 1000)
console.log(
  failed === 0
    ? `${count} histories have an explanation, ${seconds} s`
    : `${failed} histories have none; one alone: --count 1 --seed SEED`
)
process.exitCode = failed === 0 ? 0 : 1

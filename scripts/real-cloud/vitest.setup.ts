import { spawnSync } from "node:child_process"
import { join } from "node:path"

/**
 * Gives the tests the addresses and accounts of the real cloud, as `npm run real-cloud -- env` prints them. No test
 * starts unless all of the cloud is well: each would only tell the same in its own, longer way.
 */
export const knowRealCloud = () => {
  const status = ask("status")
  if (!status.isWell) {
    return giveUp(`These tests need the real cloud, and it is not well. Its status is:

${status.words.replace(/^(?=.)/gm, "    ")}
Bring it up (on Debian 12, as root; docs/developers/real-cloud.md says more), and run the tests again:

    npm run real-cloud -- up`)
  }
  const env = ask("env")
  if (!env.isWell) return giveUp(`npm run real-cloud -- env fails: ${env.words}`)
  for (const line of env.words.split("\n")) {
    // The values have no quotes: see commands/env.sh.
    const [, name, value] = /^export (\w+)=(.*)$/.exec(line) ?? []
    if (name !== undefined) process.env[name] = value
  }
}

export default knowRealCloud

const ask = (command: string) => {
  const { error, status, stderr, stdout } = spawnSync(join(import.meta.dirname, "real-cloud.sh"), [command], {
    encoding: "utf8"
  })
  return { isWell: status === 0, words: error?.message ?? stderr + stdout }
}

/** An error that is thrown here would be shown among stack frames, after "No test files found". */
const giveUp = (words: string) => {
  console.error(`\n${words}\n`)
  process.exit(1)
}

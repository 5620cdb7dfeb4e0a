import { execFileSync } from "node:child_process"
import { join } from "node:path"

/** Gives the tests the addresses and accounts of the real cloud, as `npm run real-cloud -- env` prints them. */
export default () => {
  const script = join(import.meta.dirname, "real-cloud.sh")
  execFileSync(script, ["status"], { stdio: ["ignore", "ignore", "inherit"] })
  for (const line of execFileSync(script, ["env"], { encoding: "utf8" }).split("\n")) {
    const [, name, value] = /^export (\w+)=(.*)$/.exec(line) ?? []
    if (name !== undefined) process.env[name] = value
  }
}

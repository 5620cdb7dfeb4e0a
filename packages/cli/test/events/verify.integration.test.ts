import { assert, describe, it } from "@effect/vitest"
import { bodyOf, freshSecret, headersOf } from "@portico/client/webhooks"
import { spawnSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { samples } from "../../src/events/samples.ts"
import { portico } from "../harness/programs.ts"
import { folder } from "./harness.ts"

describe("webhooks verify", () => {
  it("prints the event of a signed delivery, and says what is wrong with another", async () => {
    const secret = freshSecret()
    const file = join(folder(), "secret")
    writeFileSync(file, secret)
    const sample = samples["volume.create"] ?? assert.fail("no sample")
    const event = { id: "e", kind: "volume.create", at: "2026-01-05T10:00:00.000Z", ...sample }
    const body = bodyOf(event)
    const headers = await headersOf({ id: "e", timestamp: Math.floor(Date.now() / 1000) - 10, body }, [secret])
    const verify = (input: string, ...more: ReadonlyArray<string>) => {
      const named = Object.entries(headers).filter(([name]) => name.startsWith("webhook-"))
      const flags = named.flatMap(([name, value]) => [`--${name}`, value])
      const args = [portico, "webhooks", "verify", ...flags, "--secret-file", file, ...more]
      const { status, stderr, stdout } = spawnSync(process.execPath, args, {
        input,
        encoding: "utf8",
        env: { PATH: "" }
      })
      return { status, stderr, stdout }
    }
    const good = verify(body)
    assert.strictEqual(good.status, 0, good.stderr)
    assert.deepStrictEqual(JSON.parse(good.stdout), event)
    assert.deepInclude(verify(`${body} `), { status: 1, stdout: "", stderr: "No signature fits (signature_wrong).\n" })
    assert.include(verify(body, "--tolerance-seconds", "5").stderr, "too_old_or_new")
  })
})

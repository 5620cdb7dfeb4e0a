import { Effect } from "effect"
import { join, resolve } from "node:path"
import { CliFailure } from "../../CliFailure.ts"
import { readText } from "../files.ts"
import type { Setting } from "../iniFile.ts"
import type { Plan } from "../Plan.ts"
import { setSection, unsetSection } from "../sections.ts"
import { configHome, variable } from "../surroundings.ts"
import { type Allowed, markOf, type Target } from "../Target.ts"
import { aws, type S3Options } from "./aws.ts"

export const configFile = Effect.gen(function* () {
  const given = yield* variable("RCLONE_CONFIG")
  return given === undefined ? join(yield* configHome("rclone"), "rclone.conf") : resolve(given)
})
const whatOf = (name: string) => `The remote '${name}'`

const checkPlain = Effect.fnUntraced(function* (path: string) {
  const text = yield* readText(path)
  if (text === undefined || !/^RCLONE_ENCRYPT_V\d+:/m.test(text)) return
  return yield* new CliFailure({
    exit: "refused",
    message: `${path} is encrypted, so that only rclone can change it`,
    hint: "Take another file with RCLONE_CONFIG, or put what '--print' shows there with 'rclone config'"
  })
})

/** Its S3 library reads the profile of the AWS command line, and so runs the same helper. */
export const rclone = Effect.fnUntraced(function* (target: Target, options: S3Options) {
  const { endpoint, name, region } = options
  const path = yield* configFile
  const settings: ReadonlyArray<Setting> = [
    ["type", "s3"],
    ["provider", "Ceph"],
    ["env_auth", "true"],
    ["profile", name],
    ["endpoint", endpoint],
    ["region", region],
    ["force_path_style", "true"],
    // rclone drops comments when it writes the file, and keeps this.
    ["description", markOf(target)]
  ]
  yield* checkPlain(path)
  const profile = yield* aws(target, options)
  const remote = yield* setSection(path, { name, what: whatOf(name), settings }, target, options)
  return { changes: [...profile.changes, remote], hints: [`Try: rclone lsd ${name}:`] } satisfies Plan
})

export const withoutRclone = Effect.fnUntraced(function* ({ force, name }: Allowed & { readonly name: string }) {
  const path = yield* configFile
  yield* checkPlain(path)
  const change = yield* unsetSection(path, { name, what: whatOf(name) }, { force })
  const hints = [`The profile '${name}' of the AWS configuration stays: 'portico setup aws --remove' removes it`]
  return { changes: [change], hints } satisfies Plan
})

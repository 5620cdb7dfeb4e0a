import { Effect } from "effect"
import { readText } from "../files.ts"
import { sectionIn, type Setting } from "../iniFile.ts"
import type { Plan } from "../Plan.ts"
import { setSection, unsetSection } from "../sections.ts"
import { pathOf } from "../surroundings.ts"
import { type Allowed, flagsOf, markOf, type Target } from "../Target.ts"

export interface S3Options extends Allowed {
  /** Of the profile, the remote, or the file. */
  readonly name: string
  /** Where S3 clients reach the object gateway. */
  readonly endpoint: string
  readonly region: string
}

export const configFile = pathOf("AWS_CONFIG_FILE", ".aws", "config")
const sectionOf = (name: string) => (name === "default" ? name : `profile ${name}`)
const whatOf = (name: string) => `The profile '${name}'`

/** One word of a command line, as the AWS SDKs split it, which is not as a shell does. */
const sdkWord = (word: string) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `"${word.replaceAll(/(["\\])/g, "\\$1")}"`)

export const aws = Effect.fnUntraced(function* (target: Target, options: S3Options) {
  const { endpoint, name, region } = options
  const path = yield* configFile
  const helper = [...target.command, "aws-credentials", ...flagsOf(target)].map(sdkWord).join(" ")
  const settings: ReadonlyArray<Setting> = [
    ["credential_process", helper],
    ["region", region],
    ["endpoint_url", endpoint],
    ["s3", { addressing_style: "path" }],
    // Ceph does not know the checksums that newer releases send by default.
    ["request_checksum_calculation", "when_required"],
    ["response_checksum_validation", "when_required"],
    ...(target.caFile === undefined ? [] : ([["ca_bundle", target.caFile]] as const))
  ]
  const wanted = { name: sectionOf(name), what: whatOf(name), settings, mark: markOf(target) }
  const change = yield* setSection(path, wanted, target, options)
  const stored = yield* readText(yield* pathOf("AWS_SHARED_CREDENTIALS_FILE", ".aws", "credentials"))
  const shadow =
    sectionIn(stored ?? "", name) === undefined
      ? []
      : [`The profile '${name}' also has keys in ~/.aws/credentials, which come before: remove them`]
  return { changes: [change], hints: [`Try: aws --profile ${name} s3 ls`, ...shadow] } satisfies Plan
})

export const withoutAws = Effect.fnUntraced(function* ({ force, name }: Allowed & { readonly name: string }) {
  const change = yield* unsetSection(yield* configFile, { name: sectionOf(name), what: whatOf(name) }, { force })
  return { changes: [change], hints: [] } satisfies Plan
})

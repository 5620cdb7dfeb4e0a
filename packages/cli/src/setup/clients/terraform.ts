import { Effect, FileSystem } from "effect"
import { dirname, join, resolve } from "node:path"
import { CliFailure } from "../../CliFailure.ts"
import { type Change, readText } from "../files.ts"
import type { Plan } from "../Plan.ts"
import { type Allowed, markOf, ownershipOf, refusalOf, sourceIn, type Target } from "../Target.ts"
import { openstack, type OpenstackOptions } from "./openstack.ts"

export interface TerraformOptions extends OpenstackOptions {
  /** A file of its own, in the folder of the configuration. */
  readonly file: string
}

/** The provider takes no token that it would have to renew: it has nothing to renew it with. */
const provider = (name: string) => `provider "openstack" {
  cloud        = "${name}"
  allow_reauth = false
}
`

const requirement = `terraform {
  required_providers {
    openstack = {
      source = "terraform-provider-openstack/openstack"
    }
  }
}

`

/** What the other files of the folder declare: terraform takes each of these once. */
const declaredBeside = Effect.fnUntraced(function* (path: string) {
  const files = yield* FileSystem.FileSystem
  const names = yield* Effect.orElseSucceed(files.readDirectory(dirname(path)), () => [])
  const texts = yield* Effect.forEach(
    names.map((_) => join(dirname(path), _)).filter((_) => _.endsWith(".tf") && _ !== path),
    (_) => Effect.map(readText(_), (text) => ({ path: _, text: text ?? "" }))
  )
  const holding = (pattern: RegExp) => texts.find(({ text }) => pattern.test(text))?.path
  return {
    requirements: holding(/^\s*required_providers\s*\{/m),
    provider: holding(/^\s*provider\s+"openstack"\s*\{(?![^}]*\balias\b)/m)
  }
})

export const terraform = Effect.fnUntraced(function* (target: Target, options: TerraformOptions) {
  const path = resolve(options.file)
  const before = yield* readText(path)
  const ownership = (before ?? "").trim() === "" ? "none" : ownershipOf(sourceIn(before ?? ""), target)
  const refusal = refusalOf(ownership, "The configuration", path, options)
  if (refusal !== undefined) return yield* refusal
  const beside = yield* declaredBeside(path)
  if (beside.provider !== undefined) {
    return yield* new CliFailure({
      exit: "refused",
      message: `${beside.provider} has a provider "openstack" already, and terraform takes one`,
      hint: `Write 'cloud = "${options.name}"' and 'allow_reauth = false' into it after 'portico setup openstack --name ${options.name}'`
    })
  }
  const clouds = yield* openstack(target, options)
  const after = `# ${markOf(target)}\n${beside.requirements === undefined ? requirement : ""}${provider(options.name)}`
  const required =
    beside.requirements === undefined
      ? []
      : [`Add openstack = { source = "terraform-provider-openstack/openstack" } to ${beside.requirements}`]
  const use =
    options.token === undefined ? "Try: terraform init, then portico exec -- terraform plan" : "Try: terraform init"
  const change: Change = { path, before, after }
  return { changes: [...clouds.changes, change], hints: [...required, use] } satisfies Plan
})

export const withoutTerraform = Effect.fnUntraced(function* (options: Allowed & { readonly file: string }) {
  const path = resolve(options.file)
  const before = yield* readText(path)
  if (before === undefined) return { changes: [], hints: [] } satisfies Plan
  const ownership = sourceIn(before) === undefined ? "foreign" : "ours"
  const refusal = refusalOf(ownership, "The configuration", path, options)
  if (refusal !== undefined) return yield* refusal
  const hints = ["The cloud of clouds.yaml stays: 'portico setup openstack --remove' removes it"]
  return { changes: [{ path, before, after: undefined }], hints } satisfies Plan
})

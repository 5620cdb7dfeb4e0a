import { failureTable } from "@portico/contract/Failures"
import { exampleOf } from "@portico/contract/failures/constructors"
import { readFileSync } from "node:fs"
import { type ByClass, namesIn } from "./ByClass.ts"

/** A rule of Portico's that tests of OpenStack's meet: they pass directly, and not through the gateway. */
export interface Rule {
  /** The code of its refusal, or another word, under which the tests stand in met.json. */
  readonly name: string
  /** What a tool does, as the beginning of a sentence. */
  readonly does: string
  /** What it is told. */
  readonly says: string
  readonly instead: string
  readonly tests: ReadonlySet<string>
}

export const met: Readonly<Record<string, ByClass>> = JSON.parse(
  readFileSync(new URL("met.json", import.meta.url), "utf8")
)

/** The tests that meet a rule stand under its name in met.json. */
const rule = (name: string, does: string, says: string, instead: string): Rule => ({
  name,
  does,
  says,
  instead,
  tests: namesIn(met[name] ?? {})
})

/** A rule by which the gateway refuses, in the contract's words. @param instead where the contract's fix is too general */
const refusal = (code: string, does: string, instead?: string): Rule => {
  const record = failureTable.find((_) => _.code === code)
  if (record === undefined) throw new Error(`the contract has no failure ${code}`)
  return rule(code, does, `${record.status} \`${code}\`: ${exampleOf(record)["detail"]}`, instead ?? record.fix)
}

export const rules: ReadonlyArray<Rule> = [
  refusal("external_gateway_refused", "makes a router with an external gateway, or changes or removes one"),
  refusal(
    "world_open_ssh",
    "opens SSH to every address, also by a rule without ports, or of a protocol of which port 22 is a part"
  ),
  refusal("identity_route_refused", "lists domains, users, the catalog, EC2 or application credentials of Keystone"),
  refusal("auth_method_refused", "logs in with a user's name and password"),
  refusal("platform_act_refused", "reserves, attaches or detaches a volume past compute"),
  refusal("image_import_refused", "imports an image from an address"),
  refusal("secret_payload_refused", "reads the payload of a secret with a machine's credential"),
  refusal("zone_file_refused", "makes a zone out of a zone file"),
  refusal("zone_masters_refused", "makes a secondary zone whose masters are names, or no addresses of the internet"),
  refusal(
    "not_found",
    "reads, changes or deletes the transfer request of a zone that does not exist, or that another project has",
    "List the own ones with `GET zones/tasks/transfer_requests`. The answer does not tell the two cases apart."
  ),
  rule(
    "administrators_view",
    "asks by a header or a parameter for an administrator's view: other projects, managed records",
    "what it is told without: such headers and parameters are taken away",
    "Leave them out. A write that asks for other projects is a 403."
  ),
  rule(
    "one_version",
    "wants every version of a service's API",
    "the one version that the gateway forwards to, at the root of a service",
    "Use the version that is listed; compute has no `v2.0` here."
  )
]

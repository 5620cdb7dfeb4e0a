import { Effect, Schema } from "effect"
import { join } from "node:path"
import { type Change, readText } from "./files.ts"
import { configHome } from "./surroundings.ts"
import { unreadable } from "./Target.ts"

/** Docker tells its helper the registry alone: this file says which gateway gives the token for it. */
const Logins = Schema.Record(
  Schema.String,
  Schema.Struct({ source: Schema.String, url: Schema.String, profile: Schema.optionalKey(Schema.String) })
)
export type Login = (typeof Logins.Type)[string]

export interface LoginFile {
  readonly change: Change
  readonly logins: typeof Logins.Type
}

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(Logins))

export const logins = Effect.gen(function* () {
  const path = join(yield* configHome("portico"), "registries.json")
  const before = yield* readText(path)
  const logins = yield* decode(before ?? "{}").pipe(
    Effect.mapError(() => unreadable(path, "it is not the list of registries"))
  )
  return { change: { path, before, after: before }, logins } satisfies LoginFile
})

const changed = ({ change }: LoginFile, logins: LoginFile["logins"]): Change => ({
  ...change,
  after: Object.keys(logins).length === 0 ? undefined : `${JSON.stringify(logins, undefined, 2)}\n`
})

export const withLogin = (file: LoginFile, registry: string, login: Login): Change =>
  changed(file, { ...file.logins, [registry]: login })

export const withoutLogin = (file: LoginFile, registry: string): Change =>
  changed(file, Object.fromEntries(Object.entries(file.logins).filter(([key]) => key !== registry)))

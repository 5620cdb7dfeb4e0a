import type { Whoami } from "@portico/contract/Identity"
import { zonedTime } from "../output/localTime.ts"
import type { Profile } from "./Profile.ts"

const tiers: Readonly<Record<number, string>> = {
  0: "read only (tier 0)",
  1: "read and write (tier 1)",
  2: "read, write and delete (tier 2)"
}

const methods: Readonly<Record<Profile["method"], string>> = {
  browser: "a login in the browser",
  device: "a login on another device",
  pat: "a personal access token",
  client: "the key pair of a machine"
}

/** Below each other, with their names in one column. */
const fields = (rows: ReadonlyArray<readonly [name: string, value: string | undefined]>): string => {
  const told = rows.flatMap(([name, value]) => (value === undefined || value === "" ? [] : [[name, value] as const]))
  const width = Math.max(...told.map(([name]) => name.length))
  return told.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join("\n")
}

export interface Signed {
  readonly who: Whoami
  readonly url: string
  readonly profile: Profile | undefined
  /** How the token came about when it is not the profile's. */
  readonly by?: string | undefined
  readonly expiresAt: number | undefined
}

const personOf = ({ credential_id, credential_label, user_email, user_id, user_name }: Whoami): string => {
  const name = user_email === "" ? user_name : user_email
  if (name !== "") return name
  return credential_label === null ? user_id : `${credential_label} (${credential_id})`
}

const endOf = (expiresAt: number | undefined, profile: Profile | undefined): string | undefined => {
  if (expiresAt === undefined) return undefined
  const renews = profile !== undefined && profile.method !== "pat" ? ", and renews itself" : ""
  return `${zonedTime(new Date(expiresAt).toISOString())}${renews}`
}

/** Who is signed in, as people read it. */
export const wordsOf = ({ by, expiresAt, profile, url, who }: Signed): string =>
  fields([
    ["User", personOf(who)],
    [
      "Tenant",
      who.all_projects ? "all, as an operator" : who.tenant === null ? "none" : who.tenant.name || who.tenant.id
    ],
    ["Roles", who.roles.join(", ")],
    ["May", tiers[who.tier]],
    ["Signed in", by ?? (profile === undefined ? undefined : `by ${methods[profile.method]}`)],
    ["Token ends", endOf(expiresAt, profile)],
    ["Address", profile === undefined ? url : `${url} (${profile.plane} plane)`],
    ["Profile", profile?.name]
  ])

/** The same as data. */
export const dataOf = ({ expiresAt, profile, url }: Omit<Signed, "who">) => ({
  profile: profile?.name ?? null,
  url,
  plane: profile?.plane ?? null,
  method: profile?.method ?? null,
  token_expires_at: expiresAt === undefined ? null : new Date(expiresAt).toISOString()
})

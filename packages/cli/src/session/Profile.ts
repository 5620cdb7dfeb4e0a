import { Schema } from "effect"

export const Plane = Schema.Literals(["customer", "operator"])
/** Which of the two planes an address is. */
export type Plane = typeof Plane.Type

const optionalText = Schema.optionalKey(Schema.NonEmptyString)

/** An agent on this machine that has a credential of its own, which a person minted for it. */
export const AgentEntry = Schema.Struct({
  /** The program that it runs in, as 'portico agents connect' calls it. */
  client: Schema.NonEmptyString,
  credential_id: Schema.NonEmptyString,
  tier: Schema.Literals([0, 1]),
  /** RFC 3339, UTC. */
  expires_at: Schema.NonEmptyString
})
export type AgentEntry = typeof AgentEntry.Type

/** What the configuration says of a profile. It has no secrets. */
export const ProfileEntry = Schema.Struct({
  /** Of the plane, without a slash at its end. */
  url: Schema.NonEmptyString,
  plane: Plane,
  /** How the token came about. */
  method: Schema.Literals(["browser", "device", "pat", "client"]),
  /** Where the tokens are. */
  store: Schema.Literals(["keyring", "file"]),
  /** The identity provider; absent for a personal access token. */
  issuer: optionalText,
  client_id: optionalText,
  scope: optionalText,
  /** PEM file of the authorities that sign the plane's and the provider's certificates. */
  ca_file: optionalText,
  /** Whether tokens go over plain HTTP to an address other than this machine. */
  insecure: Schema.optionalKey(Schema.Boolean),
  /** Of the MCP endpoint, where the gateway does not say it. */
  agent_url: optionalText,
  /** Present when the profile is an agent's. */
  agent: Schema.optionalKey(AgentEntry)
})
export type ProfileEntry = typeof ProfileEntry.Type

/** An address, and how its user signs in there. */
export interface Profile extends ProfileEntry {
  readonly name: string
}

/** A name is also that of a file, so that it has no slash and does not begin with a dot. */
export const isProfileName = (name: string): boolean => /^[a-z0-9][a-z0-9._-]{0,62}$/i.test(name)

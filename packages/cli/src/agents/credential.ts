import { PorticoError } from "@portico/client/PorticoError"
import { Effect, Stream } from "effect"
import type { Portico } from "../Portico.ts"

export interface WantedCredential {
  readonly label: string
  readonly tier: 0 | 1
  readonly days: number
  readonly networks: ReadonlyArray<string>
}

export const mint = ({ use }: Portico, { days, label, networks, tier }: WantedCredential) =>
  use((_, signal) =>
    _.agents.mint(
      { label, tier, expires_in_days: days, ...(networks.length === 0 ? {} : { networks: [...networks] }) },
      { signal }
    )
  )

/** Ends a credential. One that is not there any more has ended. */
export const revoke = ({ use }: Portico, credentialId: string) =>
  use((_, signal) => _.credentials.revoke({ credential_id: credentialId }, { signal })).pipe(
    Effect.asVoid,
    Effect.catchIf(
      (error) => error instanceof PorticoError && (error.status === 404 || error.status === 409),
      () => Effect.void
    )
  )

export interface WhichAgents {
  readonly withRevoked: boolean
  /** Of a platform administrator, who has no project. */
  readonly projectId: string | undefined
  /** The end of an earlier page. */
  readonly cursor?: string | undefined
  /** The most rows; all, when absent. */
  readonly limit?: number | undefined
}

const pageSize = 1000

/** The agents' credentials, the expired ones too. */
export const agentsOf = (portico: Portico, { cursor, limit, projectId, withRevoked }: WhichAgents) =>
  portico
    .stream((_, signal) =>
      _.agents.list.all(
        {
          ...(withRevoked ? { include_revoked: true } : {}),
          ...(projectId === undefined ? {} : { project_id: projectId }),
          ...(cursor === undefined ? {} : { cursor }),
          ...(limit === undefined ? {} : { limit: Math.min(limit, pageSize) })
        },
        { signal }
      )
    )
    .pipe(Stream.take(limit ?? Number.POSITIVE_INFINITY))

/** Ends all agents of a tenant in one call. */
export const endAll = ({ use }: Portico, projectId: string | undefined) =>
  use((_, signal) => _.agents.end(projectId === undefined ? {} : { project_id: projectId }, { signal }))

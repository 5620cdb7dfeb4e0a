import { Link } from "wouter"
import { portico } from "../api/portico.ts"
import { useWhole } from "../api/useWhole.ts"
import { useNames } from "../people/useNames.ts"
import { Answered } from "../ui/Answered.tsx"
import { State } from "../ui/Badge.tsx"
import { BigNumber, type Fact, Facts, Mono, Muted, Stack } from "../ui/layout.tsx"
import { Time } from "../ui/Time.tsx"
import { useFormats } from "../words/formats.ts"
import { useWords } from "../words/words.ts"
import type { Credential } from "./credential.tsx"
import { words } from "./words.ts"

interface Props {
  readonly credential: Credential
}

const Maker = ({ id }: { readonly id: string }) => {
  const nameOf = useNames()
  return id.startsWith("cred-") ? <Link href={`/credentials/${id}`}>{id}</Link> : <>{nameOf(id)}</>
}

const useEndings = ({ held, revoked_at, revokes_at, rotated_to }: Credential): ReadonlyArray<Fact> => {
  const t = useWords(words)
  return [
    ...(held.length === 0 ? [] : [{ label: t.heldFor, value: held.join(", ") }]),
    ...(rotated_to === null
      ? []
      : [
          { label: t.rotatedTo, value: <Maker id={rotated_to} /> },
          { label: t.revokesAt, value: <Time at={revokes_at} as="moment" /> }
        ]),
    ...(revoked_at === null ? [] : [{ label: t.revokedAt, value: <Time at={revoked_at} as="moment" /> }])
  ]
}

export const CredentialFacts = ({ credential }: Props) => {
  const t = useWords(words)
  const endings = useEndings(credential)
  const { client_id, created_at, created_by, credential_id, expires_at, kind, last_used_at, last_used_from } =
    credential
  const { made_by, minted_tier, networks, project_id, state, tenant, tier } = credential
  return (
    <Facts
      facts={[
        { label: "ID", value: <Mono>{credential_id}</Mono> },
        { label: t.state, value: <State state={state} /> },
        ...endings,
        { label: t.kind, value: kind },
        { label: t.tier, value: t.tierOf(tier) },
        ...(minted_tier === tier ? [] : [{ label: t.mintedTier, value: t.tierOf(minted_tier) }]),
        { label: t.networks, value: networks === null ? t.anywhere : <Mono>{networks.join(", ")}</Mono> },
        { label: t.clientId, value: <Mono>{client_id}</Mono> },
        { label: t.madeBy, value: made_by === null ? t.noMaker : <Maker id={made_by} /> },
        ...(created_by === made_by ? [] : [{ label: t.createdBy, value: <Maker id={created_by} /> }]),
        { label: t.created, value: <Time at={created_at} as="moment" /> },
        { label: t.expires, value: <Time at={expires_at} as={expires_at === null ? "relative" : "moment"} /> },
        {
          label: t.lastUsed,
          value: (
            <>
              <Time at={last_used_at} /> {last_used_from === null ? "" : t.lastUsedFrom(last_used_from)}
            </>
          )
        },
        ...(tenant === undefined ? [] : [{ label: t.account, value: tenant.name }]),
        { label: t.project, value: <Mono>{project_id}</Mono> }
      ]}
    />
  )
}

/** The API counts, it keeps no series: the figure, and when it last grew. */
export const CredentialUse = ({ credential: { credential_id, label } }: Props) => {
  const t = useWords(words)
  const formats = useFormats()
  const answer = useWhole(portico.credentials.usage, { label, include_revoked: true })
  return (
    <Answered answer={answer}>
      {(usage) => {
        const own = usage.find((_) => _.credential_id === credential_id)
        return (
          <Stack>
            <BigNumber>{formats.number(own?.call_count ?? 0)}</BigNumber>
            <Muted small>
              {t.calls}. {t.callsHelp}
            </Muted>
            <Facts facts={[{ label: t.lastWrite, value: <Time at={own?.last_used_at} /> }]} />
          </Stack>
        )
      }}
    </Answered>
  )
}

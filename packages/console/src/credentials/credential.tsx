import { portico } from "../api/portico.ts"
import type { Finder } from "../app/definitions.ts"
import type { Me } from "../app/me.ts"
import { currentLanguage } from "../preferences/preferences.ts"
import { SecretOnce } from "../ui/SecretOnce.tsx"
import { useWords } from "../words/words.ts"
import { words } from "./words.ts"

export type Credential = Awaited<ReturnType<typeof portico.credentials.list>>["credentials"][number]

/** A tier-2 person ends any credential of the account. */
export const mayRevoke = (me: Me): boolean => me.tier >= 2

/** Everyone renews what is theirs; another's credential ends with it, which needs tier 2. */
export const mayRotate = (me: Me, { created_by, made_by, tier }: Credential): boolean =>
  me.tenant !== null && (me.tier >= 2 || (me.tier >= tier && [created_by, made_by].includes(me.user_id)))

export const find: Finder = async (text, signal) => {
  const { credentials } = await portico.credentials.list({ limit: 1000 }, { signal })
  return credentials
    .filter(({ credential_id, label }) => label.toLowerCase().includes(text.toLowerCase()) || credential_id === text)
    .map(({ credential_id, label }) => ({
      title: label,
      kind: words[currentLanguage()].credential,
      href: `/credentials/${encodeURIComponent(credential_id)}`
    }))
}

interface MintedSecretsProps {
  readonly minted: Awaited<ReturnType<typeof portico.credentials.mint>>
  readonly onClose: () => void
}

export const MintedSecrets = ({ minted, onClose }: MintedSecretsProps) => {
  const t = useWords(words)
  return (
    <SecretOnce
      title={t.minted(minted.label)}
      secrets={[
        { label: t.pat, value: minted.pat },
        { label: t.clientId, value: minted.client_id },
        { label: t.secret, value: minted.client_secret }
      ]}
      onClose={onClose}
    />
  )
}

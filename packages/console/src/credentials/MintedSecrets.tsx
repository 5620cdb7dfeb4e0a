import type { portico } from "../api/portico.ts"
import { SecretOnce } from "../ui/SecretOnce.tsx"
import { useWords } from "../words/words.ts"
import { words } from "./words.ts"

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

import { SecretOnce } from "../../ui/SecretOnce.tsx"
import { useWords } from "../../words/words.ts"
import type { operator } from "../portico.ts"
import { words } from "./words.ts"

type Credential = Awaited<ReturnType<typeof operator.tenants.onboard>>["credential"]

/** The secret of a new tenant, this once. */
export const FirstCredential = (props: { readonly credential: Credential; readonly onClose: () => void }) => {
  const t = useWords(words)
  const { credential, onClose } = props
  return (
    <SecretOnce
      title={t.saveCredential}
      secrets={[
        { label: t.clientId, value: credential.client_id },
        { label: t.secret, value: credential.client_secret }
      ]}
      onClose={onClose}
    />
  )
}

import { ActDialog } from "../api/ActDialog.tsx"
import { portico } from "../api/portico.ts"
import { useDialog } from "../ui/useDialog.ts"
import { useWords } from "../words/words.ts"
import type { Credential } from "./credential.tsx"
import { words } from "./words.ts"

export const RevokeDialog = ({ credentials }: { readonly credentials: ReadonlyArray<Credential> }) => {
  const t = useWords(words)
  const { of } = useDialog("revoke")
  const credential = credentials.find((_) => _.credential_id === of)
  return (
    <ActDialog
      dialog="revoke"
      write={portico.credentials.revoke}
      input={{ credential_id: of }}
      title={t.revokeTitle(credential?.label ?? "")}
      name={credential?.label}
      verb={t.revoke}
      done={t.revoked}
      enabled={credential !== undefined}
    >
      {t.revokeText}
    </ActDialog>
  )
}

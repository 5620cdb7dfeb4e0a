import { portico } from "../api/portico.ts"
import { useAct } from "../api/useAct.ts"
import { CopyAs } from "../app/CopyAs.tsx"
import { ConfirmDialog } from "../ui/ConfirmDialog.tsx"
import { SecretOnce } from "../ui/SecretOnce.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useWords } from "../words/words.ts"
import type { Webhook } from "./target.ts"
import { words } from "./webhookWords.ts"
import { words as sharedWords } from "./words.ts"

export const RotateWebhook = ({ target: { url, webhook_id } }: { readonly target: Webhook }) => {
  const t = useWords(words)
  const { secret, secretOf } = useWords(sharedWords)
  const dialog = useDialog("rotate")
  const rotate = useAct(portico.webhooks.rotateSecret)
  const input = { webhook_id }
  const close = () => {
    rotate.reset()
    dialog.close()
  }
  return (
    <>
      <ConfirmDialog
        open={dialog.open && rotate.answer === undefined}
        title={t.rotate}
        verb={t.rotate}
        pending={rotate.pending}
        refusal={rotate.refusal}
        onConfirm={() => void rotate.act(input)}
        onClose={close}
        aside={<CopyAs calls={[{ operation: rotate.operation, input }]} />}
      >
        {t.rotateText}
      </ConfirmDialog>
      <SecretOnce
        title={secretOf(url)}
        secrets={rotate.answer === undefined ? undefined : [{ label: secret, value: rotate.answer.secret }]}
        onClose={close}
      />
    </>
  )
}

import { useState } from "react"
import { portico } from "../api/portico.ts"
import { useAct } from "../api/useAct.ts"
import { CopyAs } from "../app/CopyAs.tsx"
import { ConfirmDialog } from "../ui/ConfirmDialog.tsx"
import { TextArea } from "../ui/form.tsx"
import { Stack } from "../ui/layout.tsx"
import { toast } from "../ui/toasts.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useFormats } from "../words/formats.ts"
import { useWords } from "../words/words.ts"
import type { Account } from "./project.tsx"
import { words } from "./words.ts"

export const CloseDialog = ({ account }: { readonly account: Account }) => {
  const t = useWords(words)
  const { number } = useFormats()
  const dialog = useDialog("close")
  const [reason, setReason] = useState("")
  const close = useAct(portico.account.close, {
    touches: ["projects", "credentials"],
    onDone: () => {
      toast(t.closed)
      dialog.close()
    }
  })
  const input = { confirm: account.name, ...(reason === "" ? {} : { reason }) }
  const count = number(account.projects.length)
  return (
    <ConfirmDialog
      open={dialog.open && account.state === "open"}
      title={t.closeTitle(account.name)}
      name={account.name}
      verb={t.close}
      pending={close.pending}
      refusal={close.refusal}
      onConfirm={() => void close.act(input)}
      onClose={() => {
        close.reset()
        dialog.close()
      }}
      aside={<CopyAs calls={[{ operation: close.operation, input }]} />}
    >
      <Stack>
        {account.window_days === 0 ? (
          <p>{t.closeAtOnce(count)}</p>
        ) : (
          <>
            <p>{t.closeText(number(account.window_days), count)}</p>
            <p>{t.closeReturn}</p>
          </>
        )}
        <TextArea
          label={t.reason}
          value={reason}
          onChange={setReason}
          error={close.refusal?.fields["reason"]}
          optional
        />
      </Stack>
    </ConfirmDialog>
  )
}

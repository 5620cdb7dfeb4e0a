import { useState } from "react"
import { ActDialog } from "../../api/ActDialog.tsx"
import { TextField } from "../../ui/form.tsx"
import { Stack } from "../../ui/layout.tsx"
import { useDialog } from "../../ui/useDialog.ts"
import { given } from "../../ui/useFilter.ts"
import { useWords } from "../../words/words.ts"
import { operator } from "../portico.ts"
import { words } from "../words.ts"
import type { Account } from "./account.ts"

const touches = ["tenants", "projects", "monitoring", "signups"]

/** What can be done with a closing account. */
export const AccountDialogs = ({ accounts }: { readonly accounts: ReadonlyArray<Account> }) => {
  const t = useWords(words)
  const { of } = useDialog("reopen")
  const [reason, setReason] = useState("")
  const account = accounts.find((_) => String(_.number) === of)
  const name = account?.name ?? ""
  return (
    <>
      <ActDialog
        dialog="reopen"
        write={operator.accounts.reopen}
        input={{ number: of }}
        title={t.reopenTitle(name)}
        verb={t.reopen}
        done={t.reopened}
        enabled={account !== undefined}
        touches={touches}
      >
        {t.reopenText}
      </ActDialog>
      <ActDialog
        dialog="finalize"
        write={operator.accounts.finalize}
        input={{ number: of, reason: given(reason) }}
        title={t.finalizeTitle(name)}
        verb={t.finalize}
        done={t.finalized}
        name={name}
        enabled={account !== undefined}
        touches={touches}
      >
        <Stack>
          <p>{t.finalizeText}</p>
          <TextField label={t.reason} help={t.reasonHelp} value={reason} onChange={setReason} />
        </Stack>
      </ActDialog>
    </>
  )
}

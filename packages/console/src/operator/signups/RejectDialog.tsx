import { useWords } from "../../words/words.ts"
import { ActDialog } from "../common/ActDialog.tsx"
import { operator } from "../portico.ts"
import type { Signup } from "./signup.ts"
import { words } from "./words.ts"

export const RejectDialog = ({ signup: { org_name, signup_id } }: { readonly signup: Signup }) => {
  const t = useWords(words)
  return (
    <ActDialog
      dialog="reject"
      write={operator.signups.reject}
      input={{ signup_id }}
      title={t.rejectTitle(org_name)}
      verb={t.reject}
      done={t.rejected}
    >
      {t.rejectText}
    </ActDialog>
  )
}

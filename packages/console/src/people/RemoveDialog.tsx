import { portico } from "../api/portico.ts"
import { useAct } from "../api/useAct.ts"
import { useAnswer } from "../api/useAnswer.ts"
import { CopyAs } from "../app/CopyAs.tsx"
import { Button } from "../ui/Button.tsx"
import { ConfirmDialog } from "../ui/ConfirmDialog.tsx"
import { Dialog, Foot } from "../ui/Dialog.tsx"
import { Stack } from "../ui/layout.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useWords } from "../words/words.ts"
import { Kept } from "./Kept.tsx"
import type { Person } from "./person.ts"
import { words } from "./words.ts"

/** Removes a person by name, and says afterwards what stays. */
export const RemoveDialog = ({ people }: { readonly people: ReadonlyArray<Person> }) => {
  const t = useWords(words)
  const dialog = useDialog("remove")
  const person = people.find((_) => _.user_id === dialog.of)
  const remove = useAct(portico.orgUsers.remove, { touches: ["credentials", "agents", "webhooks", "integrations"] })
  const made = useAnswer(portico.credentials.list, { made_by: dialog.of, limit: 1 }, { enabled: person !== undefined })
  const input = { user_id: dialog.of }
  const close = () => {
    remove.reset()
    dialog.close()
  }
  if (remove.answer !== undefined) {
    return (
      <Dialog open onClose={close} title={t.removed}>
        <Stack>
          <p>{t.removedText(remove.answer.credentials_revoked.length)}</p>
          <Kept removed={remove.answer} />
        </Stack>
        <Foot>
          <Button kind="primary" onClick={close}>
            {t.done}
          </Button>
        </Foot>
      </Dialog>
    )
  }
  return (
    <ConfirmDialog
      open={dialog.open && person !== undefined}
      title={t.removeTitle(person?.display_name ?? "")}
      name={person?.email}
      verb={t.remove}
      pending={remove.pending}
      refusal={remove.refusal}
      onConfirm={() => void remove.act(input)}
      onClose={close}
      aside={<CopyAs calls={[{ operation: remove.operation, input }]} />}
    >
      <p>{t.removeText}</p>
      {made.data === undefined ? null : <p>{t.madeByPerson(made.data.count)}</p>}
    </ConfirmDialog>
  )
}

import { useState } from "react"
import { portico } from "../api/portico.ts"
import { useAct } from "../api/useAct.ts"
import { CopyAs } from "../app/CopyAs.tsx"
import { useMe } from "../app/me.ts"
import { Button } from "../ui/Button.tsx"
import { Dialog, Foot } from "../ui/Dialog.tsx"
import { ChoiceField, Form } from "../ui/form.tsx"
import { RefusalBox } from "../ui/RefusalBox.tsx"
import { toast } from "../ui/toasts.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useBilingual, useWords } from "../words/words.ts"
import type { Person } from "./person.ts"
import { type Role, rolesThatMayBeGiven } from "./roles.ts"
import { words } from "./words.ts"

export const RoleDialog = ({ people }: { readonly people: ReadonlyArray<Person> }) => {
  const dialog = useDialog("role")
  const person = people.find((_) => _.user_id === dialog.of)
  return dialog.open && person !== undefined ? (
    <Asked key={person.user_id} person={person} onClose={dialog.close} />
  ) : null
}

const Asked = ({ onClose, person }: { readonly person: Person; readonly onClose: () => void }) => {
  const t = useWords(words)
  const text = useBilingual()
  const choices = rolesThatMayBeGiven(useMe())
  const [role, setRole] = useState<Role>(choices.find((_) => _.role === person.roles[0])?.role ?? "customer-viewer")
  // An invitation of somebody who is there gives the new role.
  const invite = useAct(portico.orgUsers.invite, {
    onDone: (answer) => {
      toast(
        answer.created || answer.credentials_capped.length === 0
          ? t.updated
          : t.capped(answer.credentials_capped.length)
      )
      onClose()
    },
    touches: ["credentials"]
  })
  const input = {
    email: person.email,
    role,
    project_id: role === "admin" ? undefined : (person.project_id ?? undefined)
  }
  return (
    <Dialog open onClose={onClose} title={`${t.changeRole}: ${person.display_name}`}>
      <Form onSubmit={() => void invite.act(input)}>
        <ChoiceField<Role>
          legend={t.role}
          value={role}
          onChange={setRole}
          choices={choices.map(({ help, role }) => ({ value: role, label: role, help: text(help) }))}
        />
        <RefusalBox refusal={invite.refusal} />
        <Foot>
          <CopyAs calls={[{ operation: invite.operation, input }]} />
          <Button type="submit" kind="primary" busy={invite.pending}>
            {t.changeRole}
          </Button>
        </Foot>
      </Form>
    </Dialog>
  )
}

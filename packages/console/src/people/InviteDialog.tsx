import { portico } from "../api/portico.ts"
import { useAct } from "../api/useAct.ts"
import { CopyAs } from "../app/CopyAs.tsx"
import { useMe } from "../app/me.ts"
import { Button } from "../ui/Button.tsx"
import { Dialog, Foot } from "../ui/Dialog.tsx"
import { ChoiceField, Form, TextField } from "../ui/form.tsx"
import { RefusalBox } from "../ui/RefusalBox.tsx"
import { toast } from "../ui/toasts.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useDraft } from "../ui/useDraft.ts"
import { given } from "../ui/useFilter.ts"
import { useBilingual, useWords } from "../words/words.ts"
import { type Role, rolesThatMayBeGiven } from "./roles.ts"
import { words } from "./words.ts"

interface Draft {
  readonly email: string
  readonly name: string
  readonly role: Role
  readonly project: string
}

const empty: Draft = { email: "", name: "", role: "customer-viewer", project: "" }

const inputOf = ({ email, name, project, role }: Draft) => ({
  email,
  role,
  display_name: given(name),
  project_id: given(project)
})

/** Invites a person; the address of somebody who is there gets the new role. */
export const InviteDialog = () => {
  const t = useWords(words)
  const text = useBilingual()
  const me = useMe()
  const dialog = useDialog("invite")
  const { draft, reset, set } = useDraft(empty)
  const close = () => {
    invite.reset()
    reset()
    dialog.close()
  }
  const invite = useAct(portico.orgUsers.invite, {
    onDone: (answer) => {
      toast(
        answer.created
          ? t.invited
          : answer.credentials_capped.length > 0
            ? t.capped(answer.credentials_capped.length)
            : t.updated
      )
      close()
    },
    touches: ["credentials"]
  })
  const input = inputOf(draft)
  const fields = invite.refusal?.fields ?? {}
  return (
    <Dialog open={dialog.open} onClose={close} title={t.invite}>
      <Form onSubmit={() => void invite.act(input)}>
        <TextField label={t.email} type="email" value={draft.email} onChange={set("email")} error={fields["email"]} />
        <TextField
          label={t.name}
          help={t.nameHelp}
          value={draft.name}
          onChange={set("name")}
          error={fields["display_name"]}
          optional
        />
        <ChoiceField<Role>
          legend={t.role}
          value={draft.role}
          onChange={set("role")}
          choices={rolesThatMayBeGiven(me).map(({ help, role }) => ({ value: role, label: role, help: text(help) }))}
        />
        {me.tenant === null && draft.role !== "admin" ? (
          <TextField label={t.project} value={draft.project} onChange={set("project")} error={fields["project_id"]} />
        ) : null}
        <RefusalBox refusal={invite.refusal} />
        <Foot>
          <CopyAs calls={[{ operation: invite.operation, input }]} />
          <Button type="submit" kind="primary" busy={invite.pending}>
            {t.invite}
          </Button>
        </Foot>
      </Form>
    </Dialog>
  )
}

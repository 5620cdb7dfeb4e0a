import * as v from "valibot"
import { useLocation } from "wouter"
import { ActDialog } from "../platform/ActDialog.tsx"
import { oneOf } from "../platform/lists.ts"
import { TextField } from "../ui/form.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useDraft } from "../ui/useDraft.ts"
import { useWords } from "../words/words.ts"
import { words } from "./groupWords.ts"

const made = oneOf("security_group", v.object({ id: v.string() }))

const CreateGroupForm = () => {
  const t = useWords(words)
  const [, navigate] = useLocation()
  const { draft, set } = useDraft({ name: "", description: "" })
  return (
    <ActDialog
      dialog={useDialog("create")}
      title={t.create}
      verb={t.create}
      write={{ method: "POST", path: "network/security-groups", body: { security_group: draft } }}
      done={t.created}
      onDone={(answer) => navigate(`/network/security-groups/${v.parse(made, answer).id}`)}
    >
      <TextField label={t.name} value={draft.name} onChange={set("name")} />
      <TextField label={t.description} value={draft.description} onChange={set("description")} optional />
    </ActDialog>
  )
}

export const CreateGroupDialog = () => (useDialog("create").open ? <CreateGroupForm /> : null)

import { ActDialog } from "../platform/ActDialog.tsx"
import { TextField } from "../ui/form.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useDraft } from "../ui/useDraft.ts"
import { useWords } from "../words/words.ts"
import { words } from "./networkWords.ts"
import { subnetWrite } from "./useCreateNetwork.ts"

export const AddSubnetDialog = ({ networkId }: { readonly networkId: string }) => {
  const t = useWords(words)
  const { draft, set } = useDraft({ name: "", cidr: "" })
  return (
    <ActDialog
      dialog={useDialog("subnet")}
      title={t.addSubnet}
      verb={t.addSubnet}
      write={subnetWrite(networkId, draft.name, draft.cidr)}
      done={t.subnetAdded}
    >
      <TextField label={t.subnetName} value={draft.name} onChange={set("name")} optional />
      <TextField label={t.cidr} help={t.cidrHelp} value={draft.cidr} onChange={set("cidr")} />
    </ActDialog>
  )
}

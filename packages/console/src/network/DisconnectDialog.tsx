import { CopyAs } from "../app/CopyAs.tsx"
import { shown, usePlatformAct } from "../platform/usePlatform.ts"
import { ConfirmDialog } from "../ui/ConfirmDialog.tsx"
import { toast } from "../ui/toasts.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useWords } from "../words/words.ts"
import { usePorts } from "./lookups.ts"
import { nameOf, routerOf, type Subnet } from "./network.ts"
import { words } from "./networkWords.ts"
import { interfaceWrite } from "./useCreateNetwork.ts"

/** Takes a subnet away from its router; it can be connected again. */
export const DisconnectDialog = ({ subnets }: { readonly subnets: ReadonlyArray<Subnet> }) => {
  const t = useWords(words)
  const dialog = useDialog("disconnect")
  const ports = usePorts().data ?? []
  const subnet = subnets.find((_) => _.id === dialog.of)
  const router = subnet === undefined ? undefined : routerOf(subnet, ports)
  const disconnect = usePlatformAct(() => {
    toast(t.disconnected)
    dialog.close()
  })
  const write = interfaceWrite(router ?? "", "remove", dialog.of)
  return (
    <ConfirmDialog
      open={dialog.open && router !== undefined}
      title={t.disconnectTitle(subnet === undefined ? "" : nameOf(subnet))}
      verb={t.disconnect}
      pending={disconnect.pending}
      refusal={disconnect.refusal}
      onConfirm={() => void disconnect.act(write)}
      onClose={() => {
        disconnect.reset()
        dialog.close()
      }}
      aside={<CopyAs calls={[shown(write)]} />}
    >
      {t.disconnectText}
    </ConfirmDialog>
  )
}

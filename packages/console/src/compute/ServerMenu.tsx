import { Play, Power, RotateCcw, Trash2, Zap } from "lucide-react"
import { useMay } from "../platform/may.ts"
import { usePlatformAct } from "../platform/usePlatform.ts"
import { MenuItem, RowMenu } from "../ui/Menu.tsx"
import { toast } from "../ui/toasts.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useWords } from "../words/words.ts"
import { can, type PowerAct, powerWrite } from "./power.ts"
import type { Server } from "./server.ts"
import { words } from "./words.ts"

/** What can be done with a server in a list. */
export const ServerMenu = ({ server }: { readonly server: Server }) => {
  const t = useWords(words)
  const may = useMay()
  const remove = useDialog("delete")
  const stop = useDialog("stop")
  const hard = useDialog("hardReboot")
  const power = usePlatformAct(() => toast(t.powered))
  const isOff = (act: PowerAct) => !may.change || !can(act, server)
  return (
    <RowMenu of={server.name}>
      <MenuItem icon={Play} disabled={isOff("start")} onSelect={() => void power.act(powerWrite(server.id, "start"))}>
        {t.start}
      </MenuItem>
      <MenuItem icon={Power} disabled={isOff("stop")} onSelect={() => stop.show(server.id)}>
        {t.stop}
      </MenuItem>
      <MenuItem
        icon={RotateCcw}
        disabled={isOff("reboot")}
        onSelect={() => void power.act(powerWrite(server.id, "reboot"))}
      >
        {t.reboot}
      </MenuItem>
      <MenuItem icon={Zap} disabled={isOff("hardReboot")} onSelect={() => hard.show(server.id)}>
        {t.hardReboot}
      </MenuItem>
      <MenuItem icon={Trash2} danger disabled={!may.destroy} onSelect={() => remove.show(server.id)}>
        {t.delete}
      </MenuItem>
    </RowMenu>
  )
}

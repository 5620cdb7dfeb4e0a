import { Play, Power, RotateCcw, Trash2, Zap } from "lucide-react"
import type { ReactNode } from "react"
import { useLocation, useParams } from "wouter"
import { Page } from "../app/Page.tsx"
import { oneOf } from "../platform/lists.ts"
import { useMay } from "../platform/may.ts"
import { usePlatform, usePlatformAct } from "../platform/usePlatform.ts"
import { Answered } from "../ui/Answered.tsx"
import { State } from "../ui/Badge.tsx"
import { Button } from "../ui/Button.tsx"
import { Muted, Row } from "../ui/layout.tsx"
import { RefusalBox } from "../ui/RefusalBox.tsx"
import { Tabs } from "../ui/Tabs.tsx"
import { toast } from "../ui/toasts.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useWords } from "../words/words.ts"
import { DeleteServerDialog } from "./DeleteServerDialog.tsx"
import { can, powerWrite } from "./power.ts"
import { PowerDialogs } from "./PowerDialogs.tsx"
import { hrefOf, isMoving, Server } from "./server.ts"
import { words } from "./words.ts"

const one = oneOf("server", Server)

/** What all views of a server have: its name, its state, its acts. */
export const ServerFrame = ({ children }: { readonly children: (server: Server) => ReactNode }) => {
  const t = useWords(words)
  const { server_id: id = "" } = useParams()
  const [, navigate] = useLocation()
  const path = `compute/servers/${encodeURIComponent(id)}`
  const answer = usePlatform(one, path, { isMoving })
  // Of another server nothing is shown while this one loads.
  const server = answer.data?.id === id ? answer.data : undefined
  const power = usePlatformAct(() => toast(t.powered))
  return (
    <Page
      title={server?.name ?? t.server}
      up={{ href: "/compute/servers", title: t.servers }}
      actions={server === undefined ? null : <Acts server={server} power={power} />}
    >
      <RefusalBox refusal={power.refusal} />
      <Answered answer={{ ...answer, data: server, pending: server === undefined && answer.refusal === undefined }}>
        {(known) => (
          <>
            <Row>
              <State state={known.status} />
              {known.task === "" ? null : (
                <Muted>
                  {t.task}: {known.task}
                </Muted>
              )}
            </Row>
            <Tabs
              label={t.viewsOf(known.name)}
              tabs={[
                { href: hrefOf(id), title: t.overview },
                { href: `${hrefOf(id)}/log`, title: t.log },
                { href: `${hrefOf(id)}/metrics`, title: t.metrics }
              ]}
            />
            {children(known)}
            <PowerDialogs servers={[known]} />
            <DeleteServerDialog servers={[known]} onDone={() => navigate("/compute/servers")} />
          </>
        )}
      </Answered>
    </Page>
  )
}

interface ActsProps {
  readonly server: Server
  readonly power: ReturnType<typeof usePlatformAct>
}

const Acts = ({ power, server }: ActsProps) => {
  const t = useWords(words)
  const may = useMay()
  const stop = useDialog("stop")
  const hard = useDialog("hardReboot")
  const remove = useDialog("delete")
  if (!may.change) return <Muted small>{t.readOnly}</Muted>
  return (
    <>
      {can("start", server) ? (
        <Button icon={Play} busy={power.pending} onClick={() => void power.act(powerWrite(server.id, "start"))}>
          {t.start}
        </Button>
      ) : (
        <Button icon={Power} disabled={!can("stop", server)} onClick={() => stop.show(server.id)}>
          {t.stop}
        </Button>
      )}
      <Button
        icon={RotateCcw}
        busy={power.pending}
        disabled={!can("reboot", server)}
        onClick={() => void power.act(powerWrite(server.id, "reboot"))}
      >
        {t.reboot}
      </Button>
      <Button icon={Zap} disabled={!can("hardReboot", server)} onClick={() => hard.show(server.id)}>
        {t.hardReboot}
      </Button>
      {may.destroy ? (
        <Button icon={Trash2} kind="danger" onClick={() => remove.show(server.id)}>
          {t.delete}
        </Button>
      ) : null}
    </>
  )
}

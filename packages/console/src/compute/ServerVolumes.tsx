import { Paperclip } from "lucide-react"
import * as v from "valibot"
import { Link } from "wouter"
import { listOf, text } from "../platform/lists.ts"
import { useMay } from "../platform/may.ts"
import { usePlatform } from "../platform/usePlatform.ts"
import { Answered } from "../ui/Answered.tsx"
import { Button } from "../ui/Button.tsx"
import { Card, Mono, Muted } from "../ui/layout.tsx"
import { Table } from "../ui/Table.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useWords } from "../words/words.ts"
import { DetachDialog } from "../storage/DetachDialog.tsx"
import { isMoving as isVolumeMoving, Volume } from "../storage/volume.ts"
import { AttachVolumeDialog } from "./AttachVolumeDialog.tsx"
import type { Server } from "./server.ts"
import { words } from "./words.ts"

const attachments = listOf("volumeAttachments", v.object({ volumeId: v.string(), device: text }))
const volumes = listOf("volumes", Volume)

/** The volumes of a server, to attach and to detach. */
export const ServerVolumes = ({ server }: { readonly server: Server }) => {
  const t = useWords(words)
  const may = useMay()
  const attach = useDialog("attach")
  const detach = useDialog("detach")
  const all = usePlatform(volumes, "volume/volumes/detail?limit=1000", { isMoving: (_) => _.some(isVolumeMoving) })
  const answer = usePlatform(attachments, `compute/servers/${encodeURIComponent(server.id)}/os-volume_attachments`, {
    isMoving: () => all.data?.some(isVolumeMoving) === true
  })
  const nameOf = (id: string) => all.data?.find((_) => _.id === id)?.name || id
  return (
    <Card
      title={t.volumes}
      actions={
        may.change ? (
          <Button icon={Paperclip} onClick={() => attach.show(server.id)}>
            {t.attach}
          </Button>
        ) : null
      }
    >
      <Answered answer={answer}>
        {(rows) => (
          <Table
            label={t.volumes}
            rows={rows}
            keyOf={(_) => _.volumeId}
            empty={<Muted>{t.noVolumes}</Muted>}
            columns={[
              {
                title: t.volume,
                cell: (_) => <Link href={`/storage/volumes/${_.volumeId}`}>{nameOf(_.volumeId)}</Link>
              },
              { title: t.device, cell: (_) => <Mono>{_.device}</Mono> },
              {
                title: "",
                end: true,
                cell: (_) => (may.change ? <Button onClick={() => detach.show(_.volumeId)}>{t.detach}</Button> : null)
              }
            ]}
          />
        )}
      </Answered>
      <AttachVolumeDialog server={server} volumes={(all.data ?? []).filter((_) => _.status === "available")} />
      <DetachDialog volumes={all.data ?? []} />
    </Card>
  )
}

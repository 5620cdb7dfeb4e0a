import { useLocation, useParams } from "wouter"
import { Page } from "../app/Page.tsx"
import { oneOf } from "../platform/lists.ts"
import { RemoveDialog } from "../platform/RemoveDialog.tsx"
import { usePlatform } from "../platform/usePlatform.ts"
import { Answered } from "../ui/Answered.tsx"
import { State } from "../ui/Badge.tsx"
import { Card, Facts, Mono, Stack } from "../ui/layout.tsx"
import { Time } from "../ui/Time.tsx"
import { useWords } from "../words/words.ts"
import { AttachedTo } from "./AttachedTo.tsx"
import { DetachDialog } from "./DetachDialog.tsx"
import { Snapshots } from "./Snapshots.tsx"
import { isMoving, nameOf, Volume } from "./volume.ts"
import { VolumeDialogs } from "./VolumeDialogs.tsx"
import { VolumeActs } from "./VolumeActs.tsx"
import { words } from "./volumeWords.ts"

const one = oneOf("volume", Volume)

const VolumeFacts = ({ volume }: { readonly volume: Volume }) => {
  const t = useWords(words)
  return (
    <Card title={t.facts}>
      <Facts
        facts={[
          { label: t.id, value: <Mono>{volume.id}</Mono> },
          { label: t.state, value: <State state={volume.status} /> },
          { label: t.size, value: t.sizeOf(String(volume.size)) },
          { label: t.type, value: volume.volume_type },
          { label: t.bootable, value: volume.bootable === "true" ? t.yes : t.no },
          { label: t.attachedTo, value: <AttachedTo volume={volume} /> },
          { label: t.createdAt, value: <Time at={volume.created_at} as="moment" /> },
          ...(volume.description === "" ? [] : [{ label: t.description, value: volume.description }])
        ]}
      />
    </Card>
  )
}

const VolumePage = () => {
  const t = useWords(words)
  const { volume_id: id = "" } = useParams()
  const [, navigate] = useLocation()
  const answer = usePlatform(one, `volume/volumes/${encodeURIComponent(id)}`, { isMoving })
  // Of another volume nothing is shown while this one loads.
  const volume = answer.data?.id === id ? answer.data : undefined
  return (
    <Page
      title={volume === undefined ? t.volume : nameOf(volume)}
      up={{ href: "/storage/volumes", title: t.volumes }}
      actions={volume === undefined ? null : <VolumeActs volume={volume} />}
    >
      <Answered answer={{ ...answer, data: volume, pending: volume === undefined && answer.refusal === undefined }}>
        {(known) => (
          <Stack>
            <VolumeFacts volume={known} />
            <Card title={t.snapshots}>
              <Snapshots volumeId={known.id} />
            </Card>
            <VolumeDialogs volumes={[known]} />
            <DetachDialog volumes={[known]} />
            <RemoveDialog
              things={[known]}
              idOf={(_) => _.id}
              nameOf={nameOf}
              pathOf={(_) => `volume/volumes/${_.id}`}
              title={t.deleteTitle}
              text={t.deleteText}
              verb={t.delete}
              done={t.deleted}
              onDone={() => navigate("/storage/volumes")}
            />
          </Stack>
        )}
      </Answered>
    </Page>
  )
}

export default VolumePage

import { Trash2 } from "lucide-react"
import * as v from "valibot"
import { useLocation, useParams } from "wouter"
import { useMe } from "../app/me.ts"
import { Page } from "../app/Page.tsx"
import { useMay } from "../platform/may.ts"
import { RemoveDialog } from "../platform/RemoveDialog.tsx"
import { usePlatform } from "../platform/usePlatform.ts"
import { Answered } from "../ui/Answered.tsx"
import { State } from "../ui/Badge.tsx"
import { Button } from "../ui/Button.tsx"
import { Card, Facts, Mono, Muted } from "../ui/layout.tsx"
import { Time } from "../ui/Time.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useFormats } from "../words/formats.ts"
import { useWords } from "../words/words.ts"
import { Image, isMoving, nameOf } from "./image.ts"
import { words } from "./imageWords.ts"

const one: v.GenericSchema<unknown, Image> = Image

const ImageFacts = ({ image }: { readonly image: Image }) => {
  const t = useWords(words)
  const formats = useFormats()
  return (
    <Card title={t.facts}>
      <Facts
        facts={[
          { label: t.id, value: <Mono>{image.id}</Mono> },
          { label: t.state, value: <State state={image.status} /> },
          { label: t.visibility, value: image.visibility },
          { label: t.size, value: image.size ? formats.bytes(image.size) : t.unknown },
          { label: t.format, value: `${image.disk_format} · ${image.container_format}` },
          { label: t.minDisk, value: formats.bytes(image.min_disk * 1024 ** 3) },
          { label: t.minRam, value: formats.bytes(image.min_ram * 1024 ** 2) },
          { label: t.protected, value: image.protected ? t.yes : t.no },
          ...(image.os_hash_value === ""
            ? []
            : [{ label: `${t.checksum} (${image.os_hash_algo})`, value: <Mono>{image.os_hash_value}</Mono> }]),
          ...(image.tags.length === 0 ? [] : [{ label: t.tags, value: image.tags.join(", ") }]),
          { label: t.created, value: <Time at={image.created_at} as="moment" /> }
        ]}
      />
    </Card>
  )
}

const ImagePage = () => {
  const t = useWords(words)
  const me = useMe()
  const may = useMay()
  const remove = useDialog("delete")
  const { image_id: id = "" } = useParams()
  const [, navigate] = useLocation()
  const answer = usePlatform(one, `image/images/${encodeURIComponent(id)}`, { isMoving })
  // Of another image nothing is shown while this one loads.
  const image = answer.data?.id === id ? answer.data : undefined
  const isOwn = image !== undefined && (me.all_projects || image.owner === me.tenant?.id)
  return (
    <Page
      title={image === undefined ? t.image : nameOf(image)}
      up={{ href: "/storage/images", title: t.images }}
      actions={
        isOwn && may.destroy ? (
          <Button icon={Trash2} kind="danger" disabled={image.protected} onClick={() => remove.show(id)}>
            {t.delete}
          </Button>
        ) : null
      }
    >
      <Answered answer={{ ...answer, data: image, pending: image === undefined && answer.refusal === undefined }}>
        {(known) => (
          <>
            {isOwn ? null : <Muted>{t.notOwn}</Muted>}
            <ImageFacts image={known} />
            <RemoveDialog
              things={isOwn ? [known] : []}
              idOf={(_) => _.id}
              nameOf={nameOf}
              pathOf={(_) => `image/images/${_.id}`}
              title={t.deleteTitle}
              text={t.deleteText}
              verb={t.delete}
              done={t.deleted}
              onDone={() => navigate("/storage/images")}
            />
          </>
        )}
      </Answered>
    </Page>
  )
}

export default ImagePage

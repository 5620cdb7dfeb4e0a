import { X } from "lucide-react"
import type { Refusal } from "../api/refusal.ts"
import { useMe } from "../app/me.ts"
import { Badge, type Tone } from "../ui/Badge.tsx"
import { Button, IconButton } from "../ui/Button.tsx"
import { Card, Muted, Stack } from "../ui/layout.tsx"
import { type Column, Table } from "../ui/Table.tsx"
import { useFormats } from "../words/formats.ts"
import { useWords } from "../words/words.ts"
import styles from "./objects.module.css"
import { folderOf } from "./places.ts"
import { clearUploads, type Upload, upload, useUploads } from "./uploads.ts"
import { words } from "./words.ts"

const tones: Readonly<Record<Upload["state"], Tone>> = {
  waiting: "neutral",
  running: "busy",
  done: "good",
  failed: "bad"
}

const useReason = () => {
  const t = useWords(words)
  const { tier } = useMe()
  return ({ code, detail }: Refusal): string => {
    if (code === "object_exists") return tier < 2 ? t.existsTier : t.exists
    if (code === "unreachable") return t.uploadUnreachable
    return code === "cancelled" || detail.includes("abort") ? t.uploadCancelled : detail
  }
}

const Progress = ({ of }: { readonly of: Upload }) => {
  const t = useWords(words)
  const formats = useFormats()
  const reason = useReason()
  if (of.state === "failed") return <Stack tight>{of.refusal === undefined ? "" : reason(of.refusal)}</Stack>
  return (
    <Stack tight>
      <progress
        className={styles["progress"]}
        value={of.state === "done" ? 1 : of.sent}
        max={of.state === "done" ? 1 : Math.max(of.file.size, 1)}
        aria-label={`${t[of.state]}: ${of.key}`}
      />
      <Muted small>
        {formats.bytes(of.sent)} / {formats.bytes(of.file.size)}
      </Muted>
    </Stack>
  )
}

const Act = ({ of }: { readonly of: Upload }) => {
  const t = useWords(words)
  const { tier } = useMe()
  const { bucket, file, key, overwrite, refusal, state } = of
  if (state === "waiting" || state === "running")
    return <IconButton icon={X} label={t.cancelUpload(key)} onClick={of.cancel} />
  const exists = refusal?.code === "object_exists"
  if (state === "done" || (exists && tier < 2)) return null
  const again = () =>
    upload({
      bucket,
      prefix: folderOf(key),
      files: [file],
      overwrite: overwrite || exists,
      title: t.uploadTo(1, bucket)
    })
  return <Button onClick={again}>{exists ? t.replaceIt : t.retry}</Button>
}

/** The uploads into a bucket since the console was opened. */
export const UploadList = ({ bucket }: { readonly bucket: string }) => {
  const t = useWords(words)
  const uploads = useUploads().filter((_) => _.bucket === bucket)
  if (uploads.length === 0) return null
  const columns: ReadonlyArray<Column<Upload>> = [
    { title: t.key, cell: (_) => _.key },
    { title: t.uploads, cell: (_) => <Badge tone={tones[_.state]}>{t[_.state]}</Badge> },
    { title: t.size, cell: (_) => <Progress of={_} /> },
    { title: "", end: true, cell: (_) => <Act of={_} /> }
  ]
  return (
    <Card title={t.uploads} actions={<Button onClick={() => clearUploads(bucket)}>{t.clear}</Button>}>
      <Table label={t.uploads} columns={columns} rows={uploads} keyOf={(_) => String(_.id)} empty={null} />
    </Card>
  )
}

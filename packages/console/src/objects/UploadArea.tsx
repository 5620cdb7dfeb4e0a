import { Upload as UploadIcon } from "lucide-react"
import { type DragEvent, useRef, useState } from "react"
import { portico } from "../api/portico.ts"
import { useAnswer } from "../api/useAnswer.ts"
import { Button } from "../ui/Button.tsx"
import { useWords } from "../words/words.ts"
import { allowsUploads } from "./corsRules.ts"
import { CorsOffer } from "./CorsOffer.tsx"
import styles from "./objects.module.css"
import { upload } from "./uploads.ts"
import { UploadList } from "./UploadList.tsx"
import { words } from "./words.ts"

interface UploadAreaProps {
  readonly bucket: string
  readonly prefix: string
}

/** Where files are dropped or chosen; before that, whether the bucket takes them from a browser at all. */
export const UploadArea = ({ bucket, prefix }: UploadAreaProps) => {
  const { data: cors } = useAnswer(portico.objectStorage.cors, { name: bucket })
  if (cors === undefined) return null
  return (
    <>
      {allowsUploads(cors.rules, location.origin) ? (
        <Drop bucket={bucket} prefix={prefix} />
      ) : (
        <CorsOffer bucket={bucket} rules={cors.rules} />
      )}
      <UploadList bucket={bucket} />
    </>
  )
}

const Drop = ({ bucket, prefix }: UploadAreaProps) => {
  const t = useWords(words)
  const input = useRef<HTMLInputElement>(null)
  const [over, setOver] = useState(false)
  const start = (list: FileList | null) => {
    const files = [...(list ?? [])]
    if (files.length > 0) upload({ bucket, prefix, files, title: t.uploadTo(files.length, bucket) })
  }
  const drag = (inside: boolean) => (event: DragEvent) => {
    event.preventDefault()
    setOver(inside)
  }
  const drop = (event: DragEvent) => {
    drag(false)(event)
    start(event.dataTransfer.files)
  }
  return (
    <div
      className={[styles["drop"], over ? styles["over"] : ""].join(" ")}
      onDragOver={drag(true)}
      onDragLeave={drag(false)}
      onDrop={drop}
    >
      <span>{over ? t.dropNow : t.drop}</span>
      <Button kind="primary" icon={UploadIcon} onClick={() => input.current?.click()}>
        {t.upload}
      </Button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={t.upload}
        onChange={({ target }) => {
          start(target.files)
          target.value = ""
        }}
      />
    </div>
  )
}

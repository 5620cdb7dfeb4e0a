import { useSyncExternalStore } from "react"
import { portico } from "../api/portico.ts"
import { outdated } from "../api/queries.ts"
import { type Refusal, refusalOf } from "../api/refusal.ts"
import { followWork } from "../works/works.ts"
import { bucketHref } from "./places.ts"
import { putFile } from "./putFile.ts"

export interface Upload {
  readonly id: number
  readonly bucket: string
  readonly key: string
  readonly file: File
  readonly overwrite: boolean
  readonly sent: number
  readonly state: "waiting" | "running" | "done" | "failed"
  readonly refusal: Refusal | undefined
  readonly cancel: () => void
}

/** How many files are sent at a time: a browser has six connections for one host. */
const lanes = 3

let uploads: ReadonlyArray<Upload> = []
let last = 0
let free = lanes
const queue: Array<() => void> = []
const listeners = new Set<() => void>()

const become = (next: typeof uploads) => {
  uploads = next
  for (const listener of listeners) listener()
}

const change = (id: number, change: Partial<Upload>) =>
  become(uploads.map((_) => (_.id === id ? { ..._, ...change } : _)))

const enter = (): Promise<void> => {
  if (free === 0) return new Promise((resolve) => queue.push(resolve))
  free -= 1
  return Promise.resolve()
}

const leave = () => {
  const next = queue.shift()
  if (next === undefined) free += 1
  else next()
}

/** An address lives for two minutes, so it is asked for when the file's turn has come. */
const send = async ({ bucket, file, id, key, overwrite }: Upload, signal: AbortSignal): Promise<void> => {
  await enter()
  try {
    signal.throwIfAborted()
    change(id, { state: "running" })
    const { headers, url } = await portico.objectStorage.presignUpload(
      {
        name: bucket,
        key,
        content_length: file.size,
        overwrite,
        ...(file.type === "" ? {} : { content_type: file.type })
      },
      { signal }
    )
    await putFile({ url, headers, file, signal, onProgress: (sent) => change(id, { sent }) })
    change(id, { state: "done", sent: file.size })
  } catch (error) {
    change(id, { state: "failed", refusal: refusalOf(error) })
    throw error
  } finally {
    leave()
    void outdated(["object-storage"])
  }
}

interface Start {
  readonly bucket: string
  /** The folder, empty or with a slash at its end. */
  readonly prefix: string
  readonly files: ReadonlyArray<File>
  readonly overwrite?: boolean
  readonly title: string
}

/** Uploads files into a folder. It goes on while the person looks at other pages. */
export const upload = ({ bucket, files, overwrite = false, prefix, title }: Start): void => {
  const started = files.map((file) => {
    const stop = new AbortController()
    const id = (last += 1)
    const key = `${prefix}${file.name}`
    const base = { id, bucket, key, file, overwrite, sent: 0, state: "waiting", refusal: undefined } as const
    return { upload: { ...base, cancel: () => stop.abort() }, signal: stop.signal }
  })
  become([...started.map((_) => _.upload), ...uploads.filter((_) => !started.some((s) => replaces(s.upload, _)))])
  followWork({ title, href: bucketHref(bucket, prefix), wait: (report) => sendAll(started, report) })
}

/** A second attempt takes the place of the first. */
const replaces = (next: Upload, before: Upload): boolean =>
  next.bucket === before.bucket && next.key === before.key && before.state === "failed"

const sendAll = async (
  started: ReadonlyArray<{ readonly upload: Upload; readonly signal: AbortSignal }>,
  report: (progress: string) => void
): Promise<void> => {
  let done = 0
  report(`0/${started.length}`)
  const ends = await Promise.allSettled(
    started.map(({ signal, upload }) =>
      send(upload, signal).then(() => {
        done += 1
        report(`${done}/${started.length}`)
      })
    )
  )
  const failed = ends.find((_) => _.status === "rejected")
  if (failed !== undefined) throw failed.reason
}

/** Takes the uploads that are over from the list. */
export const clearUploads = (bucket: string): void =>
  become(uploads.filter((_) => _.bucket !== bucket || _.state === "running" || _.state === "waiting"))

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const useUploads = (): ReadonlyArray<Upload> => useSyncExternalStore(subscribe, () => uploads)

import { PorticoError } from "@portico/client/PorticoError"

interface Put {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly file: File
  readonly signal: AbortSignal
  /** Called with the bytes that are sent. */
  readonly onProgress: (sent: number) => void
}

/** The reason in an S3 error document. */
const reasonIn = (text: string): string | undefined => /<Message>([^<]+)<\/Message>/.exec(text)?.[1]

const operation = "object-storage.presignUpload"

const codes: Readonly<Record<number, string>> = { 412: "object_exists", 409: "object_exists" }

/** Sends a file to a presigned address. `fetch` tells nothing of the bytes that are sent, so this is an older request. */
export const putFile = ({ file, headers, onProgress, signal, url }: Put): Promise<void> =>
  new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    const failed = (code: string, detail: string) =>
      reject(new PorticoError(code, { detail, status: request.status, operation }))
    const cancel = () => request.abort()
    request.open("PUT", url)
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
    request.upload.addEventListener("progress", ({ loaded }) => onProgress(loaded))
    request.addEventListener("load", () => {
      if (request.status < 300) return resolve()
      failed(
        codes[request.status] ?? "upload_refused",
        reasonIn(request.responseText) ?? `The object gateway answered ${request.status}.`
      )
    })
    // A browser does not tell a lost connection from a missing CORS rule.
    request.addEventListener("error", () => failed("unreachable", "The upload did not reach the object gateway."))
    request.addEventListener("abort", () => failed("cancelled", "The upload was cancelled."))
    request.addEventListener("loadend", () => signal.removeEventListener("abort", cancel))
    signal.addEventListener("abort", cancel)
    if (signal.aborted) failed("cancelled", "The upload was cancelled.")
    else request.send(file)
  })

import { Effect, Inspectable, Option, Pipeable, Stream } from "effect"
import { Headers, HttpClientRequest, HttpClientResponse, HttpIncomingMessage } from "effect/http"

/** After as many microtasks as the streams of a Web response take, so that calls made at once are answered side by side. */
const later = <A>(read: () => A): Effect.Effect<A> =>
  Effect.promise(async () => {
    for (let turn = 0; turn < 10; turn++) await undefined
    return read()
  })

/**
 * A response whose whole body is there. What reads bytes or text takes them as they are; a Web response, whose streams
 * take longer than all else of a call, is made for the rest.
 */
export class MemoryResponse extends Inspectable.Class implements HttpClientResponse.HttpClientResponse {
  readonly [HttpIncomingMessage.TypeId] = HttpIncomingMessage.TypeId
  readonly [HttpClientResponse.TypeId] = HttpClientResponse.TypeId
  readonly remoteAddress = Option.none()

  readonly request: HttpClientRequest.HttpClientRequest
  readonly status: number
  private readonly fields: Readonly<Record<string, string>>
  private readonly body: Uint8Array<ArrayBuffer>

  constructor(
    request: HttpClientRequest.HttpClientRequest,
    status: number,
    fields: Readonly<Record<string, string>>,
    body: Uint8Array<ArrayBuffer>
  ) {
    super()
    this.request = request
    this.status = status
    this.fields = fields
    this.body = body
  }
  private get web(): HttpClientResponse.HttpClientResponse {
    return HttpClientResponse.fromWeb(
      this.request,
      new Response(this.body, { status: this.status, headers: { ...this.fields } })
    )
  }
  get headers() {
    return Headers.fromInput(this.fields)
  }
  get stream() {
    return Stream.make(this.body)
  }
  get text() {
    return later(() => new TextDecoder().decode(this.body))
  }
  get arrayBuffer() {
    return later(() => this.body.slice().buffer)
  }
  get url() {
    return this.web.url
  }
  get cookies() {
    return this.web.cookies
  }
  get json() {
    return this.web.json
  }
  get formData() {
    return this.web.formData
  }
  get urlParamsBody() {
    return this.web.urlParamsBody
  }
  get upgrade() {
    return this.web.upgrade
  }
  toJSON() {
    return this.web.toJSON()
  }
  pipe() {
    return Pipeable.pipeArguments(this, arguments)
  }
}

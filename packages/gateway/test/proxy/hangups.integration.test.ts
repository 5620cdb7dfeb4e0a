import { layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Loner } from "../harness/Loner.ts"
import { RawUpstream } from "../harness/RawUpstream.ts"
import { type Breach, json, text } from "./breaches.ts"
import { fails } from "./fails.ts"
import { often, times, Warm } from "./leaks.ts"

/** Short limits, which are those of the HTTP client and so of the real clock, and not so short that a busy machine does not get the head out before. */
const Impatient = Loner({ PROXY_ANSWER_SECONDS: "2", PROXY_IDLE_SECONDS: "2" })

layer(Warm.layer.pipe(Layer.provideMerge(Impatient)), { excludeTestServices: true })(
  "a service that becomes silent",
  (it) => {
    const late = /^dns: no answer in time$/
    const silences: ReadonlyArray<readonly [sent: string, outcome: Breach["outcome"]]> = [
      ["", late],
      [`${text}Content-Le`, late],
      ["HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", late],
      [`${json}Content-Length: 10\r\n\r\n{"a":`, late],
      [`${text}Content-Length: 10\r\n\r\n`, "broken"],
      [`${text}Content-Length: 10\r\n\r\nhalf`, "broken"],
      [`${text}Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n`, "broken"]
    ]
    it.effect("is a 502 with a message after a while, or a broken answer if that has begun", () =>
      Effect.gen(function* () {
        const upstream = yield* RawUpstream
        for (const [i, [sent]] of silences.entries()) {
          yield* upstream.script(`/dns/odd/${i}`, (socket) => void socket.write(sent))
        }
        yield* often((index) => {
          const which = index % silences.length
          return fails(`dns/odd/${which}`, index, silences[which]?.[1] ?? late)
        }, times)
      })
    )
  }
)

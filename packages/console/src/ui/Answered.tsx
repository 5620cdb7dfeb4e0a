import type { ReactNode } from "react"
import type { Answer } from "../api/useAnswer.ts"
import { Loading } from "./Loading.tsx"
import { RefusalBox } from "./RefusalBox.tsx"

interface AnsweredProps<Output> {
  readonly answer: Answer<Output>
  readonly children: (data: Output) => ReactNode
}

/** What an answer shows: nothing yet, a refusal, or the data; a refusal of a later look stands above the data. */
export const Answered = <Output,>({ answer, children }: AnsweredProps<Output>) => {
  const { again, data, pending, refusal } = answer
  return (
    <>
      <RefusalBox refusal={refusal} again={again} />
      {data === undefined ? pending ? <Loading /> : null : children(data)}
    </>
  )
}

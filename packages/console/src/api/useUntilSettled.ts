import { useState } from "react"
import { type Answer, type Read, useAnswer } from "./useAnswer.ts"

/** Between two looks at what no event tells. */
const pace = 3_000

/** An answer that is asked again for as long as something in it is on its way to another state. */
export const useUntilSettled = <Input, Output>(
  read: Read<Input, Output>,
  input: NoInfer<Input>,
  isMoving: (data: NoInfer<Output>) => boolean
): Answer<Output> => {
  const [moving, setMoving] = useState(false)
  const answer = useAnswer(read, input, { everyMillis: moving ? pace : undefined })
  const isMovingNow = answer.data !== undefined && isMoving(answer.data)
  if (isMovingNow !== moving) setMoving(isMovingNow)
  return answer
}

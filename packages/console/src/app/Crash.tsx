import { Component, type ReactNode } from "react"
import { Button } from "../ui/Button.tsx"
import { useWords } from "../words/words.ts"
import { words } from "./words.ts"

const Message = () => {
  const t = useWords(words)
  return (
    <div role="alert">
      <h1>{t.failed}</h1>
      <p>{t.failedText}</p>
      <Button onClick={() => location.reload()}>{t.reload}</Button>
    </div>
  )
}

/** A fault of one page leaves the others alone. */
export class Crash extends Component<{ readonly children: ReactNode }, { readonly failed: boolean }> {
  override readonly state = { failed: false }
  static getDerivedStateFromError = () => ({ failed: true })
  override render(): ReactNode {
    return this.state.failed ? <Message /> : this.props.children
  }
}

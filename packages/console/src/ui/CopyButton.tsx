import { Check, Copy } from "lucide-react"
import { useEffect, useState } from "react"
import { useWords } from "../words/words.ts"
import { Button, IconButton } from "./Button.tsx"
import { words } from "./words.ts"

interface CopyButtonProps {
  readonly text: string
  /** With a text beside the icon. */
  readonly label?: string
}

/** Puts a text on the clipboard, and says so. */
export const CopyButton = ({ label, text }: CopyButtonProps) => {
  const t = useWords(words)
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return undefined
    const timer = setTimeout(() => setCopied(false), 2000)
    return () => clearTimeout(timer)
  }, [copied])
  const copy = () => void navigator.clipboard.writeText(text).then(() => setCopied(true))
  const icon = copied ? Check : Copy
  return label === undefined ? (
    <IconButton icon={icon} label={copied ? t.copied : t.copy} onClick={copy} />
  ) : (
    <Button icon={icon} onClick={copy}>
      {copied ? t.copied : label}
    </Button>
  )
}

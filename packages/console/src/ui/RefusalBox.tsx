import { useQuery } from "@tanstack/react-query"
import { RotateCw } from "lucide-react"
import { Link } from "wouter"
import type { Refusal } from "../api/refusal.ts"
import { hasPage } from "../app/hasPage.ts"
import { useWords } from "../words/words.ts"
import { Button } from "./Button.tsx"
import styles from "./RefusalBox.module.css"
import { words } from "./words.ts"

interface RefusalBoxProps {
  readonly refusal: Refusal | undefined
  readonly again?: (() => void) | undefined
}

/** Code in a sentence stands between backticks in the catalogue of failures. */
const Marked = ({ text }: { readonly text: string }) =>
  text.split("`").map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))

/** What was refused, why, what to do about it, and the number under which an operator finds it. */
export const RefusalBox = ({ again, refusal }: RefusalBoxProps) => {
  const t = useWords(words)
  const known = useQuery({
    queryKey: ["failures"],
    queryFn: () => import("virtual:failures").then((_) => _.failures),
    enabled: refusal !== undefined,
    staleTime: Infinity
  })
  if (refusal === undefined) return null
  const fix = known.data?.[refusal.code]?.fix
  return (
    <div className={styles["box"]} role="alert">
      <p className={styles["detail"]}>{refusal.detail}</p>
      {fix === undefined ? null : (
        <p>
          {t.fix}: <Marked text={fix} />
        </p>
      )}
      {(refusal.code === "policy_denied" || refusal.code === "tier_too_low") && hasPage("/policy/effective") ? (
        <p>
          <Link href="/policy/effective">{t.whyMayI}</Link>
        </p>
      ) : null}
      <p className={styles["meta"]}>
        {refusal.status === 0 ? refusal.code : t.status(refusal.status, refusal.code)}
        {refusal.requestId === undefined ? "" : ` · ${t.requestId(refusal.requestId)}`}
      </p>
      {again === undefined ? null : (
        <span>
          <Button icon={RotateCw} onClick={again}>
            {t.again}
          </Button>
        </span>
      )}
    </div>
  )
}

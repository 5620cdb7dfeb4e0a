import type { Shape } from "@portico/client/catalogue/Catalogue"
import type { ReactNode } from "react"
import { Link } from "wouter"
import { Page } from "../app/Page.tsx"
import { Mono } from "../ui/layout.tsx"
import { useWords } from "../words/words.ts"
import { Marks, useDescription } from "./catalogue.tsx"
import type { Input } from "./draft.ts"
import styles from "./operations.module.css"
import { words } from "./words.ts"

interface OperationFrameProps {
  readonly shape: Shape
  readonly input: Input
  readonly children: ReactNode
}

/** What an operation is, around its form. */
export const OperationFrame = ({ children, input, shape }: OperationFrameProps) => {
  const t = useWords(words)
  const prose = useDescription(shape.id)
  const { id, method, parameters, path, summary, waiting } = shape
  const same = Object.fromEntries(parameters.map(({ name }) => [name, input[name]]))
  return (
    <Page title={id} about={summary} up={{ href: "/operations", title: t.title }}>
      <p>
        <Mono>
          {method} {path}
        </Mono>
      </p>
      <Marks shape={shape} />
      {prose === undefined ? null : <p className={styles["prose"]}>{prose.text}</p>}
      {waiting === undefined ? null : (
        <p>
          {t.waits}{" "}
          <Link href={`/operations/${waiting.read}?with=${encodeURIComponent(JSON.stringify(same))}`}>
            {t.look(waiting.read)}
          </Link>
        </p>
      )}
      {children}
    </Page>
  )
}

import { Link } from "wouter"
import { Row } from "../ui/layout.tsx"
import { useWords } from "../words/words.ts"
import { bucketHref, crumbsOf } from "./places.ts"
import { words } from "./words.ts"

/** The way to a folder: each piece leads there. */
export const Crumbs = ({ bucket, prefix }: { readonly bucket: string; readonly prefix: string }) => {
  const t = useWords(words)
  return (
    <nav aria-label={t.path}>
      <Row>
        {[{ title: bucket, prefix: "" }, ...crumbsOf(prefix)].map((crumb) => (
          <span key={crumb.prefix}>
            <Link href={bucketHref(bucket, crumb.prefix)}>{crumb.title === "" ? "(…)" : crumb.title}</Link> /
          </span>
        ))}
      </Row>
    </nav>
  )
}

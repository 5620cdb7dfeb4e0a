import { plane } from "#plane"
import { createRoot } from "react-dom/client"
import { Root } from "./app/Root.tsx"
import "./ui/base.css"

const element = document.getElementById("root")
if (element !== null) createRoot(element).render(<Root plane={plane} />)
